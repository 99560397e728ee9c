/** Sentences for people stand in the catalogue: what is handed to a reply or put on a button is no text of its own file. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '..', '..');

/** A reply, a notice or a label that begins with a word, written where it is given. */
const WRITTEN =
  /\b(?:text|label):\s*(?:'[A-Za-z](?!\w+\.\w+')[^'\n]*'|`[A-Za-z][^`\n]*`)|\bnew UserError\(\s*['`][A-Z][^\n]*\/[a-z]/g;

/** What the model is told, and no person. */
const FOR_MODEL: readonly string[] = ['src/runtime/context/context.ts', 'src/runtime/tools/mcp/schema.ts'];

/** The names of the platforms themselves, which no language translates. */
const NAMES: readonly string[] = ['telegram', 'discord', 'slack'].map((name) => `src/channels/${name}/index.ts`);

/** Still to be moved; a file that has nothing left is taken off. */
const LEFT: readonly string[] = [];

const files = globSync('src/{app,channels,features,runtime}/**/*.ts', { cwd: root });
const strays = files.filter((file) => readFileSync(join(root, file), 'utf8').match(WRITTEN) !== null);

test('no reply and no button has words of its own', () => {
  expect(strays.filter((file) => ![...LEFT, ...FOR_MODEL, ...NAMES].includes(file))).toEqual([]);
});

/** A refusal of these is told to whoever asked in a chat; those left out are told to models, or on the command line. */
const REFUSING = globSync(
  'src/{access/{links,link-records},features/jobs/{files,service,new-job},workspace/memory/edit,app/gateway}.ts',
  {
    cwd: root,
  },
);

test('no refusal that a chat is told has words of its own', () => {
  const wrong = REFUSING.filter((file) => /\bnew UserError\(\s*['"`]/.test(readFileSync(join(root, file), 'utf8')));
  expect(REFUSING.length).toBe(7);
  expect(wrong).toEqual([]);
});

test('what is still to be moved is there', () => {
  expect(LEFT.filter((file) => !strays.includes(file))).toEqual([]);
});
