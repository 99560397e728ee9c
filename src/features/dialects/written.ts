/**
 * Converts an answer in which a model wrote tool calls as text to the answer it meant. A complete call of an offered
 * tool counts as a real call and passes the same checks. Invariants: text from a person, a file or a tool never becomes
 * a call. If the intent is unclear, nothing runs, and the model is told once.
 */
import { randomUUID } from 'node:crypto';
import type { CallOptions, GenerateResult, MeantAnswer, Prompt } from '../../runtime/contract/model.ts';
import { Cursor, readValue, type Values } from '../../runtime/reply/call-values.ts';
import { squeeze, textsIn } from '../../runtime/reply/told.ts';
import { updatePlan } from '../../runtime/tools/update-plan.ts';
import type { Json } from '../../workspace/types.ts';
import type { WrittenCall } from './call-forms.ts';
import { findCalls, type WrittenAnswer } from './find-calls.ts';

type Tools = NonNullable<CallOptions['tools']>;

const UNCLEAR =
  'Nothing has run: you wrote this call as text. If you mean it, call the tool itself, not in words. If it was for the person to read, answer again without it or in a code block with words after it.';
/** The prefix that some models put before a name, because they learned calls in a namespace. */
const NAMESPACE = /^(?:functions?|default_api|tools?|api)[.:]/;

/** @param mayTell false if the model was already told in this run that such calls don't count */
export function takeWritten(answer: GenerateResult, call: CallOptions, mayTell: boolean): MeantAnswer {
  const given = writtenText(answer);
  if (given === '' || answer.content.some((part) => part.type === 'tool-call')) return { answer };
  const found = findCalls(given);
  const plain = found.reasoning === '' ? answer : withText(answer, found.said, found.reasoning);
  const tools = call.tools ?? [];
  if (found.kind === 'none' || tools.length === 0) return { answer: plain };
  const unified = answer.finishReason.unified;
  // If the answer is truncated, its calls may be incomplete.
  if (unified === 'length' || unified === 'content-filter')
    return found.kind === 'broken' && toolAtStart(found.source, tools) === undefined
      ? { answer: plain }
      : { answer: withText(answer, found.text, found.reasoning) };
  const calls = found.calls.map((one) => ({ ...one, name: offered(one.name, tools) ?? one.name }));
  const areOffered = calls.length > 0 && calls.every(({ name }) => offered(name, tools) !== undefined);
  // A plan in a fence is a block of the answer and is handled with the other blocks.
  if (found.isFenced && calls.every(({ name }) => name === updatePlan.name)) return { answer: plain };
  if (isQuoted(found, call.prompt)) return { answer: plain };
  if (areOffered && (found.kind === 'marked' || found.kind === 'whole'))
    return { answer: withCalls(answer, found, calls, tools) };
  if (!mayTell) return { answer: plain };
  if (found.kind === 'broken') {
    const name = toolAtStart(found.source, tools);
    if (name === undefined) return { answer: plain };
    const broken: WrittenCall = { name, input: {}, bare: new Set(), from: 0, to: 0 };
    return { answer: withCalls(answer, found, [broken], tools), isTold: true, refusal: UNCLEAR };
  }
  if (areOffered) return { answer: withCalls(answer, found, calls, tools), isTold: true, refusal: UNCLEAR };
  // Run the calls, so that the model learns that the tool doesn't exist.
  return found.kind === 'marked' ? { answer: withCalls(answer, found, calls, tools), isTold: true } : { answer: plain };
}

const writtenText = ({ content }: GenerateResult): string =>
  content.map((part) => (part.type === 'text' ? part.text : '')).join('');

function withText(answer: GenerateResult, text: string, reasoning: string): GenerateResult {
  const others = answer.content.filter((part) => part.type !== 'text');
  return {
    ...answer,
    content: [
      ...(reasoning === '' ? [] : [{ type: 'reasoning' as const, text: reasoning }]),
      ...others,
      ...(text === '' ? [] : [{ type: 'text' as const, text }]),
    ],
  };
}

function withCalls(answer: GenerateResult, found: WrittenAnswer, calls: WrittenCall[], tools: Tools): GenerateResult {
  const plain = withText(answer, found.text, found.reasoning);
  const parts = calls.map((call) => ({
    type: 'tool-call' as const,
    toolCallId: `written_${randomUUID().slice(0, 13)}`,
    toolName: call.name.slice(0, 64),
    input: JSON.stringify(inputOf(call, tools)),
  }));
  const finishReason = { unified: 'tool-calls' as const, raw: answer.finishReason.raw };
  return { ...plain, content: [...plain.content, ...parts], finishReason };
}

/** Returns the offered tool to which a name refers. Models change some characters in names from MCP servers. */
function offered(name: string, tools: Tools): string | undefined {
  const plain = name.replace(NAMESPACE, '');
  const alike = (one: string) => one.replace(/[^A-Za-z0-9]/g, '_').toLowerCase();
  const named =
    tools.find((tool) => tool.name === name || tool.name === plain) ??
    tools.find((tool) => alike(tool.name) === alike(plain));
  return named?.name;
}

/** Returns the offered tool named at the beginning of a broken call. */
function toolAtStart(source: string, tools: Tools): string | undefined {
  const words = new Set(source.slice(0, 300).match(/[\w-]+/g));
  return tools.find(({ name }) => words.has(name))?.name;
}

/** Interprets unquoted values: as text if the tool takes text, otherwise as the value that they spell. */
function inputOf({ name, input, bare }: WrittenCall, tools: Tools): Values {
  if (bare.size === 0) return input;
  const tool = tools.find((one) => one.name === name);
  const properties = tool?.type === 'function' ? (tool.inputSchema.properties ?? {}) : {};
  return Object.fromEntries(
    Object.entries(input).map(([key, value]): [string, Json] => {
      const isText = typeof value !== 'string' || !bare.has(key) || takesText(properties[key]);
      return [key, isText ? value : (wholeValue(value) ?? value)];
    }),
  );
}

function takesText(schema: unknown, depth = 0): boolean {
  if (typeof schema !== 'object' || schema === null || depth > 5) return true;
  const { type, anyOf, oneOf, enum: values } = schema as Readonly<Record<string, unknown>>;
  if (Array.isArray(values)) return values.every((value) => typeof value === 'string');
  const any = anyOf ?? oneOf;
  if (Array.isArray(any)) return any.some((one) => takesText(one, depth + 1));
  return type === undefined || type === 'string' || (Array.isArray(type) && type.includes('string'));
}

function wholeValue(text: string): Json | undefined {
  const cursor = new Cursor(text.trim());
  const value = readValue(cursor);
  return cursor.isAtEnd ? value : undefined;
}

/** Returns whether others wrote the same text, which the model then only repeats. */
function isQuoted({ calls, source }: WrittenAnswer, prompt: Prompt): boolean {
  const pieces = calls.length > 0 ? calls.map(({ from, to }) => source.slice(from, to)) : [source];
  const sought = pieces.map(squeeze).filter((piece) => piece !== '');
  const given = prompt.flatMap((message) =>
    message.role === 'user' || message.role === 'tool' ? textsIn(message.content) : [],
  );
  return given.some((text) => {
    const words = squeeze(text);
    return sought.some((piece) => words.includes(piece));
  });
}
