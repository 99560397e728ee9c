/**
 * Texts of a catalogue as ICU messages and back. The gateway's are ICU already; the Board's are texts and functions, and a
 * function becomes the message that says the same: `` (n) => `${n} of 3` `` is `{n} of 3`.
 */
import { IntlMessageFormat } from 'intl-messageformat';
import { type Node, nodeOf, nodesOf } from './ast.ts';

type Ast = ReturnType<IntlMessageFormat['getAst']>;
type Element = Ast[number];
const [LITERAL, ARGUMENT, NUMBER, SELECT, PLURAL, POUND] = [0, 1, 2, 5, 6, 7];
/** A choice by an empty text: ICU has no empty key. */
const EMPTY = 'empty';

export const icuOf = (text: string, language: string): Ast =>
  new IntlMessageFormat(text, language, undefined, { ignoreTag: true }).getAst();

/** Whether `one` is 1 and nothing else, and there are no others: then `n === 1` says it. */
export function countsLikeEnglish(language: string): boolean {
  const rules = new Intl.PluralRules(language);
  return Array.from({ length: 201 }, (_, n) => rules.select(n) === (n === 1 ? 'one' : 'other')).every(Boolean);
}

/** Returns the text of a value: of a string as it is, of a function as ICU; undefined if it can't be said so. */
export function textOf(value: Node): string | undefined {
  if (value.type === 'ArrowFunctionExpression') {
    const body = nodeOf(value, 'body');
    return body && saidBy(body);
  }
  const plain = plainOf(value);
  return plain;
}

function plainOf(value: Node): string | undefined {
  if (value.type === 'Literal' && typeof value.value === 'string') return value.value;
  if (value.type !== 'TemplateLiteral' || nodesOf(value, 'expressions').length > 0) return undefined;
  return cookedOf(value)[0];
}

function cookedOf(template: Node): string[] {
  const quasis = template.quasis as { value: { cooked: string } }[];
  return quasis.map(({ value }) => value.cooked);
}

const nameOf = (node: Node | undefined): string | undefined =>
  node?.type === 'Identifier' ? String(node.name) : undefined;

