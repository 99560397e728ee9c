/** Paths from a hostile model (T10, T16): a table of what must not be read, written or listed, and proof that nothing was. */

import {
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { UserError } from '../../../src/errors.ts';
import { createTools } from '../../../src/runtime/tools/index.ts';
import { type Home, openHome } from '../../../src/workspace/home.ts';
import { openTask } from '../../../src/workspace/tasks/index.ts';
import { toolScope } from '../../helpers/scope.ts';
import { tempFolder } from '../../helpers/temp.ts';

const SECRET = 'TOP-SECRET-CONTENT';
let root: string;
let home: Home;
let before: Map<string, string>;

/** Every file of the home with its content. Links are not followed (a recursive readdir would). */
function snapshot(dir = root, files = new Map<string, string>()): Map<string, string> {
  for (const entry of readdirSync(dir, { withFileTypes: true })) {
    const file = join(dir, entry.name);
    if (entry.isDirectory()) snapshot(file, files);
    else if (entry.isFile()) files.set(file, readFileSync(file, 'latin1'));
    else if (entry.isSymbolicLink()) files.set(file, `-> ${readlinkSync(file)}`);
  }
  return files;
}

beforeAll(async () => {
  const outer = tempFolder(afterAll);
  root = join(outer, 'home');
  mkdirSync(root);
  writeFileSync(join(outer, 'outside.txt'), SECRET);
  home = await openHome(root);
  writeFileSync(join(root, 'config.yaml'), SECRET);
  writeFileSync(join(root, 'jobs/job.yaml'), SECRET);
  mkdirSync(join(root, 'skills/git'), { recursive: true });
  writeFileSync(join(root, 'skills/git/SKILL.md'), SECRET);
  writeFileSync(join(root, 'agents/default.yaml'), SECRET);
  writeFileSync(join(root, 'access/links.json'), SECRET);
  mkdirSync(join(root, 'vibers/other'), { recursive: true });
  writeFileSync(join(root, 'vibers/other/MEMORY.md'), SECRET);
  await openTask(home, 'task2').artifacts.create({
    id: 'theirs',
    title: 'theirs.txt',
    type: 'text/plain',
    content: Buffer.from(SECRET),
    origin: 'user',
  });
  await openTask(home, 'task1').artifacts.create({
    id: 'mine',
    title: 'mine.txt',
    type: 'text/plain',
    content: Buffer.from('fine'),
    origin: 'user',
  });
  await openTask(home, 'task2', 'default').session.append([
    { type: 'compaction', at: 'x', text: SECRET, through: 'x' },
  ]);
  const workspace = join(root, 'workspace');
  writeFileSync(join(workspace, '.env'), SECRET);
  mkdirSync(join(workspace, '.git/hooks'), { recursive: true });
  writeFileSync(join(workspace, '.git/config'), SECRET);
  writeFileSync(join(workspace, 'bank.secret.md'), SECRET);
  mkdirSync(join(workspace, 'credentials'));
  writeFileSync(join(workspace, 'credentials/key'), SECRET);
  writeFileSync(join(workspace, 'ok.txt'), 'fine');
  symlinkSync(join(outer, 'outside.txt'), join(workspace, 'link.txt'));
  symlinkSync(outer, join(workspace, 'linkdir'));
  symlinkSync('.env', join(workspace, 'inner.txt'));
  symlinkSync('MEMORY.md', join(workspace, 'alias.md'));
  symlinkSync('../config.yaml', join(workspace, 'conf.txt'));
  symlinkSync(join(outer, 'new.txt'), join(workspace, 'dangling.txt'));
  symlinkSync('../task2', join(root, 'artifacts/task1/task2'));
  symlinkSync('../../config.yaml', join(root, 'artifacts/task1/conf.txt'));
  before = snapshot();
});

const tool = (name: string) => {
  const found = createTools(toolScope(home, { taskId: 'task1' })).find((t) => t.name === name);
  if (!found) throw new Error(name);
  const { signal } = new AbortController();
  return (given: object) => found.execute(found.input.parse(given), { signal, callId: 'c' });
};

// biome-ignore format: a list is filled
const ANYWHERE = [
  '../config.yaml', 'workspace/../config.yaml', 'workspace/../../outside.txt', 'workspace/a/../../../outside.txt',
  'artifacts/task1/../task2/theirs.txt', 'artifacts/task2/theirs.txt', 'artifacts/task2/task.md', 'artifacts',
  'artifacts/', 'artifacts/../config.yaml', 'artifacts/./task2/theirs.txt', 'artifacts//task2/theirs.txt',
  'workspace/./../jobs/job.yaml', '/etc/passwd', '//etc/passwd', '~/.ssh/id_rsa', '~root/x', 'C:\\Windows\\x', 'c:/x',
  '\\\\server\\x', '..\\config.yaml', 'workspace\\..\\x', 'file:///etc/passwd/..', '\0', 'workspace/ok.txt\0.png',
  'workspace/\u202Etxt.ko', 'workspace/\u200bx', 'a\nb', `workspace/${'x'.repeat(2000)}`,
  `workspace/${'a/'.repeat(200)}x`, 'workspace/.env', '.env', 'workspace/.git/config',
  'workspace/.git/hooks/post-commit', 'workspace/x/.ssh/y', '.incoming-aabb', 'workspace/bank.secret.md',
  'bank.secret.md', 'workspace/Bank.SECRET.md', 'workspace/credentials/key', 'workspace/Credentials/key',
  'workspace/x/credentials/y', 'workspace/link.txt', 'workspace/linkdir/outside.txt', 'workspace/inner.txt',
  'workspace/alias.md', 'workspace/conf.txt', 'workspace/dangling.txt', 'artifacts/task1/task2/theirs.txt',
  'task2/theirs.txt', 'artifacts/task1/conf.txt', 'workspace/con', 'workspace/x.', 'workspace/x /y',
  'workspace/ok.txt/x', '%2e%2e/config.yaml/..', '', ' ', '.', './', 'workspace/%00/..',
];

describe('a path a hostile model gives', () => {
  it.each([...ANYWHERE, 'link.txt', 'inner.txt', 'alias.md'])('%j is not read', async (path) => {
    const result = await tool('read_file')({ path }).catch((error: unknown) => error);
    expect(result).toBeInstanceOf(UserError);
    expect(JSON.stringify(result)).not.toContain(SECRET);
  });

  it.each([...ANYWHERE, 'workspace', 'workspace/', 'artifacts/task1'])('%j is not written', async (path) => {
    await expect(tool('write_file')({ path, content: 'pwned' })).rejects.toBeInstanceOf(UserError);
    expect(snapshot()).toEqual(before);
  });

  it.each(
    // biome-ignore format: a row is a line
    [
      ...['workspace/MEMORY.md', 'workspace/memory.md', 'workspace/Memory.MD', 'workspace/memory/2026-01-01.md', 'workspace/memory/suggestions/x.json'],
      ...['workspace/SOUL.md', 'workspace/soul.md', 'workspace/IDENTITY.md', 'workspace/USER.md', 'workspace/AGENTS.md', 'workspace/Tools.md'],
      ...['workspace/task.md', 'task.md', 'Task.md', 'artifacts/task1/task.md', 'task.json', 'artifacts/task1/task.json', 'artifacts.jsonl', 'artifacts/task1/ARTIFACTS.jsonl'],
      ...['workspace/session-log', 'workspace/memory.sqlite', 'workspace/memory.sqlite-wal'],
    ],
  )('%j is not written: it changes through other doors', async (path) => {
    await expect(tool('write_file')({ path, content: 'pwned' })).rejects.toBeInstanceOf(UserError);
    expect(snapshot()).toEqual(before);
  });

  it.each(
    // biome-ignore format: a list is filled
    [
      '..', '/', '/etc', 'workspace/..', 'workspace/linkdir', 'artifacts', 'artifacts/task2', 'workspace/.git',
      'workspace/credentials', '~', 'workspace/ok.txt',
    ],
  )('%j is not listed', async (path) => {
    await expect(tool('list_files')({ path })).rejects.toBeInstanceOf(UserError);
  });

  it("of the gateway's own folders is a name like any other: an artifact, never that file", async () => {
    for (const path of [
      'config.yaml',
      'jobs/job.yaml',
      'skills/git/SKILL.md',
      'agents/default.yaml',
      'access/links.json',
      'vibers/other/MEMORY.md',
      'spool/new/x.json',
    ]) {
      await expect(tool('read_file')({ path })).rejects.toBeInstanceOf(UserError);
      expect(await tool('write_file')({ path, content: 'mine' })).toMatchObject({
        ref: expect.stringMatching(/^artifacts\/task1\/[a-z0-9]+\.[a-z]+$/),
      });
    }
    const after = snapshot();
    for (const [file, content] of before) if (!file.endsWith('artifacts.jsonl')) expect(after.get(file)).toBe(content);
    before = after;
  });

  it('is used when it is in order', async () => {
    expect(await tool('read_file')({ path: 'workspace/ok.txt' })).toMatchObject({ text: 'fine' });
    expect(await tool('read_file')({ path: 'mine' })).toMatchObject({ text: 'fine' });
    expect(await tool('list_files')({ path: 'workspace' })).toMatchObject({
      workspace: expect.arrayContaining(['workspace/ok.txt (4 bytes)']),
    });
  });
});

describe('files on disk', () => {
  it('an artifact replaced by a link is not followed', async () => {
    rmSync(join(root, 'artifacts/task1/mine.txt'));
    symlinkSync('../../config.yaml', join(root, 'artifacts/task1/mine.txt'));
    const result = await tool('read_file')({ path: 'mine' }).catch((error: unknown) => error);
    expect(result).toBeInstanceOf(UserError);
  });

  it('are written for the owner alone', async () => {
    await tool('write_file')({ path: 'workspace/new/a.txt', content: 'x' });
    expect(statSync(join(root, 'workspace/new/a.txt')).mode & 0o777).toBe(0o600);
    expect(statSync(join(root, 'workspace/new')).mode & 0o777).toBe(0o700);
  });

  it('a second name of a file is not written through', async () => {
    linkSync(join(root, 'config.yaml'), join(root, 'workspace/hard.txt'));
    await tool('write_file')({ path: 'workspace/hard.txt', content: 'mine' });
    expect(readFileSync(join(root, 'config.yaml'), 'utf8')).toBe(SECRET);
  });
});
