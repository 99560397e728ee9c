/** Who is answered in which language: by the setting, by the event, by what was seen last, by the owners'. */
import fs from 'node:fs';
import path from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { openLanguages } from '../../src/access/known.ts';
import type { Principal } from '../../src/access/principal.ts';
import { silentLog } from '../../src/log.ts';
import { tempFolder, tree } from '../helpers/temp.ts';

const who = (user: string, role: Principal['role'] = 'member', more: Partial<Principal> = {}): Principal => ({
  ...{ channel: 'telegram', account: 'b', user, role, via: 'message', name: 'N', ...more },
});
const chat = (id: string) => ({ channel: 'telegram', account: 'b', chat: id });
const open = (folder = tempFolder(), configured = 'auto', machine = 'C') => {
  const prefixes = { slack: '/viber ' };
  const languages = openLanguages({ folder, configured, machine, prefixes, log: silentLog() });
  const read = () => JSON.parse(fs.readFileSync(path.join(folder, 'languages.json'), 'utf8'));
  return { languages, folder, read };
};

it('is the setting’s, else the event’s, else the one seen last, else the owners’', () => {
  const { languages } = open();
  expect(languages.of(who('1'))).toBeUndefined();
  languages.note(who('9', 'owner'), chat('9'), 'de');
  expect(languages.of(who('1'))).toBe('de');
  languages.note(who('1'), chat('1'), 'fr');
  expect([languages.of(who('1')), languages.of(who('1'), 'en-GB'), languages.of(who('2'))]).toEqual([
    ...['fr', 'en-GB', 'de'],
  ]);
  const linked = who('7', 'member', { aliases: ['person:kim', 'telegram:1'], person: 'kim' });
  expect(languages.of(linked)).toBe('fr');
  const fixed = open(tempFolder(), 'de').languages;
  fixed.note(who('1'), chat('1'), 'en');
  expect([fixed.of(who('1'), 'en'), fixed.at(chat('1')).language]).toEqual(['de', 'de']);
});

it('of what is sent on our own account is that of the person’s chat, of a group the owners’', () => {
  const { languages } = open();
  languages.note(who('1'), chat('1'), 'de');
  expect([
    languages.at(chat('1')).language,
    languages.at({ ...chat('1'), thread: '5' }).language,
    languages.at(chat('-5')).language,
  ]).toEqual(['de', 'de', 'en']);
  languages.note(who('2', 'owner'), undefined, 'de');
  // Said in a group, it is not what the owners' own chat says.
  expect(languages.at(chat('-5')).language).toBe('en');
  languages.note(who('2', 'owner'), chat('2'), 'de');
  expect(languages.at(chat('-5')).language).toBe('de');
  expect([languages.prefixAt(chat('1')), languages.prefixAt({ channel: 'slack' })]).toEqual(['/', '/viber ']);
});

it.each([undefined, '', 'x', 'not a tag', 'a'.repeat(99), '<b>', 'de\nen'])('is not taken from %j', (said) => {
  const { languages, folder } = open();
  languages.note(who('1'), chat('1'), said);
  languages.close();
  expect([languages.of(who('1')), languages.of(who('1'), said), tree(folder)]).toEqual([undefined, undefined, {}]);
});

it('of a guest nothing stays; of others it is written a moment later, once', () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const { languages, folder, read } = open();
  languages.note(who('1', 'guest'), chat('1'), 'de');
  languages.note(who('2'), chat('2'), 'de');
  languages.note(who('3'), undefined, 'fr');
  vi.advanceTimersByTime(1_900);
  expect(tree(folder)).toEqual({});
  vi.advanceTimersByTime(200);
  const keys = Object.keys(read());
  expect(keys.filter((key) => key.startsWith('telegram:'))).toEqual(['telegram:2', 'telegram:3']);
  expect([keys.length, read()['telegram:3']]).toEqual([3, { tag: 'fr' }]);
  const before = fs.statSync(path.join(folder, 'languages.json')).ino;
  languages.note(who('2'), chat('2'), 'de');
  vi.advanceTimersByTime(5_000);
  languages.close();
  expect(fs.statSync(path.join(folder, 'languages.json')).ino).toBe(before);
});

it('is known after a restart, also when the stop came before the moment was over', () => {
  const { languages, folder } = open();
  languages.note(who('2', 'owner'), chat('2'), 'pt-BR');
  languages.close();
  const again = open(folder).languages;
  expect([again.of(who('2')), again.of(who('3')), again.at(chat('2')).language]).toEqual(['pt-BR', 'pt-BR', 'en']);
});

it('keeps five thousand, those that were learned last', () => {
  const { languages, folder, read } = open();
  for (let n = 0; n < 5_010; n++) languages.note(who(`1${n}`), undefined, 'de');
  expect([languages.of(who('10')), languages.of(who('15009'))]).toEqual([undefined, 'de']);
  languages.close();
  expect(Object.keys(read())).toHaveLength(5_000);
  const more = open(folder).languages;
  more.note(who('77'), undefined, 'fr');
  more.close();
  const all = Object.keys(read());
  expect([all.length, all.at(-1), all[0]]).toEqual([5_000, 'telegram:77', 'telegram:111']);
});

it.each(['terminal', 'local'])(
  'at the machine (%s) it is the session’s own, and no later session gets it',
  (channel) => {
    const folder = tempFolder();
    const me = who('root', 'owner', { channel });
    const here = { channel, account: 'local', chat: 'local' };
    fs.writeFileSync(
      path.join(folder, 'languages.json'),
      JSON.stringify({ [`${channel}:root`]: { tag: 'de' }, owner: { tag: 'de' } }),
    );
    const { languages, read } = open(folder);
    const spoken = (said?: string) => [languages.of(me, said), languages.at(here).language];
    expect(spoken('C')).toEqual([undefined, 'en']);
    languages.note(me, here, 'de_DE');
    expect([spoken(), spoken('en_US'), spoken('C')]).toEqual([
      ['de_DE', 'de'],
      ['en_US', 'de'],
      [undefined, 'de'],
    ]);
    languages.note(me, here, 'C');
    expect(spoken()).toEqual([undefined, 'en']);
    languages.note(me, here, 'fr');
    languages.close();
    expect(Object.keys(read())).toEqual([`${channel}:root`, 'owner']);
    const german = open(folder, 'auto', 'de_AT').languages;
    expect([german.of(me), german.at(here).language, german.of(me, 'C')]).toEqual(['de_AT', 'de', undefined]);
    const fixed = open(folder, 'de').languages;
    expect([fixed.of(me, 'C'), fixed.at(here).language]).toEqual(['de', 'de']);
  },
);
