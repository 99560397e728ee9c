/** The structure of the source in figures: what `architecture.test.ts` lets fall and never rise. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { text as textFrom } from 'node:stream/consumers';
import { parseAst } from 'rolldown/parseAst';

export interface Figures {
  functionsAbove80: number;
  biggestBag: number;
  bagsAbove14: number;
  groupingSpreads: number;
  picks: number;
  filesNamingAPlatform: number;
  filesNamingATool: number;
  /** Of a hundred. */
  commentsWithoutSubject: number;
  /** Types whose whole name is a participle, such as `Found`. */
  participleTypes: number;
  /** Names that functions of several files have, and the number of files of the most frequent one. */
  sharedFunctionNames: number;
  filesSharingAFunctionName: number;
}

interface Node {
  type: string;
  start: number;
  end: number;
  [key: string]: unknown;
}

interface Bag {
  own: number;
  /** A name, or how many members are picked of one. */
  from: (string | number)[];
}

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';

const BAG = /(Services|Context|Options|Uses|Deps|Gateway|Scope|State)$/;
const FUNCTION = /^(FunctionDeclaration|FunctionExpression|ArrowFunctionExpression)$/;
const HEADLESS = /^(What|Who|Whoever|Whom|Where|Of|By|That|With|In|On|For|To|At)$/;
const PARTICIPLE =
  /^([A-Z][a-z]*[^e]ed|(Un|Re)?(Found|Held|[Ss]aid|Told|[Ss]een|Kept|[Ss]ent|[Rr]ead|Made|Given|Taken|[Kk]nown|Shown|[Ww]ritten|[Hh]eard|Spoken|Bound|[Bb]uilt|Lost|Left|Put|Set|Met|[Dd]one|Begun|Drawn|Chosen|Broken|Brought|Caught|Cut|Felt|Got|Gone|Hidden|Laid|Led|Let|Paid|Sold|Spent|Swept|Thought|Forgotten|Fed|Hit|Meant|Thrown|Woken))$/;
const TYPE = /^(TSInterfaceDeclaration|TSTypeAliasDeclaration|ClassDeclaration)$/;
const BAG_MEMBERS = 14;
const FUNCTION_LINES = 80;

function nodesOf(name: string, source: string): Node[] {
  const found: Node[] = [];
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) for (const each of value) visit(each);
    if (!isNode(value)) return;
    found.push(value);
    for (const [key, child] of Object.entries(value)) if (key !== 'parent') visit(child);
  };
  visit(parseAst(source, { lang: name.endsWith('x') ? 'tsx' : 'ts' }, name));
  return found;
}

/** The value at a path of keys through the tree. */
const at = (value: unknown, ...keys: string[]): unknown =>
  keys.reduce<unknown>(
    (from, key) => (typeof from === 'object' && from ? Object.entries(from) : []).find(([own]) => own === key)?.[1],
    value,
  );
const listAt = (value: unknown, ...keys: string[]): unknown[] => {
  const found = at(value, ...keys);
  return Array.isArray(found) ? found : [];
};

function bagOf(node: Node): Bag {
  const from = listAt(node, 'extends').map((base) => {
    const name = String(at(base, 'expression', 'name'));
    return name === 'Pick' ? listAt(base, 'typeArguments', 'params', '1', 'types').length || 1 : name;
  });
  return { own: listAt(node, 'body', 'body').length, from };
}

function membersOf(name: string, bags: ReadonlyMap<string, Bag>, above: readonly string[] = []): number {
  const bag = above.includes(name) ? undefined : bags.get(name);
  if (!bag) return 0;
  const inherited = bag.from.map((from) => (typeof from === 'number' ? from : membersOf(from, bags, [...above, name])));
  return inherited.reduce((sum, count) => sum + count, bag.own);
}

const lengthOf = (node: Node, source: string): number => source.slice(node.start, node.end).split('\n').length;

/** The name of the tool that a call of `defineTool` defines. */
function toolNames(node: Node): string[] {
  if (node.type !== 'CallExpression' || at(node, 'callee', 'name') !== 'defineTool') return [];
  const name = listAt(node, 'arguments', '0', 'properties').find((property) => at(property, 'key', 'name') === 'name');
  const value = at(name, 'value', 'value');
  return typeof value === 'string' ? [value] : [];
}

