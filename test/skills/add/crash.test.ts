/** A process that dies in the middle of writing, and two that write at once: a skill is there whole, as it was or as it is. */
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { Adding } from '../../../src/skills/add/add.ts';
import { recover } from '../../../src/skills/add/recover.ts';
import { runScript } from '../../../src/skills/script.ts';
import { eventually } from '../../helpers/eventually.ts';
import { IN_SANDBOX, isSandboxed } from '../../helpers/sandbox.ts';
import { tempFolder } from '../../helpers/temp.ts';
import { folderOf, skillText } from './sources.ts';

let home: string;
let adding: Adding;
beforeEach(() => {
  home = tempFolder();
  fs.mkdirSync(path.join(home, 'skills'));
  adding = new Adding({
    ...{ root: inHome(), cache: path.join(home, 'cache'), reserved: [], allowedOrigins: [], registry: '' },
  });
});

const inHome = (...names: string[]) => path.join(home, 'skills', ...names);
const plain = () => fs.readdirSync(inHome()).filter((name) => !name.startsWith('.'));
const text = (name = 'pdf') => fs.readFileSync(inHome(name, 'SKILL.md'), 'utf8');

async function offer(source: string): Promise<string> {
  const looked = await adding.look(source, ['all'], '/');
  if (looked.kind !== 'offer') throw new Error('no offer');
  return looked.id;
}

/** What it said, or the signal that ended it. */
async function takeElsewhere(id: string, crashAt = ''): Promise<string> {
  const env = { ...process.env, OPENVIBER_CRASH_AT: crashAt };
  const child = spawn(process.execPath, [path.join(import.meta.dirname, 'process.ts'), home, id], { env });
  let said = '';
  child.stdout.on('data', (piece: Buffer) => {
    said += piece;
  });
  child.stderr.on('data', (piece: Buffer) => {
    said += piece;
  });
  return new Promise((resolve) => child.on('close', (_code, signal) => resolve(signal ?? said)));
}

const source = () => folderOf({ 'SKILL.md': skillText('pdf', '', 'First.'), 'more.md': 'x' });

describe('a crash', () => {
  test('while a new skill is written leaves nothing of it, and the same yes does it afterwards', async () => {
    const id = await offer(source());
    expect(await takeElsewhere(id, 'skill-written')).toBe('SIGKILL');
    expect(plain()).toEqual([]);
    expect(fs.readdirSync(inHome())).toHaveLength(1);
    await adding.take(id, 'alex');
    expect(fs.readdirSync(inHome())).toEqual(['pdf']);
  });

  test.each([
    ['skill-written', 'First.'],
    ['skill-moved', 'First.'],
    ['skill-placed', 'Second.'],
  ])('at %s of an update leaves one of both, whole', async (point, found) => {
    const from = source();
    await adding.take(await offer(from), 'alex');
    fs.appendFileSync(inHome('pdf', 'more.md'), 'mine');
    folderOf({ 'SKILL.md': skillText('pdf', '', 'Second.') }, from);
    const { offer: found_ } = await adding.lookForUpdates([]);
    expect(await takeElsewhere(found_?.id ?? '', point)).toBe('SIGKILL');
    // As the next start does.
    recover(inHome());
    expect(text()).toContain(found);
    expect(fs.readdirSync(inHome('pdf')).sort()).toEqual(['.source.json', 'SKILL.md', 'more.md']);
    await adding.take(found_?.id ?? '', 'alex');
    expect(text()).toContain('Second.');
    const kept = fs.readdirSync(inHome('.kept'));
    expect(kept).toHaveLength(1);
    expect(fs.readFileSync(inHome('.kept', kept[0] ?? '', 'more.md'), 'utf8')).toBe('xmine');
    expect(plain()).toEqual(['pdf']);
  });

  test('between two of one offer: the rest is done by the same yes', async () => {
    const id = await offer(folderOf({ 'a/SKILL.md': skillText('a'), 'b/SKILL.md': skillText('b') }));
    expect(await takeElsewhere(id, 'skill-written:2')).toBe('SIGKILL');
    expect(plain()).toEqual(['a']);
    expect(await adding.take(id, 'alex')).toEqual(['a', 'b']);
    expect(plain()).toEqual(['a', 'b']);
  });
});

describe('at once', () => {
  test('two processes that add one name: one does it, the other is told', async () => {
    const other = folderOf({ 'SKILL.md': skillText('pdf', '', 'Other.') });
    const ids = [await offer(source()), await offer(other)];
    const said = await Promise.all(ids.map((id) => takeElsewhere(id)));
    expect(said.sort()).toEqual(['pdf', expect.stringContaining('There is a skill pdf already')]);
    expect(fs.readdirSync(inHome())).toEqual(['pdf']);
    expect(text()).toMatch(/First|Other/);
  });

  test('the same offer twice in one process is done once', async () => {
    const id = await offer(source());
    expect(await Promise.all([adding.take(id, 'alex'), adding.take(id, 'alex')])).toEqual([['pdf'], ['pdf']]);
    expect(fs.readdirSync(inHome())).toEqual(['pdf']);
  });
});

test('what was replaced goes after an hour, and what is being written is left alone', async () => {
  await adding.take(await offer(source()), 'alex');
  await adding.remove('pdf');
  const [old = ''] = fs.readdirSync(inHome());
  expect(old).toMatch(/^\.old-/);
  const alive = `.adding-${process.ppid}-000000000000`;
  fs.mkdirSync(inHome(alive));
  recover(inHome());
  expect(fs.readdirSync(inHome()).sort()).toEqual([alive, old].sort());
  recover(inHome(), Date.now() + 3_700_000);
  expect(fs.readdirSync(inHome())).toEqual([alive]);
});

test.skipIf(!isSandboxed)(
  `a script that runs while its skill is updated goes on in the files it began with ${IN_SANDBOX}`,
  async () => {
    const from = folderOf({ 'SKILL.md': skillText('pdf', '', 'First.'), 'more.md': 'first' });
    await adding.take(await offer(from), 'alex');
    folderOf({ 'more.md': 'second' }, from);
    const { offer: found } = await adding.lookForUpdates([]);
    const work = tempFolder();
    const text = 'touch began; while [ ! -e go ]; do sleep 0.05; done; cat "$SKILL_DIR/more.md"';
    const running = runScript({ script: { shell: 'sh', text }, variables: {}, cwd: work, skillFolder: inHome('pdf') });
    await eventually(() => expect(fs.existsSync(path.join(work, 'began'))).toBe(true));
    await adding.take(found?.id ?? '', 'alex');
    fs.writeFileSync(path.join(work, 'go'), '');
    expect((await running).stdout).toBe('first');
    expect(fs.readFileSync(inHome('pdf', 'more.md'), 'utf8')).toBe('second');
  },
);
