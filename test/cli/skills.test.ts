/** `viber skills`: what there is, what is missing, what does not load. */

import path from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { run } from '../../src/features/skills/cli/run.ts';
import { printed } from '../helpers/cli.ts';
import { put as putFile, tempFolder } from '../helpers/temp.ts';

let home: string;
beforeEach(() => {
  home = tempFolder();
  const put = (name: string, text: string) => putFile(home, name, text);
  const needs = 'metadata: {openviber: {requires: {bins: [no-such-program-x], env: [TEA_KEY]}}}';
  put('skills/tea/SKILL.md', `---\nname: tea\ndescription: Makes tea.\n${needs}\n---\nBoil water.\n`);
  put('skills/half/SKILL.md', '---\nname: half\n');
  put('vibers/dev/skills/mine.skill.md', '---\nname: mine\ndescription: Mine.\n---\nRead me.\n');
});

async function viber(args: string[], json = false): Promise<string> {
  const { code, text } = await printed(run, home, { args, json });
  expect(code).toBe(0);
  return text;
}

test('list has a line each, the fix below it, and broken files with the reason', async () => {
  const shown = await viber(['list']);
  expect(shown).toContain('chart  bundled  can run');
  expect(shown).toContain('summarise  bundled  can be read');
  expect(shown).toMatch(
    /^tea {2}user {2}lacks no-such-program-x, TEA_KEY\n {2}install no-such-program-x\n {2}set skills\.env\.tea\.TEA_KEY/m,
  );
  expect(shown).toMatch(/skills\/half\/SKILL\.md {2}not loaded\n {2}.*half-written/);
  expect(shown).not.toContain('mine');
  expect(await viber([])).toBe(shown);
});

test('list names the skills of another viber, and is JSON for programs', async () => {
  const { skills, problems } = JSON.parse(await viber(['list', 'dev'], true));
  const names = skills.map(({ name }: { name: string }) => name);
  expect(names).toEqual(['chart', 'git-commit', 'mine', 'summarise', 'tea', 'web-fetch']);
  expect(skills[2]).toMatchObject({ level: 'viber', kind: 'instructions', isUsable: true, fixes: [] });
  expect(problems).toEqual([{ file: path.join(home, 'skills/half/SKILL.md'), reason: expect.any(String) }]);
});

test('list knows the vibers there are', async () => {
  await expect(viber(['list', 'nobody'])).rejects.toThrow('There is no viber "nobody". There is: default, dev.');
});