/** The names of the functions at the top of a file. Each command of `viber` exports `run`; these don't count. */
function functionNames(file: string, source: string): Set<string> {
  const names = listAt(nodesOf(file, source)[0], 'body').flatMap((statement) => {
    const own = at(statement, 'declaration') ?? statement;
    const isFunction = (variable: unknown) => FUNCTION.test(String(at(variable, 'init', 'type')));
    const declared = at(own, 'type') === 'FunctionDeclaration' ? [own] : listAt(own, 'declarations').filter(isFunction);
    return declared.map((one) => String(at(one, 'id', 'name')));
  });
  return new Set(names.filter((name) => name !== 'run' || !/(^|\/)cli\//.test(file)));
}

/** How many files define a function, by its name. */
function filesByFunction(sources: ReadonlyMap<string, string>): Map<string, number> {
  const counts = new Map<string, number>();
  for (const [file, source] of sources) {
    for (const name of functionNames(file, source)) counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return counts;
}

/** The figures of sources by their paths below `src/`. */
export function figuresOf(sources: ReadonlyMap<string, string>): Figures {
  const bags = new Map<string, Bag>();
  const tools = new Set<string>();
  let functionsAbove80 = 0;
  let participleTypes = 0;
  for (const [name, source] of sources) {
    for (const node of nodesOf(name, source)) {
      if (node.type === 'TSInterfaceDeclaration') bags.set(String(at(node, 'id', 'name')), bagOf(node));
      if (FUNCTION.test(node.type) && lengthOf(node, source) > FUNCTION_LINES) functionsAbove80++;
      if (TYPE.test(node.type) && PARTICIPLE.test(String(at(node, 'id', 'name')))) participleTypes++;
      for (const tool of toolNames(node)) tools.add(tool);
    }
  }
  const all = [...sources.values()];
  const count = (pattern: RegExp) => all.reduce((sum, source) => sum + [...source.matchAll(pattern)].length, 0);
  const members = [...bags.keys()].filter((name) => BAG.test(name)).map((name) => membersOf(name, bags));
  const firstWords = all.flatMap((source) =>
    [...source.matchAll(/^\s*(?:\/\*\*|\/\/)\s+([A-Za-z]+)/gm)].map(([, word = '']) => word),
  );
  const bare = (source: string) => source.replace(/\/\*[\s\S]*?\*\/|(?<!:)\/\/[^\n]*/g, '');
  const outside = [...sources].filter(([name]) => !/^(channels\/(telegram|discord|slack)|messages)\//.test(name));
  const naming = [...tools].map((name) => {
    const pattern = new RegExp(`['"\`]${name}['"\`]|\\b${name}\\b(?=:)`);
    return all.filter((source) => pattern.test(source)).length;
  });
  const sharing = [...filesByFunction(sources).values()];
  return {
    functionsAbove80,
    biggestBag: Math.max(0, ...members),
    bagsAbove14: members.filter((size) => size > BAG_MEMBERS).length,
    groupingSpreads: count(/\.\.\.\{/g),
    picks: count(/\bPick</g),
    filesNamingAPlatform: outside.filter(([, source]) => /telegram|discord|slack/i.test(bare(source))).length,
    filesNamingATool: Math.max(0, ...naming),
    commentsWithoutSubject: Math.round(
      (100 * firstWords.filter((word) => HEADLESS.test(word)).length) / Math.max(1, firstWords.length),
    ),
    participleTypes,
    sharedFunctionNames: sharing.filter((count) => count > 1).length,
    filesSharingAFunctionName: Math.max(0, ...sharing),
  };
}

/** How many files and functions of the source one plain message enters, as `npm run path` counts them. */
export async function pathOfHello(): Promise<{ files: number; functions: number }> {
  const script = join(import.meta.dirname, '..', 'bench', 'path.ts');
  const child = spawn(process.execPath, [script], { stdio: ['ignore', 'pipe', 'inherit'] });
  const printed = await textFrom(child.stdout);
  const [, files, functions] = /(\d+) files of src\/ and (\d+) functions/.exec(printed) ?? [];
  if (files === undefined) throw new Error(`the path could not be measured: ${printed.slice(-500)}`);
  return { files: Number(files), functions: Number(functions) };
}
