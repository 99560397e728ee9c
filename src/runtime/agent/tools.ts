/**
 * Tools as a model is offered them, and the call of one. Invariants: input is checked before anything happens; a tool that would
 * repeat a side effect is journaled before it runs; an abort ends the wait at once, whatever the tool does; the model
 * never sees our internals.
 */
import { jsonSchema, NoSuchToolError, type Tool, type ToolSet, tool } from 'ai';
import { z } from 'zod';
import { UserError } from '../../errors.ts';
import type { Logger } from '../../log.ts';
import type { Json } from '../../workspace/types.ts';
import { type WaitingCall, WaitsBelow } from '../contract/agent.ts';
import type { CallOptions } from '../contract/model.ts';
import type { RuntimeTool } from '../contract/task.ts';
import type { TurnWatch } from '../contract/watch.ts';
import { CUT_BY_LIMIT } from '../model/prompt.ts';
import { asWanted } from '../model/wanted.ts';
import { askedCall } from './shown.ts';
import type { Turns } from './turns.ts';

type ToolSpec = Extract<NonNullable<CallOptions['tools']>[number], { type: 'function' }>;
type InputSchema = ToolSpec['inputSchema'];

export interface ToolHooks {
  /** The run's own signal. */
  signal: AbortSignal;
  /** Has the calls of a step take turns. Rejects with the signal's reason. */
  inTurn: Turns;
  /** Awaited before an `external` tool runs; when it rejects the tool does not run. */
  beforeExternal(call: { callId: string; tool: string }): Promise<void>;
  /** Before anything of a tool; when it rejects the tool does not run. */
  beforeAny?(): Promise<void>;
  onStart(tool: string, input: unknown, callId: string): void;
  /** How far it is, in a few words from outside. */
  onProgress?(tool: string, note: string): void;
  onEnd(tool: string, result: Json, callId: string): void;
  /** The call waits for a person: before it runs, or for what they say to its result. Its result is not the model's yet. */
  onWait(call: WaitingCall): void;
  watch?: NonNullable<TurnWatch['tool']>;
  log: Logger;
}

// Tools are made anew for every run, their schemas are not.
const schemas = new WeakMap<object, InputSchema>();

const LENGTHS = new Set(['minLength', 'maxLength', 'minItems', 'maxItems']);

/** The bounds of every whole number tell nobody anything. */
const isAnyInteger = (value: unknown): boolean =>
  typeof value === 'number' && Math.abs(value) === Number.MAX_SAFE_INTEGER;

const isObject = (value: Json | undefined): value is { [key: string]: Json } =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A failure in words for the model, which the loop tells it as they are. */
export class ToolFailure extends Error {
  override toString(): string {
    return this.message;
  }
}

/** The tools as the loop takes them. @param run gives a call's result; what it throws is told to the model */
export function toToolSet(
  tools: readonly RuntimeTool[],
  run: (tool: RuntimeTool, input: unknown, callId: string) => Promise<Json>,
): ToolSet {
  return Object.fromEntries(tools.map((one) => [one.name, toTool(one, run)]));
}

function toTool(one: RuntimeTool, run: Parameters<typeof toToolSet>[1]): Tool {
  const schema = schemaOf(one);
  return tool<unknown, Json, Record<string, unknown>>({
    description: one.description,
    inputSchema: jsonSchema(schema, {
      validate(given) {
        const { error } = one.input.safeParse(given);
        if (error) return { success: false, error };
        const isWanted = JSON.stringify(asWanted(given as Json, schema)) === JSON.stringify(given);
        return isWanted ? { success: true, value: given } : { success: false, error: new Error('in another form') };
      },
    }),
    execute: (input, { toolCallId }) => run(one, input, toolCallId),
  });
}

function schemaOf(one: RuntimeTool): InputSchema {
  const key = isObject(one.schema) ? one.schema : one.input;
  const known = schemas.get(key);
  if (known) return known;
  const { $schema: _dialect, ...schema } =
    key === one.schema ? one.schema : z.toJSONSchema(one.input, { target: 'draft-7', io: 'input' });
  // Lengths are checked when the tool is called; each request would carry them.
  const inputSchema = JSON.parse(
    JSON.stringify(schema, (name, value: unknown) =>
      (LENGTHS.has(name) && typeof value === 'number') || isAnyInteger(value) ? undefined : value,
    ),
  ) as InputSchema;
  schemas.set(key, inputSchema);
  return inputSchema;
}

