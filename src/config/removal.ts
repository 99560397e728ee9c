/**
 * Removes a setting from a YAML text by its lines, so that the comments of other settings stay. Those that go are the
 * ones right above its key, on its lines, and inside its section.
 */
import { isDeepStrictEqual } from 'node:util';
import type { Document, Node, Pair } from 'yaml';

type Yaml = typeof import('yaml');

/** What editors read on the first line belongs to the file. */
const OF_FILE = /^#\s*yaml-language-server:/;

/** Returns undefined if the lines hold anything else, or what is left isn't `expected`. */
export function withoutLines(
  yaml: Yaml,
  text: string,
  path: readonly unknown[],
  expected: unknown,
): string | undefined {
  const document = yaml.parseDocument(text);
  const above = path.length === 1 ? document.contents : document.getIn(path.slice(0, -1), true);
  if (!yaml.isMap(above) || above.flow) return undefined;
  const isLast = above.items.length < 2;
  if (isLast && path.length > 1) return undefined;
  const pair = above.items.find(({ key }) => yaml.isScalar(key) && key.value === path.at(-1));
  if (!pair || !yaml.isScalar(pair.key) || !pair.key.range) return undefined;
  const start = pair.key.range[0];
  const column = start - (text.lastIndexOf('\n', start - 1) + 1);
  // The first key of an item of a list stands behind its dash.
  if (text.slice(start - column, start).trim() !== '') return undefined;
  const lines = text.split('\n');
  const lineAt = (offset: number) => text.slice(0, offset).split('\n').length - 1;
  const isComment = (line = '') => line.trimStart().startsWith('#');
  const depth = (line: string) => line.length - line.trimStart().length;
  let first = lineAt(start);
  let last = Math.max(first, lineAt(endOf(yaml, pair, start) - 1));
  const isAbove = (line = '') => isComment(line) && depth(line) === column && !OF_FILE.test(line.trim());
  while (first > 0 && isAbove(lines[first - 1])) first--;
  const rest = lines.slice(last + 1);
  const next = rest.findIndex((line) => line.trim() !== '' && !(isComment(line) && depth(line) > column));
  const inside = rest.slice(0, next < 0 ? rest.length : next).findLastIndex((line) => line.trim() !== '');
  last += inside + 1;
  const [before, after] = [lines[first - 1] ?? '', lines[last + 1] ?? ''];
  // One of two groups of lines leaves one empty line.
  if (before.trim() === '' && after.trim() === '' && last + 2 < lines.length) last++;
  const left = [...lines.slice(0, first), ...lines.slice(last + 1)].join('\n');
  const read = yaml.parseDocument(left);
  if (read.errors.length > 0) return undefined;
  // Comments alone are a file without settings.
  if (isLast) return read.contents === null && left.includes('#') ? left : undefined;
  return !lacksAnchor(yaml, read) && isDeepStrictEqual(read.toJS(), expected) ? left : undefined;
}

/** Returns whether an alias names what was on the removed lines. */
function lacksAnchor(yaml: Yaml, document: Document): boolean {
  let lacks = false;
  yaml.visit(document, {
    Alias: (_key, alias) => {
      lacks ||= alias.resolve(document) === undefined;
    },
  });
  return lacks;
}

/** The end of the last word: a section's own end is behind the comments below it. */
function endOf(yaml: Yaml, pair: Pair, start: number): number {
  let end = start + 1;
  const take = (_key: unknown, { range }: Node) => {
    end = Math.max(end, range?.[1] ?? 0);
  };
  const isFlow = (node: { flow?: boolean }) => node.flow === true;
  if (!yaml.isNode(pair.value)) return end;
  yaml.visit(pair.value, {
    Scalar: take,
    Alias: take,
    Collection: (key, node) => (isFlow(node) ? take(key, node) : undefined),
  });
  return end;
}
