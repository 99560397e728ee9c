/** What is read of the source of a catalogue: its objects and texts, with their places in the file. */
import { parseAst } from 'rolldown/parseAst';

export interface Node {
  type: string;
  start: number;
  end: number;
  [key: string]: unknown;
}

export const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';
export const nodeOf = (node: Node, key: string): Node | undefined => {
  const value = node[key];
  return isNode(value) ? value : undefined;
};
export const nodesOf = (node: Node, key: string): Node[] => {
  const value = node[key];
  return Array.isArray(value) ? value.filter(isNode) : [];
};

const parsed = new Map<string, Node>();

/** Reads a source; the latest ones are kept, since a file is asked about text by text. */
export function parse(text: string): Node {
  const known = parsed.get(text);
  if (known) return known;
  const program = parseAst(text, { lang: 'ts' }) as unknown as Node;
  if (parsed.size > 300) parsed.clear();
  parsed.set(text, program);
  return program;
}

/** A value without `as const`, a type, and the call that checks a translation: `translate(english)({…})`. */
export function bare(node: Node | undefined): Node | undefined {
  if (node?.type === 'TSAsExpression' || node?.type === 'TSSatisfiesExpression')
    return bare(nodeOf(node, 'expression'));
  if (node?.type === 'CallExpression') {
    const [object] = nodesOf(node, 'arguments');
    return object?.type === 'ObjectExpression' ? object : node;
  }
  return node;
}

/** The constants of a file, exported or not, by name; `{ name: alias }` of an export isn't used in catalogues. */
export function constantsOf(program: Node): Map<string, Node> {
  const found = new Map<string, Node>();
  for (const statement of nodesOf(program, 'body')) {
    const declaration = statement.type === 'ExportNamedDeclaration' ? nodeOf(statement, 'declaration') : statement;
    if (declaration?.type !== 'VariableDeclaration') continue;
    for (const one of nodesOf(declaration, 'declarations')) {
      const name = nodeOf(one, 'id')?.name;
      const value = bare(nodeOf(one, 'init'));
      if (typeof name === 'string' && value) found.set(name, value);
    }
  }
  return found;
}

/** The file and name of everything that a file imports, by its name there. */
export function importsOf(program: Node): Map<string, { from: string; name: string }> {
  const found = new Map<string, { from: string; name: string }>();
  for (const statement of nodesOf(program, 'body')) {
    if (statement.type !== 'ImportDeclaration') continue;
    const from = String(nodeOf(statement, 'source')?.value);
    for (const one of nodesOf(statement, 'specifiers')) {
      const local = nodeOf(one, 'local')?.name;
      const name = nodeOf(one, 'imported')?.name ?? local;
      if (typeof local === 'string') found.set(local, { from, name: String(name) });
    }
  }
  return found;
}

export const keyOf = (property: Node): string => {
  const key = nodeOf(property, 'key');
  return String(key?.type === 'Identifier' ? key.name : key?.value);
};

/** The members of an object or a list, in their order. */
export function membersOf(node: Node): [key: string, value: Node][] {
  if (node.type === 'ArrayExpression')
    return nodesOf(node, 'elements').map((element, at): [string, Node] => [String(at), element]);
  return nodesOf(node, 'properties').flatMap((property): [string, Node][] => {
    const value = bare(nodeOf(property, 'value'));
    return property.type === 'Property' && value ? [[keyOf(property), value]] : [];
  });
}

export const isGroup = ({ type }: Node): boolean => type === 'ObjectExpression' || type === 'ArrayExpression';