/** Why a call has not even begun, as the model is told it. @param names of the tools there are */
export function whyInvalid(
  { toolName, input, error }: { toolName: string; input: unknown; error?: unknown },
  names: readonly string[],
): string {
  if (NoSuchToolError.isInstance(error))
    return `There is no tool ${toolName}. Available tools: ${names.join(', ') || 'none'}.`;
  if (typeof input === 'string' && input.endsWith(CUT_BY_LIMIT))
    return `Nothing has run: your answer reached the limit of its length in the midst of this call of ${toolName}, so its arguments were cut off. Do the same in smaller pieces: shorter arguments, a long text in several calls or files, one call an answer.`;
  for (let cause = error; cause instanceof Error; cause = cause.cause)
    if (cause instanceof z.ZodError) return `The arguments do not fit. ${issues(cause)}`;
  return `Invalid input for ${toolName}: the arguments are no JSON.`;
}

/** Throws the signal's reason, or a ToolFailure. Gives null for a call that waits for a person. */
export function runTool(tool: RuntimeTool, given: unknown, callId: string, hooks: ToolHooks): Promise<Json> {
  return hooks.inTurn(tool.isBeside === true, () => runNow(tool, given, callId, hooks));
}

async function runNow(tool: RuntimeTool, given: unknown, callId: string, hooks: ToolHooks): Promise<Json> {
  const { signal } = hooks;
  let started = false;
  let ended: ReturnType<NonNullable<TurnWatch['tool']>> | undefined;
  let call: WaitingCall = { callId, tool: tool.name, input: null };
  try {
    const input = tool.input.safeParse(given);
    if (!input.success) throw new UserError(`The arguments do not fit. ${issues(input.error)}`);
    call = { ...call, input: toJson(input.data) };
    if (await tool.asksBefore?.(input.data, callId)) {
      hooks.onWait(await askedCall(tool, input.data, callId));
      return null;
    }
    await hooks.beforeAny?.();
    const begin = beginning(tool, callId, hooks);
    if (!tool.beginsLate) await begin();
    signal.throwIfAborted();
    hooks.onStart(tool.name, input.data, callId);
    started = true;
    ended = hooks.watch?.(tool.name, callId);
    const onProgress = (note: string) => hooks.onProgress?.(tool.name, note);
    const result = await raceAbort(tool.execute(input.data, { signal, callId, onProgress, begin }), signal);
    ended?.();
    hooks.onEnd(tool.name, result, callId);
    if (tool.asksAfter?.(result)) hooks.onWait(call);
    return result;
  } catch (error) {
    ended?.(signal.aborted ? 'stopped' : error instanceof WaitsBelow ? undefined : 'failed');
    if (signal.aborted) throw signal.reason;
    if (error instanceof WaitsBelow) {
      hooks.onEnd(tool.name, { status: 'waiting' }, callId);
      hooks.onWait({ ...call, below: error.below });
      return null;
    }
    const told = error instanceof UserError ? error.message : `The tool ${tool.name} failed.`;
    if (!(error instanceof UserError)) hooks.log.error({ tool: tool.name, err: error }, 'tool failed');
    if (started) hooks.onEnd(tool.name, { error: told }, callId);
    throw new ToolFailure(told);
  }
}

/** Notes, once, that the call's effect may begin: what was given up before that is safe to call again. */
function beginning(tool: RuntimeTool, callId: string, { signal, beforeExternal }: ToolHooks): () => Promise<void> {
  let begun: Promise<void> | undefined;
  return async () => {
    signal.throwIfAborted();
    if (tool.effect === 'external') begun ??= beforeExternal({ callId, tool: tool.name });
    await begun;
    signal.throwIfAborted();
  };
}

/** What came in as JSON and passed a schema is JSON. */
function toJson(value: unknown): Json {
  return JSON.parse(JSON.stringify(value ?? null));
}

/** Settles as the promise does, or rejects with the signal's reason as soon as it aborts. */
function raceAbort<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}

/** The first few problems as `path: message`, without the values, which may be long. */
function issues(error: z.ZodError): string {
  const shown = error.issues.slice(0, 5).map(({ path, message }) => `${path.join('.') || 'input'}: ${message}`);
  return shown.join('; ').slice(0, 600);
}
