/**
 * Offers tools to a model and runs its calls. Invariants: input is validated before anything happens; a call with a
 * side effect that must not repeat is journaled before it runs; an abort ends the wait at once, whatever the tool does;
 * the model never sees our internals.
 */
import { jsonSchema, NoSuchToolError, type Schema, type ToolSet, tool } from 'ai';
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
import type { EmitEvent } from './events.ts';
import { askedCall } from './shown.ts';

type ToolSpec = Extract<NonNullable<CallOptions['tools']>[number], { type: 'function' }>;
type InputSchema = ToolSpec['inputSchema'];

export interface ToolHooks {
  signal: AbortSignal;
  /** Runs the calls of a step in turn. Rejects with the signal's reason. */
  inTurn: Turns;
  /** Awaited before an `external` tool runs; if it rejects, the tool does not run. */
  beforeExternal(call: { callId: string; tool: string }): Promise<void>;
  /** Awaited before a tool that `keepsCall` runs; if it rejects, the tool does not run. */
  keepCall(): Promise<void>;
  /** Awaited before any tool runs; if it rejects, the tool does not run. */
  beforeAny?(): Promise<void>;
  emit: EmitEvent;
  /**
   * The call waits for a person: before it runs, or for their answer to its result. The model doesn't get its result
   * yet.
   */
  onWait(call: WaitingCall): void;
  watch?: NonNullable<TurnWatch['tool']>;
  log: Logger;
}

/** Tools are bound for every run, their schemas only once. */
const schemas = new WeakMap<object, Schema<unknown>>();

const LENGTHS = new Set(['minLength', 'maxLength', 'minItems', 'maxItems']);

/** Returns whether a bound is that of every integer, which says nothing. */
const isAnyInteger = (value: unknown): boolean =>
  typeof value === 'number' && Math.abs(value) === Number.MAX_SAFE_INTEGER;

/** A failure in words for the model, which it receives unchanged. */
export class ToolFailure extends Error {
  override toString(): string {
    return this.message;
  }
}

/**
 * Converts the tools for the loop.
 * @param run returns a call's result; the model receives the errors it throws
 */
export function toToolSet(
  tools: readonly RuntimeTool[],
  run: (tool: RuntimeTool, input: unknown, callId: string) => Promise<Json>,
): ToolSet {
  return Object.fromEntries(
    tools.map((one) => [
      one.name,
      tool<unknown, Json, Record<string, unknown>>({
        description: one.description,
        inputSchema: schemaOf(one),
        execute: (input, { toolCallId }) => run(one, input, toolCallId),
      }),
    ]),
  );
}

function schemaOf({ schema: given, input }: RuntimeTool): Schema<unknown> {
  const own = typeof given === 'object' && given !== null && !Array.isArray(given) ? given : undefined;
  const key = own ?? input;
  const known = schemas.get(key);
  if (known) return known;
  const schema = inputSchemaOf(own ?? z.toJSONSchema(input, { target: 'draft-7', io: 'input' }));
  const made = jsonSchema<unknown>(schema, {
    validate(given) {
      const { error } = input.safeParse(given);
      if (error) return { success: false, error };
      const isWanted = JSON.stringify(asWanted(given as Json, schema)) === JSON.stringify(given);
      return isWanted ? { success: true, value: given } : { success: false, error: new Error('in another form') };
    },
  });
  schemas.set(key, made);
  return made;
}

function inputSchemaOf({ $schema: _dialect, ...schema }: object & { $schema?: unknown }): InputSchema {
  // Lengths are checked when the tool is called; in the schema, they would only make each request longer.
  return JSON.parse(
    JSON.stringify(schema, (name, value: unknown) =>
      (LENGTHS.has(name) && typeof value === 'number') || isAnyInteger(value) ? undefined : value,
    ),
  );
}

/**
 * Returns the model's error for a call that was not even started.
 * @param names of the available tools
 */
