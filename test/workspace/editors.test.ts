/** Files that people write, saved as their editors save them and synchronised as their programs do: taken once, whole, and nothing else is taken for one. */

import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { checkWritten } from '../../src/cli/doctor/written.ts';
import { listPlaybooks } from '../../src/features/agents/playbook/library.ts';
import { addToMemory, readMemory } from '../../src/features/memory/store/memory.ts';
import { listMemoryFiles, readMemoryFile } from '../../src/features/memory/store/memory-files.ts';
import { shareLocks } from '../../src/lib/locks.ts';
import { messagesIn } from '../../src/messages/messages.ts';
import { isSkillFile } from '../../src/skills/library.ts';
import type { Home } from '../../src/workspace/home.ts';
import { listVibers } from '../../src/workspace/home.ts';
import { hearChanges } from '../../src/workspace/tasks/changes.ts';
import { currentTask } from '../../src/workspace/tasks/current.ts';
import { openTask } from '../../src/workspace/tasks/index.ts';
import { newHome } from './home-helper.ts';

const { said } = messagesIn('en');

const TASK = '20260101-aaaaa';
const plan = (goal: string, ...steps: string[]) =>
  `# Current Task\n\n## Goal\n${goal}\n\n## Plan\n${steps.map((step) => `- [ ] ${step}\n`).join('')}\n## Context\nDark.\n`;
const NEW = plan('Go there', 'one', 'two');
type Step = () => void;
/** Each step of a save of `text` to the file. */
type Save = (file: string, text: string) => Step[];

const { writeFileSync: put, renameSync: move, rmSync: drop } = fs;
const beside = (file: string, before: string, after = '') =>
  path.join(path.dirname(file), before + path.basename(file) + after);
const inPlace: Save = (file, text) => [() => fs.truncateSync(file, 0), () => put(file, text)];
const over =
  (temp: (file: string) => string): Save =>
  (file, text) => [() => put(temp(file), ''), () => put(temp(file), text), () => move(temp(file), file)];

// biome-ignore format: a row is a line
const EDITORS: [string, Save][] = [
  ['VS Code, nano', inPlace],
  [
    'vim',
    (file, text) => [
      () => put(beside(file, '.', '.swp'), 'swap'),
      () => put(path.join(path.dirname(file), '4913'), ''),
      () => drop(path.join(path.dirname(file), '4913')),
      () => move(file, `${file}~`),
      () => put(file, ''),
      () => put(file, text),
      () => drop(`${file}~`),
      () => drop(beside(file, '.', '.swp')),
    ],
  ],
  ['vim with backupcopy', (file, text) => [() => fs.copyFileSync(file, `${file}~`), ...inPlace(file, text), () => drop(`${file}~`)]],
  [
    'emacs',
    (file, text) => [
      () => fs.symlinkSync('alex@host.4711:1700000000', beside(file, '.#')),
      () => put(beside(file, '#', '#'), text.slice(0, 40)),
      () => move(file, `${file}~`),
      () => put(file, text),
      () => drop(beside(file, '#', '#')),
      () => drop(beside(file, '.#')),
    ],
  ],
  [
    'JetBrains',
    (file, text) => [() => put(`${file}___jb_tmp___`, text), () => move(file, `${file}___jb_old___`), () => move(`${file}___jb_tmp___`, file), () => drop(`${file}___jb_old___`)],
  ],
  ['gedit', over((file) => path.join(path.dirname(file), '.goutputstream-A1B2C3'))],
  ['Kate', over((file) => `${file}.Xy12Zq`)],
  ['TextEdit', over((file) => `${file}.sb-1a2b3c4d-AbCdEf`)],
  ['Syncthing', over((file) => beside(file, '.syncthing.', '.tmp'))],
  ['Notepad', (file, text) => inPlace(file, `\uFEFF${text.replaceAll('\n', '\r\n')}`)],
  ['Notepad in UTF-16', (file, text) => [() => fs.truncateSync(file, 0), () => put(file, Buffer.from(`\uFEFF${text}`, 'utf16le'))]],
];

const goalOf = async (home: Home) => (await openTask(home, TASK).plan.read())?.plan.goal;

