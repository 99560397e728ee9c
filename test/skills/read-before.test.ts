/** What reading skills gave is kept for the next start, and counts only for what it was made of. */
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { WatchedFile } from '../../src/lib/watch-folders.ts';
import { openReader } from '../../src/skills/read-before.ts';
import { parseSkill, type SkillSource } from '../../src/skills/skill.ts';
import { folder, skillText } from './helpers.ts';

const BUILD = 'one.js';
const text = (n: number, body = `echo ${n}`) => skillText('parameters: {}', body, `skill-${n}`);
const fileOf = (root: string, n: number, content = text(n)): WatchedFile => {
  const name = `skill-${n}/SKILL.md`;
  return { path: path.join(root, name), name, text: content, size: content.length, mtimeMs: 0 };
};
const sourceOf = (file: WatchedFile, reserved: string[] = []): SkillSource => ({
  ...{ file: file.path, level: 'user', reserved: new Set(reserved) },
});

async function keep(files: WatchedFile[], keptIn: string, build = BUILD): Promise<void> {
  const reader = await openReader(files, keptIn, build);
  for (const file of files) reader.parse(file.text, sourceOf(file));
  await reader.keep();
}

test('what was read before is the same as what is read', async () => {
  const root = folder();
  const keptIn = path.join(root, 'kept.jsonl');
  const files = [1, 2, 3].map((n) => fileOf(root, n));
  await keep(files, keptIn);
  const { ino } = statSync(keptIn);
  const again = await openReader(files, keptIn, BUILD);
  for (const file of files)
    expect(again.parse(file.text, sourceOf(file))).toEqual(parseSkill(file.text, sourceOf(file)));
  expect(() => again.parse(text(1), sourceOf(files[0] as WatchedFile, ['skill_1']))).toThrow(
    'is the name of a built-in tool',
  );
  // Nothing was read anew, so nothing is written.
  await again.keep();
  expect(statSync(keptIn).ino).toBe(ino);
});

test('a changed file, another place and another build are read anew', async () => {
  const root = folder();
  const keptIn = path.join(root, 'kept.jsonl');
  const files = [1, 2].map((n) => fileOf(root, n));
  await keep(files, keptIn);
  const changed = [fileOf(root, 1), fileOf(root, 2, text(2, 'echo changed'))];
  const reader = await openReader(changed, keptIn, BUILD);
  expect(changed.map((file) => reader.parse(file.text, sourceOf(file)).script?.text)).toEqual([
    'echo 1\n',
    'echo changed\n',
  ]);
  await reader.keep();
  const kept = () => readFileSync(keptIn, 'utf8');
  expect(kept()).toContain('echo changed');
  expect(kept()).not.toContain('echo 2');
  const before = kept();
  await keep(changed, keptIn, 'two.js');
  expect(kept()).not.toBe(before);
  const moved = fileOf(folder(), 1);
  expect((await openReader([moved], keptIn, 'two.js')).parse(moved.text, sourceOf(moved)).file).toBe(moved.path);
});

test('what is damaged in any place is not believed', async () => {
  const root = folder();
  const keptIn = path.join(root, 'kept.jsonl');
  const files = [fileOf(root, 1)];
  await keep(files, keptIn);
  const whole = readFileSync(keptIn);
  for (let at = 0; at < whole.length; at += 16) {
    const damaged = Buffer.from(whole);
    damaged[at] = (damaged[at] ?? 0) ^ 1;
    writeFileSync(keptIn, at % 32 === 0 ? damaged : whole.subarray(0, at));
    const reader = await openReader(files, keptIn, BUILD);
    expect(reader.parse(text(1), sourceOf(files[0] as WatchedFile))).toEqual(
      parseSkill(text(1), sourceOf(files[0] as WatchedFile)),
    );
  }
});