export function whyInvalid(
  { toolName, input, error }: { toolName: string; input: unknown; error?: unknown },
  names: readonly string[],
): string {
  if (NoSuchToolError.isInstance(error))
    return `There is no tool ${toolName}. Available tools: ${names.join(', ') || 'none'}.`;
  if (typeof input === 'string' && input.endsWith(CUT_BY_LIMIT))
    return `Nothing has run: your answer reached its length limit in the middle of this call of ${toolName}, so the arguments were cut off. Do the same in smaller pieces: shorter arguments, a long text in several calls or files, one call per answer.`;
  for (let cause = error; cause instanceof Error; cause = cause.cause)
    if (cause instanceof z.ZodError) return `The arguments do not fit. ${issues(cause)}`;
  return `Invalid input for ${toolName}: the arguments aren't JSON.`;
}

/**
 * Runs a call. Returns null if it waits for a person.
 * @throws the signal's reason, or a ToolFailure
 */
export function runTool(tool: RuntimeTool, given: unknown, callId: string, hooks: ToolHooks): Promise<Json> {
  return hooks.inTurn(tool.isBeside === true, () => runNow(tool, given, callId, hooks));
}

async function runNow(tool: RuntimeTool, given: unknown, callId: string, hooks: ToolHooks): Promise<Json> {
  const { signal, emit } = hooks;
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
    if (tool.keepsCall) await hooks.keepCall();
    const begin = beginning(tool, callId, hooks);
    if (!tool.beginsLate) await begin();
    signal.throwIfAborted();
    emit({ type: 'tool-call', tool: tool.name, args: input.data, callId });
    started = true;
    ended = hooks.watch?.(tool.name, callId);
    const onProgress = (note: string) =>
      emit({ type: 'state-change', state: 'tool', progress: { tool: tool.name, note } });
    const result = await raceAbort(tool.execute(input.data, { signal, callId, onProgress, begin }), signal);
    ended?.();
    emit({ type: 'tool-result', tool: tool.name, result, callId });
    if (tool.asksAfter?.(result)) hooks.onWait(call);
    return result;
  } catch (error) {
    ended?.(signal.aborted ? 'stopped' : error instanceof WaitsBelow ? undefined : 'failed');
    if (signal.aborted) throw signal.reason;
    if (error instanceof WaitsBelow) {
      emit({ type: 'tool-result', tool: tool.name, result: { status: 'waiting' }, callId });
      hooks.onWait({ ...call, below: error.below });
      return null;
    }
    const told = error instanceof UserError ? error.message : `The tool ${tool.name} failed.`;
    if (!(error instanceof UserError)) hooks.log.error({ tool: tool.name, err: error }, 'tool failed');
    if (started) emit({ type: 'tool-result', tool: tool.name, result: { error: told }, callId });
    throw new ToolFailure(told);
  }
}

/**
 * Returns a function that records, once, that the call's effect may begin: a call given up before that is safe to
 * repeat.
 */
function beginning(tool: RuntimeTool, callId: string, { signal, beforeExternal }: ToolHooks): () => Promise<void> {
  let begun: Promise<void> | undefined;
  return async () => {
    signal.throwIfAborted();
    if (tool.effect === 'external') begun ??= beforeExternal({ callId, tool: tool.name });
    await begun;
    signal.throwIfAborted();
  };
}

function toJson(value: unknown): Json {
  return JSON.parse(JSON.stringify(value ?? null));
}

/** Settles like the promise, or rejects with the signal's reason as soon as it aborts. */
function raceAbort<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}

/** Formats the first few problems as `path: message`, without the values, which may be long. */
function issues(error: z.ZodError): string {
  const shown = error.issues.slice(0, 5).map(({ path, message }) => `${path.join('.') || 'input'}: ${message}`);
  return shown.join('; ').slice(0, 600);
}

type Turns = <T>(isBeside: boolean, work: () => Promise<T>) => Promise<T>;

/**
 * Runs the calls of a step one at a time, in order, because they share files. Only calls that may run in parallel
 * (questions to agents) do. Nothing of a call is done, asked or journaled before its turn.
 */
export function createTurns(signal: AbortSignal): Turns {
  let last: Promise<unknown> = Promise.resolve();
  let beside: Promise<unknown>[] = [];
  return (isBeside, work) => {
    const before = isBeside ? last : Promise.all([last, ...beside]);
    const result = before.then(() => {
      signal.throwIfAborted();
      return work();
    });
    // Only the order matters here: the caller handles the failure, not the next call.
    const settled = result.catch(() => undefined);
    if (isBeside) beside.push(settled);
    else [last, beside] = [settled, []];
    return result;
  };
}