describe.each(EDITORS)('%s', (_name, save) => {
  it.each(['through the link', 'in the folder of the task'])(
    'saves the plan %s: it is there at every moment, and taken once',
    async (where) => {
      const home = await newHome();
      await openTask(home, TASK).plan.write(plan('Go', 'one'));
      openTask(home, TASK, 'default').show();
      const own = path.join(home.taskDir(TASK), 'task.md');
      for (const step of save(
        where === 'through the link' ? path.join(home.viberDir('default'), 'task.md') : own,
        NEW,
      )) {
        step();
        expect(['Go', 'Go there']).toContain(await goalOf(home));
      }
      expect(await openTask(home, TASK).plan.read()).toMatchObject({
        plan: { goal: 'Go there', steps: [{ title: 'one' }, { title: 'two' }] },
      });
      expect(currentTask(home, 'default')).toBe(TASK);
      expect(fs.lstatSync(path.join(home.viberDir('default'), 'task.md')).isSymbolicLink()).toBe(true);
      expect(fs.readdirSync(home.viberDir('default')).filter((name) => /^task-/.test(name))).toEqual([]);
      expect(fs.readdirSync(home.taskDir(TASK)).filter((name) => /^plan-/.test(name))).toEqual([]);
    },
  );
});

it('a file in the place of the link is taken by one of several processes, while none of them writes the plan', async () => {
  const home = await newHome();
  await openTask(home, TASK).plan.write(plan('Go', 'one'));
  await openTask(home, TASK, 'default').show();
  const [link, own] = [path.join(home.viberDir('default'), 'task.md'), path.join(home.taskDir(TASK), 'task.md')];
  drop(link);
  put(link, NEW);
  const [asked, given] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const locks: string[] = [];
  // Another process holds the lock of the plan.
  const unshare = shareLocks(home.root, async (name, work) => {
    locks.push(name);
    if (name.includes(TASK)) {
      asked.resolve();
      await given.promise;
    }
    return work();
  });
  onTestFinished(unshare);
  const read = openTask(home, TASK).plan.read();
  await asked.promise;
  expect([fs.lstatSync(link).isSymbolicLink(), fs.readFileSync(own, 'utf8')]).toEqual([false, plan('Go', 'one')]);
  expect(locks).toEqual([link, own].map((file) => `file ${path.relative(home.root, file)}`));
  given.resolve();
  expect((await read)?.plan.goal).toBe('Go there');
  expect(fs.lstatSync(link).isSymbolicLink()).toBe(true);
});

it.each([
  ['emptied', (file: string) => fs.truncateSync(file, 0)],
  ['put aside', (file: string) => move(file, `${file}~`)],
])('the agent does not write into a save: the file is %s', async (_what, begin) => {
  const home = await newHome();
  const before = await openTask(home, TASK).plan.write(plan('Go', 'one'));
  openTask(home, TASK, 'default').show();
  const own = path.join(home.taskDir(TASK), 'task.md');
  begin(own);
  setTimeout(() => put(own, NEW), 60);
  const wanted = { goal: 'Go', steps: [{ id: '1', title: 'one', status: 'done' as const }] };
  const result = await openTask(home, TASK).plan.write(wanted, { baseHash: before.written ? before.hash : '' });
  expect(result).toMatchObject({ written: false, current: NEW });
  expect(fs.readFileSync(own, 'utf8')).toBe(NEW);
});

