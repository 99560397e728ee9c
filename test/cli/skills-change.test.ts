/** `viber skills add|update|remove` as a program that is started, and beside a gateway that runs. */
import fs from 'node:fs';
import path from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { openWorld } from '../dialogs/harness.ts';
import { eventually } from '../helpers/eventually.ts';
import { PROGRAM } from '../helpers/program.ts';
import { KEYS, openTerminal } from '../helpers/pty.ts';
import { hasPython } from '../helpers/python.ts';
import { tempFolder } from '../helpers/temp.ts';
import { viber as ran } from '../helpers/viber.ts';
import { folderOf, skillText } from '../skills/add/sources.ts';

let home: string;
beforeEach(() => {
  home = tempFolder();
});

async function viber(...args: string[]): Promise<{ code: number; text: string }> {
  const { code, out, err } = await ran(home, ['skills', ...args]);
  return { code, text: out + err };
}

test('shows and changes nothing without a yes; with one adds, updates with the difference, and removes', async () => {
  const source = folderOf({ 'SKILL.md': skillText('tea', '', 'First.\u202e'), 'run.sh': 'echo' });
  const shown = await viber('add', source);
  expect(shown).toMatchObject({ code: 1, text: expect.stringContaining(`tea, from ${source}`) });
  expect(shown.text).toContain('Programs in it: run.sh.');
  expect(shown.text).toContain("1 character in its text can't be seen");
  expect(shown.text).toContain('Nothing was changed. Add --yes to do it.');
  expect(fs.readdirSync(path.join(home, 'skills'))).toEqual([]);
  expect(await viber('add', source, '--yes')).toMatchObject({
    code: 0,
    text: expect.stringContaining('Ready to use: tea.'),
  });
  expect((await viber()).text).toMatch(/^tea {2}user {2}can be read, its programs can run$/m);
  expect((await viber('update')).text).toContain('Nothing new for tea.');
  folderOf({ 'SKILL.md': skillText('tea', '', 'Second.') }, source);
  const update = await viber('update', 'tea');
  expect(update.text).toMatch(/Changed: SKILL\.md\.[\s\S]*\n\+Second\./);
  expect(update.code).toBe(1);
  const done = JSON.parse((await viber('update', '--yes', '--json')).text);
  expect(done).toMatchObject({ done: true, skills: [{ about: { name: 'tea' }, update: { edited: [] } }] });
  expect(fs.readFileSync(path.join(home, 'skills/tea/SKILL.md'), 'utf8')).toContain('Second.');
  expect((await viber('remove', 'tea')).code).toBe(1);
  expect(await viber('remove', 'tea', '--yes')).toMatchObject({
    code: 0,
    text: expect.stringContaining('Removed: tea.'),
  });
  expect((await viber('remove', 'tea', '--yes')).text).toContain('There is no skill tea');
  expect((await viber('add', 'ext::sh -c id')).text).toContain('over https only');
});

test.skipIf(!hasPython)('on a terminal it asks, and takes only a yes for one', async () => {
  const source = folderOf({ 'SKILL.md': skillText('tea') });
  const env = { HOME: home, OPENVIBER_HOME: home };
  const open = () => openTerminal([process.execPath, PROGRAM, 'skills', 'add', source], { env, columns: 100 });
  const first = open();
  await first.sees('Add? (y/N)', 20_000);
  await first.press(KEYS.enter);
  expect(await first.ended()).toBe(1);
  expect(fs.readdirSync(path.join(home, 'skills'))).toEqual([]);
  const second = open();
  await second.sees('Add? (y/N)', 20_000);
  await second.press('y', KEYS.enter);
  await second.sees('Ready to use: tea.', 20_000);
  expect(await second.ended()).toBe(0);
  expect(fs.readdirSync(path.join(home, 'skills'))).toEqual(['tea']);
});

test('several in one source are named, and one is chosen by name', async () => {
  const source = folderOf({ 'a/SKILL.md': skillText('tea'), 'b/SKILL.md': skillText('coffee') });
  const shown = await viber('add', source);
  expect(shown.text).toMatch(/There are 2 skills[\s\S]*coffee {2}Does coffee[\s\S]*\.\/viber skills add .* NAME/);
  expect((await viber('add', source, 'coffee', '--yes')).code).toBe(0);
  expect((await viber('add', source, 'all', '--yes')).text).toContain('Ready to use: tea.');
  expect(fs.readdirSync(path.join(home, 'skills')).sort()).toEqual(['coffee', 'tea']);
});

test('a gateway that runs has it a moment later', async () => {
  const world = await openWorld();
  home = world.home;
  world.llm.script(({ messages }) => ({
    text: JSON.stringify(messages).includes('Does tea for people') ? 'tea!' : 'no tea',
  }));
  expect((await world.ask('tea?')).text).toContain('no tea');
  expect((await viber('add', folderOf({ 'SKILL.md': skillText('tea') }), '--yes')).code).toBe(0);
  await eventually(async () => expect((await world.ask('tea?')).text).toContain('tea!'));
});
