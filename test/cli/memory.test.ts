/** `viber memory`: search and index from the shell, over a home a gateway may be using. */

import fs from 'node:fs';
import path from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { run } from '../../src/features/memory/cli/run.ts';
import { openHome } from '../../src/workspace/home.ts';
import { printed } from '../helpers/cli.ts';
import { tempFolder } from '../helpers/temp.ts';

let home: string;
beforeEach(async () => {
  home = tempFolder();
  const dir = (await openHome(home)).viberDir('default');
  fs.writeFileSync(path.join(dir, 'MEMORY.md'), '# Memory\n\n## Preferences\n- Prefers green tea\n');
  fs.writeFileSync(path.join(dir, 'memory/pin.secret.md'), '## PIN\n- tea 1234\n');
});

async function viber(args: string[], json = false, id?: string): Promise<string> {
  const { code, text } = await printed(run, home, { args, json, values: id === undefined ? {} : { viber: id } });
  expect(code).toBe(0);
  return text;
}

test('search prints file, line and heading, and JSON for programs', async () => {
  expect(await viber(['search', 'green', 'tea'])).toBe(
    'MEMORY.md:3  Preferences\n  ## Preferences\n  - Prefers green tea\n',
  );
  expect(JSON.parse(await viber(['search', 'tea'], true))).toEqual({
    results: [
      {
        ...{ content: '## Preferences\n- Prefers green tea', source_file: 'MEMORY.md' },
        ...{ metadata: { section: 'Preferences', line: 3 }, score: expect.any(Number) },
      },
    ],
  });
  expect(await viber(['search', 'nothing-like-it'])).toBe('Nothing in memory matches.');
});

test('index makes the index anew and counts', async () => {
  expect(JSON.parse(await viber(['index'], true))).toEqual({ files: 1, chunks: 1, embedded: 0 });
  expect(fs.existsSync(path.join(home, 'workspace/memory.sqlite'))).toBe(true);
  expect(await viber(['index'])).toBe(
    "Indexed one file in one piece.\nSearches read the files and don't use the index, because memory.index is off. Set it to auto or on.",
  );
  fs.writeFileSync(path.join(home, 'config.yaml'), 'memory: { index: on }\n');
  expect(await viber(['index'])).toBe('Indexed one file in one piece.');
});

test('another viber is asked by its name, and only one there is', async () => {
  const dir = (await openHome(home)).viberDir('dev');
  fs.mkdirSync(dir, { recursive: true });
  fs.writeFileSync(path.join(dir, 'MEMORY.md'), '## Dev\n- Prefers black tea\n');
  expect(await viber(['search', 'tea'], false, 'dev')).toBe('MEMORY.md:1  Dev\n  ## Dev\n  - Prefers black tea\n');
  expect(await viber(['search', 'black', 'tea'])).toContain('green');
  expect(JSON.parse(await viber(['index'], true, 'dev'))).toEqual({ files: 1, chunks: 1, embedded: 0 });
  for (const id of ['nobody', '../workspace', '', '__proto__'])
    await expect(viber(['search', 'tea'], false, id)).rejects.toThrow(/There is no viber/);
});
