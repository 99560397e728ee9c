/**
 * Parses tool calls that models write as text, in the forms of their chat templates: JSON between marks, a name before
 * JSON, elements with parameters, alternating keys and values, or Python. A text is parsed only if it consists entirely
 * of calls and marks. Pure.
 */

import { Cursor, readJson, readPairs, readValue, type Values } from '../../runtime/reply/call-values.ts';
import type { Json } from '../../workspace/types.ts';

export interface WrittenCall {
  name: string;
  input: Values;
  /** Arguments that are known only as text. The tool decides what they mean. */
  bare: ReadonlySet<string>;
  /** The position of the call: [from, to). */
  from: number;
  to: number;
}

type FoundCall = { name: string; input: Values; bare?: ReadonlySet<string> };

// `<|...|>` and `<｜...｜>` are single tokens of a model; `<x:tool_call>` and similar are elements around calls.
const MARK = String.raw`<\/?[\w:-]*(?:tool_?calls?|function_?calls?|TOOLCALLS?)>|<\/?(?:｜DSML｜(?:function|tool)_calls)>|<\|?tool_call\|?>|<\|\/?[\w./-]{1,60}\|>|<｜[^｜<>\n]{1,60}｜>|\[\/?(?:TOOL_CALLS?|TOOL_REQUEST|END_TOOL_REQUEST|TOOL_CALLS_END|ARGS)\]|<\/?(?:s|tools?|end_of_turn|seed:eos|eos)>`;
const NOISE = new RegExp(String.raw`(?:\s|function<｜tool▁sep｜>|${MARK}|[;,]|functools(?=\[)|\x60{3}(?:\w+)?)+`, 'y');
const PREFIX = '(?:｜DSML｜|[a-z]+:)?';
const NAME = String.raw`[A-Za-z_][\w.-]{0,127}`;
const ELEMENT = new RegExp(
  String.raw`<${PREFIX}(?:invoke|function|call)(?:\s+(?:name|tool))?\s*=\s*["']?(${NAME})["']?[^<>\n]{0,100}>`,
  'y',
);
const ELEMENT_END = new RegExp(String.raw`\s*<\/${PREFIX}(?:invoke|function|call)>`, 'y');
const PARAMETER = new RegExp(
  String.raw`\s*<${PREFIX}(?:parameter|argument)(?:\s+(?:name|key))?\s*=\s*["']?([^"'<>\s]{1,128})["']?([^<>\n]{0,100})>`,
  'y',
);
const PARAMETER_END = new RegExp(String.raw`<\/${PREFIX}(?:parameter|argument)>`, 'g');
const NAMED = new RegExp(
  String.raw`(?:call:)?(${NAME})(?::\d{1,6})?(?:\[CALL_ID\]\w{1,64})?(?:\s|${MARK}|\x60{3}json)*(?=\{)`,
  'y',
);
const NAME_ALONE = new RegExp(String.raw`(${NAME})\s*(?=<arg_key>|<\/tool_call>)`, 'y');
const ARGUMENT = /\s*<arg_key>([^<>]{1,128})<\/arg_key>\s*<arg_value>/y;
const PYTHON = new RegExp(String.raw`(print\()?(${NAME})\(`, 'y');
const PYTHON_END = /\s*\)/y;
const LIST = /\[\s*(?=[A-Za-z_])/y;
const LIST_END = /\s*,?\s*\]/y;
const MAX_CALLS = 100;

/** Returns the calls of which a text consists; undefined if it contains anything else, or no call. */
export function readCalls(text: string): WrittenCall[] | undefined {
  const cursor = new Cursor(text);
  const calls: WrittenCall[] = [];
  for (;;) {
    cursor.take(NOISE);
    if (cursor.isAtEnd) return calls.length > 0 ? calls : undefined;
    const from = cursor.at;
    const found = readOne(cursor);
    if (!found || found.length === 0 || calls.length + found.length > MAX_CALLS) return undefined;
    for (const call of found) calls.push({ bare: new Set(), ...call, from, to: cursor.at });
  }
}

function readOne(cursor: Cursor): FoundCall[] | undefined {
  const { at } = cursor;
  for (const read of [readElement, readKeys, readNamed, readObjects, readPython]) {
    const found = read(cursor);
    if (found) return found;
    cursor.at = at;
  }
  return undefined;
}

