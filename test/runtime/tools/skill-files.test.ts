/** What scripts and bundles may leave in folders, as hostile as file systems allow. */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { versionOf } from '../../../src/features/skills/tools/version.ts';
import { keepWritten, snapshotOf } from '../../../src/features/skills/tools/written-files.ts';
import type { ToolScope } from '../../../src/runtime/contract/tool-scope.ts';
import { parseSkill } from '../../../src/skills/skill.ts';
import { openHome } from '../../../src/workspace/home.ts';
import { tempFolder } from '../../helpers/temp.ts';

const NO_TEXT = Buffer.from([0x61, 0xff, 0xfe, 0x62]);
const inside = (folder: string, name: Buffer) => Buffer.concat([Buffer.from(`${folder}/`), name]);

test('pipes, links, holes, odd names and thousands of files: what can be kept is, and the next call can start', async () => {
  const home = await openHome(tempFolder());
  const taskId = '20260101-aaaaa';
  const folder = path.join(home.taskDir(taskId), 'work');
  fs.mkdirSync(folder, { recursive: true });
  const work = { path: folder, isTasks: true, files: home.taskDir(taskId) };
  const scope = {
    ...{ home, viber: 'default', taskId, runId: 'r' },
    onArtifact: () => undefined,
  } as unknown as ToolScope;
  const before = await snapshotOf(work);
  execFileSync('mkfifo', [path.join(folder, 'a-pipe')]);
  fs.closeSync(fs.openSync(path.join(folder, 'a-hole'), 'w'));
  fs.truncateSync(path.join(folder, 'a-hole'), 2 ** 40);
  fs.symlinkSync('/etc/passwd', path.join(folder, 'a-link'));
  fs.writeFileSync(inside(folder, NO_TEXT), 'x');
  fs.mkdirSync(inside(folder, Buffer.concat([NO_TEXT, NO_TEXT])));
  for (const name of ['a-\nline', 'constructor', '__proto__']) fs.writeFileSync(path.join(folder, name), name);
  for (let file = 0; file < 1_100; file++) fs.writeFileSync(path.join(folder, `z${file}`), '');
  const kept = await keepWritten(scope, work, before);
  expect(kept.files.map(({ name }) => name).sort()).toEqual(['__proto__', 'a-\nline', 'constructor']);
  expect(kept.left).toContain('a-hole');
  expect(kept.left.join()).not.toMatch(/a-pipe|a-link/);
  expect((await keepWritten(scope, work, await snapshotOf(work))).files).toEqual([]);
});

test('a consent holds for all files of a bundle, those whose names are no text too, or for none', () => {
  const folder = tempFolder();
  const file = path.join(folder, 'SKILL.md');
  const skill = parseSkill('---\nname: a\ndescription: d\n---\n```sh\ntrue\n```\n', {
    file,
    level: 'user',
    reserved: new Set(),
  });
  fs.writeFileSync(inside(folder, NO_TEXT), 'harmless');
  const agreed = versionOf(skill, []);
  fs.writeFileSync(inside(folder, NO_TEXT), 'something else');
  expect(versionOf(skill, [])).not.toBe(agreed);
  const many = path.join(folder, 'many');
  fs.mkdirSync(many);
  for (let name = 0; name <= 20_000; name++) fs.linkSync(fileIn(folder), path.join(many, `${name}`));
  expect(() => versionOf(skill, [])).toThrow(/more than 20000 files/);
});

function fileIn(folder: string): string {
  const file = path.join(folder, 'one');
  if (!fs.existsSync(file)) fs.writeFileSync(file, '');
  return file;
}