/** Returns what an expression of a function says; undefined for code that no message says. Within a plural, `#` is its number. */
function saidBy(node: Node, counted?: string): string | undefined {
  const plain = plainOf(node);
  // Braces would be arguments.
  if (plain !== undefined) return /[{}#]/.test(plain) ? undefined : plain;
  if (node.type === 'Identifier') return `{${node.name}}`;
  if (node.type === 'TemplateLiteral') {
    const parts = nodesOf(node, 'expressions').map((part) => saidBy(part, counted));
    const around = cookedOf(node);
    if (parts.includes(undefined) || around.some((text) => /[{}#]/.test(text))) return undefined;
    return around.map((text, at) => text + (parts[at] ?? '')).join('');
  }
  if (node.type === 'CallExpression') return saidByCall(node, counted);
  if (node.type === 'ConditionalExpression') return saidByChoice(node, counted);
  return undefined;
}

function saidByCall(node: Node, counted: string | undefined): string | undefined {
  const callee = nodeOf(node, 'callee');
  const [first, second, third] = nodesOf(node, 'arguments');
  if (callee?.type === 'MemberExpression' && nodeOf(callee, 'property')?.name === 'toLocaleString') {
    const name = nameOf(nodeOf(callee, 'object'));
    if (name === undefined) return undefined;
    return name === counted ? '#' : `{${name}, number}`;
  }
  const name = nameOf(first);
  if (callee?.name === 'count' && name) {
    const [one, more] = [second && plainOf(second), third && plainOf(third)];
    if (one !== undefined && more !== undefined) return `{${name}, plural, one {# ${one}} other {# ${more}}}`;
  }
  if (callee?.name === 'choose' && name && second) {
    const forms = nodesOf(second, 'properties').map((property) => {
      const said = saidBy(nodeOf(property, 'value') ?? property, name);
      return said === undefined ? undefined : `${nodeOf(property, 'key')?.name} {${said}}`;
    });
    return forms.includes(undefined) ? undefined : `{${name}, plural, ${forms.join(' ')}}`;
  }
  return undefined;
}

function saidByChoice(node: Node, counted: string | undefined): string | undefined {
  const branches: string[] = [];
  let name: string | undefined;
  let isCount = false;
  let rest: Node | undefined = node;
  while (rest?.type === 'ConditionalExpression') {
    const test = nodeOf(rest, 'test');
    const asked = test?.operator === '===' ? nameOf(nodeOf(test, 'left')) : undefined;
    const wanted = test && nodeOf(test, 'right');
    if (!asked || wanted?.type !== 'Literal' || (name !== undefined && asked !== name)) return undefined;
    if (typeof wanted.value !== 'string' && wanted.value !== 1) return undefined;
    name = asked;
    isCount = wanted.value === 1;
    const said = saidBy(nodeOf(rest, 'consequent') ?? rest, isCount ? name : counted);
    if (said === undefined) return undefined;
    branches.push(`${isCount ? 'one' : String(wanted.value) || EMPTY} {${said}}`);
    rest = nodeOf(rest, 'alternate');
  }
  const other = rest && saidBy(rest, isCount ? name : counted);
  if (other === undefined || (isCount && branches.length > 1)) return undefined;
  return `{${name}, ${isCount ? 'plural' : 'select'}, ${branches.join(' ')} other {${other}}}`;
}

/** Writes a text as a string of the source. */
export const literal = (text: string): string =>
  text.includes("'") && !text.includes('"')
    ? JSON.stringify(text)
    : `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;

const inTemplate = (text: string): string => text.replace(/[\\`]|\$(?=\{)/g, '\\$&');

/** Writes a message as a function with these parameters. */
export function functionOf(text: string, parameters: readonly string[], language: string): string {
  return `(${parameters.join(', ')}) => ${expressionOf(icuOf(text, language), language)}`;
}

function expressionOf(elements: readonly Element[], language: string, counted?: string): string {
  const [only] = elements;
  if (elements.length === 0) return "''";
  if (only && elements.length === 1) {
    if (only.type === LITERAL) return literal('value' in only ? String(only.value) : '');
    return sourceOf(only, language, counted);
  }
  const parts = elements.map((element) =>
    element.type === LITERAL && 'value' in element
      ? inTemplate(String(element.value))
      : `\${${sourceOf(element, language, counted)}}`,
  );
  return `\`${parts.join('')}\``;
}

function sourceOf(element: Element, language: string, counted: string | undefined): string {
  const name = 'value' in element ? String(element.value) : String(counted);
  if (element.type === ARGUMENT) return name;
  if (element.type === NUMBER || element.type === POUND) return `${name}.toLocaleString('${language}')`;
  if (!('options' in element)) throw new Error(`the Board doesn't format {${name}} in this way`);
  const options = Object.entries(element.options).map(([key, { value }]): [string, readonly Element[]] => [key, value]);
  if (element.type === SELECT) return choiceOf(name, options, language, counted);
  if (element.type !== PLURAL || options.some(([key]) => key.startsWith('=')))
    throw new Error('the Board counts with one, few, many and other alone');
  return countOf(name, options, language);
}

type Options = readonly (readonly [key: string, value: readonly Element[]])[];

function choiceOf(name: string, options: Options, language: string, counted: string | undefined): string {
  const said = (key: string) => expressionOf(options.find(([each]) => each === key)?.[1] ?? [], language, counted);
  const keys = options.map(([key]) => key).filter((key) => key !== 'other');
  return `(${keys.map((key) => `${name} === '${key === EMPTY ? '' : key}' ? ${said(key)} : `).join('')}${said('other')})`;
}

/** `# word`, the form of a noun that the helper of the catalogues counts. */
function nounOf(elements: readonly Element[] | undefined): string | undefined {
  const [pound, rest, ...more] = elements ?? [];
  if (pound?.type !== POUND || rest?.type !== LITERAL || more.length > 0 || !('value' in rest)) return undefined;
  return /^ (.+)$/s.exec(String(rest.value))?.[1];
}

function countOf(name: string, options: Options, language: string): string {
  const forms = new Map(options);
  const [one, other] = [forms.get('one'), forms.get('other')];
  if (countsLikeEnglish(language) && forms.size === 2 && one && other) {
    const nouns = [nounOf(one), nounOf(other)];
    if (nouns.every((noun) => noun !== undefined)) return `count(${name}, ${nouns.map(literal).join(', ')})`;
    return `(${name} === 1 ? ${expressionOf(one, language, name)} : ${expressionOf(other, language, name)})`;
  }
  const said = options.map(([key, value]) => `${key}: ${expressionOf(value, language, name)}`);
  return `choose(${name}, { ${said.join(', ')} })`;
}
