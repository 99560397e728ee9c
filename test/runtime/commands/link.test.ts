/** /link: the dialogue that makes two accounts one person, and everybody who should not get in by it. */

import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { conversationKey } from '../../../src/channels/channel.ts';
import { messagesIn, type Wording } from '../../../src/messages/messages.ts';
import { redeemAnswer as redeemed } from '../../../src/runtime/commands/people/link.ts';
import { tree } from '../../helpers/temp.ts';
import { among, codeIn, commandWorld, direct } from './fixtures.ts';

const english = (said: Wording | undefined) => said && messagesIn('en').said(said);
const redeemAnswer = async (...given: Parameters<typeof redeemed>) => english(await redeemed(...given));

const alexTg = direct('telegram:1001');
const kimTg = direct('telegram:1002');
const discord = direct('discord:3003');
const guestInGroup = among('telegram:666', '-100');

describe('/link', () => {
  it('shows a code with the words to type on each platform', async () => {
    const w = await commandWorld();
    const { text } = await w.say(alexTg, '/link');
    const code = codeIn({ text });
    expect(text).toContain('Anybody who enters it acts as you');
    expect(text).toContain('only in a direct message to me');
    expect(text).toContain('10 minutes');
    expect(text).toContain(`- on Telegram: \`/link ${code}\``);
    expect(text).toContain(`- on Discord: \`/viber link ${code}\``);
    expect(text).toContain(`- on Slack: \`/viber link ${code}\``);
    expect(text.match(/the terminal/g)).toHaveLength(1);
  });

  it('lets a stranger’s account in at the door, and tells the one that showed the code', async () => {
    const w = await commandWorld();
    const code = codeIn(await w.say(alexTg, '/link'));
    const told: unknown[] = [];
    expect(w.isKnown(discord)).toBe(false);
    const text = await redeemAnswer(w.links, code, w.who(discord), (...about) => told.push(about));
    expect(text).toContain('here you are alex now, as on telegram:1001');
    const note = expect.objectContaining({ values: expect.objectContaining({ identity: 'discord:3003' }) });
    expect(told).toEqual([[{ person: 'alex', address: alexTg.address, note, isNew: true }]]);
    expect(w.isKnown(discord)).toBe(true);
    expect(w.who(discord)).toMatchObject({ person: 'alex', role: 'owner' });
    // The platform delivers the same event again.
    expect((await w.say(discord, `/link ${code}`)).text).toContain('Done');
  });

  it('joins an account that is known already, and shares the task', async () => {
    const w = await commandWorld([{ name: 'alex', role: 'owner', ids: ['telegram:1001'] }]);
    const id = await w.begin(alexTg, 'Shared');
    const place = { key: conversationKey(alexTg.address), address: alexTg.address, isDirect: true };
    await w.gw.tasks.conversations.bind({ ...place, taskId: id, viber: 'default' });
    const address = { channel: 'discord', account: 'bot', chat: '3003' };
    const pending = w.pairing.request({ identity: 'discord:3003', channel: 'discord', name: 'A', address }, Date.now());
    w.pairing.approve(pending ?? '', Date.now());
    const code = codeIn(await w.say(alexTg, '/link'));
    const reply = await w.say(discord, `/link ${code}`);
    expect(reply.text).toContain('with the same tasks, files and rights');
    expect(reply.elsewhere?.[0]?.address).toEqual(alexTg.address);
    expect(reply.elsewhere?.[0]?.text).toContain('discord:3003 (Name of 3003) entered your code');
    expect(w.gw.tasks.conversations.get('person:alex')).toMatchObject({ taskId: id, address: alexTg.address });
  });

  it('names the next step while no chat is connected', async () => {
    const w = await commandWorld();
    Object.assign(w.gw.places, { prefixes: { local: '/', terminal: '/' } });
    expect((await w.say(alexTg, '/link')).text).toMatch(/^No chat is connected yet.* init.* send \/link again\.$/);
  });

  it('works only in direct messages, and a code written in a group is void', async () => {
    const w = await commandWorld();
    expect((await w.say(among('telegram:1001', '-100'), '/link')).text).toContain('only in a direct message');
    const code = codeIn(await w.say(alexTg, '/link'));
    const wrong = await w.say(guestInGroup, '/link AAAAAAA2');
    const right = await w.say(guestInGroup, `/link ${code}`);
    // The same words for both: a group is no place to find out codes.
    expect(right).toEqual(wrong);
    expect(w.who(guestInGroup).person).toBeUndefined();
    expect(await redeemAnswer(w.links, code, w.who(discord))).toContain("I don't know this code");
  });

  it.each([
    ['unknown', (_code: string) => 'AAAAAAA2', discord, "I don't know this code"],
    ['one’s own', (code: string) => code, alexTg, 'This code is your own'],
    ['of another person', (code: string) => code, kimTg, 'Send /link here instead'],
  ])('refuses a code that is %s in a sentence with the next step', async (_what, typed, spot, answer) => {
    const w = await commandWorld();
    const code = codeIn(await w.say(alexTg, '/link'));
    const { text } = await w.say(spot, `/link ${typed(code)}`);
    expect(text).toContain(answer);
    expect(text).toMatch(/\/(viber )?link|Enter it/);
    expect(w.links.links()).toEqual([]);
  });

  it('falls silent to a stranger who guesses, and neither writes nor lets in', async () => {
    const w = await commandWorld();
    const code = codeIn(await w.say(alexTg, '/link'));
    const before = tree(w.home.access);
    const answers = await Promise.all(
      Array.from({ length: 7 }, (_, n) => redeemAnswer(w.links, `AAAAAAA${n + 2}`, w.who(discord))),
    );
    expect(answers.map((answer) => answer !== undefined)).toEqual([true, true, true, true, true, false, false]);
    expect(await redeemAnswer(w.links, code, w.who(discord))).toBeUndefined();
    expect(await redeemAnswer(w.links, 'hello there', w.who(direct('discord:4')))).toBeUndefined();
    expect(await redeemAnswer(w.links, '', w.who(direct('discord:4')))).toBeUndefined();
    expect(tree(w.home.access)).toEqual(before);
    expect(w.isKnown(discord)).toBe(false);
  });

  it('says at the door that it cannot be done, when the file of links is half an edit', async () => {
    const w = await commandWorld();
    const code = codeIn(await w.say(alexTg, '/link'));
    fs.writeFileSync(path.join(w.home.access, 'links.json'), '[{');
    expect(await redeemAnswer(w.links, code, w.who(discord))).toContain('tell the owner');
    expect(w.isKnown(discord)).toBe(false);
    fs.rmSync(path.join(w.home.access, 'links.json'));
    expect(await redeemAnswer(w.links, code, w.who(discord))).toContain('Done');
  });

  it('ends with ten minutes', async () => {
    const w = await commandWorld();
    const code = codeIn(await w.say(alexTg, '/link'));
    w.clock.now += 600_000;
    expect(await redeemAnswer(w.links, code, w.who(discord))).toContain('older than 10 minutes');
  });
});

