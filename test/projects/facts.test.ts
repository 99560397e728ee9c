/** What a run is told of a project whose files aren't what their names say. */
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { projectFacts } from '../../src/features/projects/facts.ts';
import { isNamedByPerson } from '../../src/features/projects/tools/use-project.ts';
import { tempFolder } from '../helpers/temp.ts';

describe('facts of a project', () => {
  test.each([
    ['a link', (file: string) => fs.symlinkSync('elsewhere', file)],
    ['a folder', (file: string) => fs.mkdirSync(file)],
    ['no text', (file: string) => fs.writeFileSync(file, Buffer.from([0, 1, 2]))],
  ])('come from the other files when a manifest is %s', async (_what, put) => {
    const folder = fs.realpathSync(tempFolder());
    put(path.join(folder, 'Makefile'));
    fs.writeFileSync(path.join(folder, 'package.json'), '{"scripts":{"test":"x"}}');
    expect(await projectFacts(folder)).toEqual({ languages: ['JavaScript'], commands: ['npm test'] });
  });

  it('have no branch from a file outside of the project', async () => {
    const [folder, outside] = [fs.realpathSync(tempFolder()), fs.realpathSync(tempFolder())];
    fs.writeFileSync(path.join(outside, 'secret'), 'ref: refs/heads/secret\n');
    fs.mkdirSync(path.join(folder, '.git'));
    fs.symlinkSync(path.join(outside, 'secret'), path.join(folder, '.git/HEAD'));
    expect(await projectFacts(folder)).toEqual({ languages: [], commands: [] });
  });
});

test.each([
  ['In the workshop, use shop.', true],
  ['shop', true],
  ['In the workshop.', false],
  ['Shop: fix it', true],
])('%j names the project shop: %s', (words, isNamed) => {
  expect(isNamedByPerson(['shop'], [words])).toBe(isNamed);
});