/** Reads `<invoke name="x"><parameter name="a">1</parameter></invoke>`, or `<function=x>` with parameters or JSON. */
function readElement(cursor: Cursor): FoundCall[] | undefined {
  const name = cursor.take(ELEMENT)?.[1];
  if (name === undefined) return undefined;
  const input: Values = {};
  const bare = new Set<string>();
  for (let found = cursor.take(PARAMETER); found; found = cursor.take(PARAMETER)) {
    const [, key = '', more = ''] = found;
    PARAMETER_END.lastIndex = cursor.at;
    const end = PARAMETER_END.exec(cursor.text);
    if (!end || key === '__proto__') return undefined;
    input[key] = inner(cursor.text.slice(cursor.at, end.index));
    if (!/\b(?:string="true"|type="string")/.test(more)) bare.add(key);
    cursor.at = end.index + end[0].length;
  }
  if (bare.size === 0 && Object.keys(input).length === 0) {
    cursor.take(/\s*/y);
    const given = cursor.text[cursor.at] === '{' ? readJson(cursor) : {};
    if (!isValues(given)) return undefined;
    Object.assign(input, given);
  }
  return cursor.take(ELEMENT_END) ? [{ name, input, bare }] : undefined;
}

/** Reads `name<arg_key>a</arg_key><arg_value>1</arg_value>`, or a name alone between its marks. */
function readKeys(cursor: Cursor): FoundCall[] | undefined {
  const name = cursor.take(NAME_ALONE)?.[1];
  if (name === undefined) return undefined;
  const input: Values = {};
  for (let found = cursor.take(ARGUMENT); found; found = cursor.take(ARGUMENT)) {
    const [, key = ''] = found;
    const value = cursor.upTo('</arg_value>');
    if (value === undefined || key === '__proto__') return undefined;
    input[key.trim()] = inner(value);
  }
  return [{ name, input, bare: new Set(Object.keys(input)) }];
}

/** Reads `name{"a": 1}`, also with marks between the two. */
function readNamed(cursor: Cursor): FoundCall[] | undefined {
  const name = cursor.take(NAMED)?.[1];
  if (name === undefined) return undefined;
  const input = readValue(cursor);
  return isValues(input) ? [{ name, input }] : undefined;
}

function readObjects(cursor: Cursor): FoundCall[] | undefined {
  if (!/[[{]/.test(cursor.text[cursor.at] ?? '')) return undefined;
  return fromJson(readValue(cursor));
}

/** Reads `[a(x=1), b()]` or `print(default_api.a(x=1))`. */
function readPython(cursor: Cursor): FoundCall[] | undefined {
  const isList = cursor.take(LIST) !== undefined;
  const calls: FoundCall[] = [];
  for (;;) {
    const found = cursor.take(PYTHON);
    if (!found) return undefined;
    const [, isPrinted, name = ''] = found;
    const input = readPairs(cursor, '=', ')');
    if (!input || (isPrinted && !cursor.take(PYTHON_END))) return undefined;
    calls.push({ name: name.replace(/\.call$/, ''), input });
    if (!isList || cursor.take(LIST_END)) return calls;
    if (!cursor.take(/\s*,\s*/y)) return undefined;
  }
}

/** Reads calls as JSON: one, a list, or either in an object named after them. */
function fromJson(value: Json | undefined): FoundCall[] | undefined {
  if (Array.isArray(value)) {
    const found = value.map(fromJson);
    return found.length > 0 && found.every((one) => one !== undefined) ? found.flat() : undefined;
  }
  if (!isValues(value)) return undefined;
  const within = value.tool_calls ?? value.tool_call ?? value.function_call;
  if (within !== undefined && within !== null) return fromJson(within);
  const call = isValues(value.function) ? value.function : value;
  const name = call.name ?? call.tool_name ?? call.tool ?? call.function ?? call.action;
  let given = call.arguments ?? call.parameters ?? call.args ?? call.input ?? call.action_input ?? call.params;
  if (typeof name !== 'string' || name === '' || name.length > 128) return undefined;
  // Some models write the arguments as a JSON string, as real calls have them.
  if (typeof given === 'string') given = given.trim() === '' ? {} : readValue(new Cursor(given));
  if (given === null) given = {};
  return isValues(given) ? [{ name, input: given }] : undefined;
}

/** Removes the line breaks that templates put around a value. */
const inner = (value: string): string => value.replace(/^\r?\n/, '').replace(/\r?\n[ \t]*$/, '');

export const isValues = (value: Json | undefined): value is Values =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