describe('/link list and remove', () => {
  it('show and take away a person’s own accounts, and only those', async () => {
    const w = await commandWorld();
    await redeemAnswer(w.links, codeIn(await w.say(alexTg, '/link')), w.who(discord));
    const { text } = await w.say(discord, '/link list');
    expect(text).toContain('- `telegram:1001`');
    expect(text).toMatch(/- `discord:3003` \(this account, linked 20\d\d-/);
    expect((await w.say(kimTg, '/link list')).text).not.toContain('3003');
    expect((await w.say(kimTg, '/link remove discord:3003')).text).toContain("I can't find a linked account");
    expect((await w.say(alexTg, '/link remove telegram:1001')).text).toContain('the setting `people`');
    expect((await w.say(alexTg, '/link remove')).text).toContain('Which one?');
    expect((await w.say(alexTg, '/link remove discord:3003')).text).toContain('on its own again');
    expect(w.isKnown(discord)).toBe(false);
  });

  it('show an owner everybody’s, to take away', async () => {
    const w = await commandWorld();
    await redeemAnswer(w.links, codeIn(await w.say(kimTg, '/link')), w.who(discord));
    expect((await w.say(alexTg, '/link list')).text).toMatch(/Other people's:\n\n- `discord:3003` .*: kim/);
    expect((await w.say(alexTg, '/link remove discord:3003')).text).toContain('on its own again');
  });
});

it('two linked people in one group stay two', async () => {
  const w = await commandWorld();
  await redeemAnswer(w.links, codeIn(await w.say(alexTg, '/link')), w.who(direct('discord:11')));
  await redeemAnswer(w.links, codeIn(await w.say(kimTg, '/link')), w.who(direct('discord:12')));
  const [alex, kim, guest] = ['11', '12', '13'].map((user) => among(`discord:${user}`, '50', '51'));
  if (!alex || !kim || !guest) throw new Error('three spots');
  const id = await w.begin(kim, 'Kim’s job');
  const own = await w.begin(direct('discord:12'), 'Kim’s own');
  w.running.add(id);
  expect((await w.say(guest, '/stop', id)).text).toContain('Only people who take part in');
  expect((await w.say(alex, `/open ${own}`)).text).toContain("I can't find a task");
  expect((await w.say(kimTg, `/status ${id}`)).text).toContain('Kim’s job');
  expect((await w.say(kimTg, `/stop ${id}`)).text).toBe('Stopped: Kim’s job.');
  expect((await w.say(alex, '/tasks', id)).text).not.toContain('Kim’s own');
  expect((await w.say(kim, '/tasks', id)).text).not.toContain('Kim’s own');
});