it.each([
  ['emptied', (file: string) => fs.truncateSync(file, 0)],
  ['put aside', (file: string) => move(file, `${file}~`)],
])('a save that begins while the agent writes keeps every step: the file is %s', async (_what, begin) => {
  const home = await newHome();
  const told: unknown[] = [];
  onTestFinished(hearChanges(home, (change) => void (change.kind === 'edit' && told.push(change))));
  const before = await openTask(home, TASK).plan.write(plan('Go', 'one', 'two', 'three'));
  openTask(home, TASK, 'default').show();
  await openTask(home, TASK).plan.read();
  const own = path.join(home.taskDir(TASK), 'task.md');
  const saved = fs.readFileSync(own, 'utf8').replace('[ ] two', '[x] two');
  let hasBegun = false;
  const wanted = {
    goal: 'Go',
    // Asked for when the agent's text is made, right before it is written.
    get steps() {
      if (!hasBegun) {
        begin(own);
        setTimeout(() => put(own, saved), 60);
      }
      hasBegun = true;
      const three = { id: '3', title: 'three', status: 'done' as const };
      return [...['one', 'two'].map((title) => ({ id: title, title, status: 'pending' as const })), three];
    },
  };
  const result = await openTask(home, TASK).plan.write(wanted, { baseHash: before.written ? before.hash : '' });
  expect(result).toMatchObject({ written: false, current: saved });
  expect((await openTask(home, TASK).plan.read())?.text).toBe(saved);
  // An editor that is still open saves again from its own text, which has all steps.
  put(own, saved.replace('[ ] one', '[x] one'));
  expect((await openTask(home, TASK).plan.read())?.text).toBe(saved.replace('[ ] one', '[x] one'));
  expect(told).toEqual([]);
});

it.each([
  ['emptied', (file: string) => fs.truncateSync(file, 0), (file: string, text: string) => put(file, text)],
  ['put aside by vim', (file: string) => move(file, `${file}~`), (file: string, text: string) => put(file, text)],
  [
    'put aside by JetBrains',
    (file: string) => move(file, `${file}___jb_old___`),
    (file: string, text: string) => {
      put(`${file}___jb_tmp___`, text);
      move(`${file}___jb_tmp___`, file);
    },
  ],
])('what is remembered during a save stands in what was saved: the file is %s', async (_what, begin, end) => {
  const home = await newHome();
  const file = path.join(home.viberDir('default'), 'MEMORY.md');
  put(file, '# Memory\n\n## Facts\n- one\n');
  fs.utimesSync(file, 1, 1);
  begin(file);
  setTimeout(() => end(file, '# Memory\n\n## Facts\n- one\n- by hand\n'), 90);
  await addToMemory(home, 'default', { text: 'from a chat', section: 'Facts', provenance: 'person:alex' });
  expect(fs.readFileSync(file, 'utf8')).toBe('# Memory\n\n## Facts\n- one\n- by hand\n- from a chat\n');
});

it('what is remembered is there while an editor saves it', async () => {
  const home = await newHome();
  const file = path.join(home.viberDir('default'), 'MEMORY.md');
  put(file, '- one\n');
  expect(await readMemory(home, 'default')).toBe('- one\n');
  fs.truncateSync(file, 0);
  setTimeout(() => put(file, '- two\n'), 40);
  expect(await readMemory(home, 'default')).toBe('- two\n');
});

it('a plan that somebody deletes is gone', async () => {
  const home = await newHome();
  await openTask(home, TASK).plan.write(plan('Go', 'one'));
  openTask(home, TASK, 'default').show();
  fs.rmSync(path.join(home.taskDir(TASK), 'task.md'));
  await expect.poll(() => openTask(home, TASK).plan.read(), { interval: 100 }).toBeUndefined();
});

const COPIES = [
  ...[
    '.sync-conflict-20261123-101010-ABCDEFG',
    ' (conflicted copy 2026-11-23)',
    " (Alex's conflicted copy 2026-11-23)",
  ],
  ...[' (conflicted copy 2026-11-23 101010)', ' (SFConflict alex@example.org 2026-11-23-10-10-10)', '.Conflict'],
];
// biome-ignore format: a list is filled
const LEFT = [
  '.#NAME', '#NAME#', '.NAME.swp', 'NAME~', '._NAME', '.DS_Store', '.syncthing.NAME.tmp', 'NAME.orig', 'NAME.rej',
  '4913',
];
const namesFor = (stem: string, end: string) => [
  ...COPIES.map((copy) => `${stem}${copy}${end}`),
  ...LEFT.map((name) => name.replace('NAME', `${stem}${end}`)),
];

function fill(folder: string, stem: string, end: string, text: string): void {
  fs.mkdirSync(folder, { recursive: true });
  for (const name of [`${stem}${end}`, ...namesFor(stem, end)]) put(path.join(folder, name), text);
}

