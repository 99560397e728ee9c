/** Sentences for people stand in the catalogue: what is handed to a reply or put on a button is no text of its own file. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAst } from 'rolldown/parseAst';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '..', '..');

/** A reply, a notice or a label that begins with a word, written where it is given. */
const WRITTEN =
  /\b(?:text|label):\s*(?:'[A-Za-z](?!\w+\.\w+')[^'\n]*'|`[A-Za-z][^`\n]*`)|\bnew UserError\(\s*['`][A-Z][^\n]*\/[a-z]/g;

/** What the model is told, and no person. */
const FOR_MODEL: readonly string[] = [
  'src/runtime/context/context.ts',
  'src/features/mcp/schema.ts',
  'src/runtime/model/check.ts',
];

/** The names of the platforms and model providers themselves, which no language translates. */
const NAMES: readonly string[] = [
  ...['telegram', 'discord', 'slack'].map((name) => `src/channels/${name}/index.ts`),
  'src/runtime/model/setup.ts',
];

/** Still to be moved; a file that has nothing left is taken off. */
const LEFT: readonly string[] = [];

const files = globSync('src/{app,channels,features,runtime}/**/*.ts', { cwd: root });
/** A file without its comments, whose examples may say anything. */
const codeOf = (file: string) => readFileSync(join(root, file), 'utf8').replace(/\/\*\*[\s\S]*?\*\//g, '');
const strays = files.filter((file) => codeOf(file).match(WRITTEN) !== null);

test('no reply and no button has words of its own', () => {
  expect(strays.filter((file) => ![...LEFT, ...FOR_MODEL, ...NAMES].includes(file))).toEqual([]);
});

/** A refusal of these is told to whoever asked in a chat; those left out are told to models, or on the command line. */
const REFUSING = globSync(
  'src/{access/people,features/jobs/{files,service,new-job},features/memory/store/edit,app/gateway}.ts',
  {
    cwd: root,
  },
);

test('no refusal that a chat is told has words of its own', () => {
  const wrong = REFUSING.filter((file) => /\bnew UserError\(\s*['"`]/.test(readFileSync(join(root, file), 'utf8')));
  expect(REFUSING.length).toBe(6);
  expect(wrong).toEqual([]);
});

test('what is still to be moved is there', () => {
  expect(LEFT.filter((file) => !strays.includes(file))).toEqual([]);
});

interface Node {
  type: string;
  [key: string]: unknown;
}
const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';

/** Attributes that people read or hear. */
const READ = /^(title|label|aria-label|placeholder|alt|hint|intro)$/;
/** Names of programs, commands and files, which are the same in every language. */
const SAME = /^(viber|board|\/board|config\.yaml|[^A-Za-z]*)$/;

/** Returns the texts of a component that are written where they are shown: between tags, in attributes, as sentences. */
function writtenIn(file: string): string[] {
  const found: string[] = [];
  const walk = (node: Node, parent?: Node): void => {
    const { value, name, quasis } = node as Node & { name?: Node; quasis?: { value: { raw: string } }[] };
    if (node.type === 'JSXText') found.push(String(value).trim());
    if (node.type === 'Literal' && typeof value === 'string' && parent?.type !== 'ImportDeclaration') {
      const isRead = parent?.type === 'JSXAttribute' && READ.test(String((parent.name as Node | undefined)?.name));
      if (isRead || (parent?.type !== 'JSXAttribute' && /^[A-Z]?[a-z]+,? [a-z]+[ .]/.test(value))) found.push(value);
    }
    if (node.type === 'TemplateLiteral' && quasis?.some(({ value: { raw } }) => /[a-z]{2,} [a-z]{2,} [a-z]/.test(raw)))
      found.push(quasis.map(({ value: { raw } }) => raw).join('…'));
    if (name !== undefined && node.type === 'JSXAttribute' && String(name.name) === 'class') return;
    for (const part of Object.values(node).flat()) if (isNode(part)) walk(part, node);
  };
  walk(parseAst(readFileSync(join(root, file), 'utf8'), { lang: 'tsx' }) as unknown as Node);
  return found.filter((text) => !SAME.test(text));
}

test('no page of the Board has words of its own', () => {
  const pages = globSync('src/board/ui/**/*.tsx', { cwd: root });
  expect(pages.length).toBeGreaterThan(25);
  expect(pages.flatMap((file) => writtenIn(file).map((text) => `${file}: ${text}`))).toEqual([]);
});