describe('what editors and synchronisation leave', () => {
  it('is no memory', async () => {
    const home = await newHome();
    const folder = path.join(home.viberDir('default'), 'memory');
    fill(folder, '2026-11-23', '.md', '- A note\n');
    for (const hidden of ['.obsidian', '.trash', '.stversions'])
      fill(path.join(folder, hidden), 'old', '.md', '- Old\n');
    put(path.join(folder, 'wide.md'), Buffer.from('\uFEFF- Weiß\r\n', 'utf16le'));
    const { files } = await listMemoryFiles(home, 'default', () => false);
    const sources = files.map(({ source }) => source).filter((source) => source !== 'MEMORY.md');
    expect(sources.sort()).toEqual(['2026-11-23.md', 'wide.md']);
    const wide = files.find(({ source }) => source === 'wide.md');
    expect(wide && readMemoryFile(wide)).toBe('- Weiß\n');
  });

  it('is no playbook, and takes the place of none', async () => {
    const home = await newHome();
    fill(home.playbooks, 'release', '.md', 'no playbook');
    put(
      path.join(home.playbooks, 'release.md'),
      '# Playbook: Release\n\n## Goal\nShip it.\n\n## Steps\n1. [Coder] Build.\n',
    );
    fs.rmSync(path.join(home.playbooks, '.#release.md'));
    fs.symlinkSync('alex@host.1:2', path.join(home.playbooks, '.#release.md'));
    expect(listPlaybooks(home).map(({ name }) => name)).toEqual(['release', 'release-feature']);
    expect(listPlaybooks(home)[0]).toHaveProperty('playbook');
  });

  it.each([
    ['tides/SKILL.md', true],
    ['tides.skill.md', true],
    ...COPIES.map((copy): [string, boolean] => [`tides${copy}/SKILL.md`, false]),
    ...COPIES.map((copy): [string, boolean] => [`tides.skill${copy}.md`, false]),
    ...COPIES.map((copy): [string, boolean] => [`tides/SKILL${copy}.md`, false]),
    ['._tides.skill.md', false],
  ])('a skill: %s: %s', (name, is) => {
    expect(isSkillFile(name)).toBe(is);
  });

  it('is no viber', async () => {
    const home = await newHome();
    fill(home.agents, 'writer', '.yaml', 'model: a/b\n');
    for (const copy of COPIES) fs.mkdirSync(path.join(home.root, 'vibers', `writer${copy}`));
    expect(listVibers(home)).toEqual(['default', 'writer']);
  });

  it('is told by the doctor where somebody may have meant it', async () => {
    const home = await newHome();
    expect(checkWritten(home.root)).toEqual([]);
    const at = (...names: string[]) => path.join(home.viberDir('default'), ...names);
    for (const name of LEFT) put(at(name.replace('NAME', 'MEMORY.md')), '- x\n');
    expect(checkWritten(home.root)).toEqual([]);
    put(at('MEMORY.sync-conflict-20261123-101010-ABCDEFG.md'), '- x\n');
    put(at('IDENTITY.md'), '# I\n<<<<<<< HEAD\nKind.\n=======\nBrief.\n>>>>>>> theirs\n');
    put(path.join(home.root, 'config (conflicted copy 2026-11-23).yaml'), '');
    await openTask(home, TASK).plan.write(plan('Go', 'one'));
    openTask(home, TASK, 'default').show();
    put(at('task.md'), '## Goal\nGo\n\n## Plan\n<<<<<<< HEAD\n- [x] one\n=======\n- [ ] two\n>>>>>>> theirs\n');
    expect(checkWritten(home.root).map(({ state, detail }) => `${state}: ${said(detail)}`)).toEqual([
      "note: config (conflicted copy 2026-11-23).yaml is a conflict copy of config.yaml: it was changed in two places, and this copy isn't read. Move what you want into config.yaml and delete it",
      'note: workspace/IDENTITY.md line 2: an unresolved merge, whose two versions are both read; keep one and delete the lines that separate them',
      "note: workspace/MEMORY.sync-conflict-20261123-101010-ABCDEFG.md is a conflict copy of MEMORY.md: it was changed in two places, and this copy isn't read. Move what you want into MEMORY.md and delete it",
      'note: workspace/task.md line 5: an unresolved merge, whose two versions are both read; keep one and delete the lines that separate them',
    ]);
  });
});
