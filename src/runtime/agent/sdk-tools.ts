/**
 * Runtime tools as the AI SDK calls them. Invariants: input is checked before anything happens; a tool that would
 * repeat a side effect is journaled before it runs; an abort ends the wait at once, whatever the tool does; the model
 * never sees our internals.
 */
import type { ToolSet } from 'ai';
import { z } from 'zod';
import { UserError } from '../../errors.ts';
import type { Logger } from '../../log.ts';
import type { Json } from '../../workspace/types.ts';
import type { ParkedCall } from '../contract/agent.ts';
import type { RuntimeTool } from '../contract/task.ts';

type SdkTool = ToolSet[string];
type InputSchema = SdkTool['inputSchema'];
type JsonSchema = (schema: Parameters<typeof import('ai').jsonSchema>[0]) => InputSchema;

export interface ToolHooks {
  /** The run's own signal. */
  signal: AbortSignal;
  /** Awaited before an `external` tool runs; when it rejects the tool does not run. */
  beforeExternal(call: { callId: string; tool: string }): Promise<void>;
  onStart(tool: string, input: unknown): void;
  onEnd(tool: string, result: Json): void;
  /** The call waits for a person: before it runs, or for what they say to its result. Its result is not the model's yet. */
  onPark(call: ParkedCall): void;
  log: Logger;
}

// Tools are made anew for every run, their schemas are not.
const schemas = new WeakMap<object, InputSchema>();

const isObject = (value: Json | undefined): value is { [key: string]: Json } =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** @param jsonSchema The SDK's function of that name, given because the SDK is loaded late. */
export function toSdkTools(tools: readonly RuntimeTool[], jsonSchema: JsonSchema, hooks: ToolHooks): ToolSet {
  return Object.fromEntries(tools.map((tool) => [tool.name, toSdkTool(tool, jsonSchema, hooks)]));
}

function toSdkTool(tool: RuntimeTool, jsonSchema: JsonSchema, hooks: ToolHooks): SdkTool {
  const key = isObject(tool.schema) ? tool.schema : tool.input;
  let inputSchema = schemas.get(key);
  if (!inputSchema) {
    const { $schema: _dialect, ...schema } =
      key === tool.schema ? tool.schema : z.toJSONSchema(tool.input, { target: 'draft-7', io: 'input' });
    inputSchema = jsonSchema(schema);
    schemas.set(key, inputSchema);
  }
  return {
    description: tool.description,
    inputSchema,
    execute: (input: unknown, { toolCallId }: { toolCallId: string }) => runTool(tool, input, toolCallId, hooks),
  };
}

/** Throws the signal's reason, or an Error in words for the model. Gives null for a call that waits for a person. */
export async function runTool(tool: RuntimeTool, given: unknown, callId: string, hooks: ToolHooks): Promise<Json> {
  const { signal } = hooks;
  let started = false;
  try {
    const input = tool.input.safeParse(given);
    if (!input.success) throw new UserError(`The arguments do not fit. ${issues(input.error)}`);
    const call = { callId, tool: tool.name, input: toJson(input.data) };
    if (await tool.asksBefore?.(input.data, callId)) {
      hooks.onPark(call);
      return null;
    }
    if (tool.effect === 'external') await hooks.beforeExternal({ callId, tool: tool.name });
    signal.throwIfAborted();
    hooks.onStart(tool.name, input.data);
    started = true;
    const result = await raceAbort(tool.execute(input.data, { signal, callId }), signal);
    hooks.onEnd(tool.name, result);
    if (tool.asksAfter?.(result)) hooks.onPark(call);
    return result;
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    const told = error instanceof UserError ? error.message : `The tool ${tool.name} failed.`;
    if (!(error instanceof UserError)) hooks.log.error({ tool: tool.name, err: error }, 'tool failed');
    if (started) hooks.onEnd(tool.name, { error: told });
    throw bare(told);
  }
}

/** What came in as JSON and passed a schema is JSON. */
function toJson(value: unknown): Json {
  return JSON.parse(JSON.stringify(value ?? null));
}

/** The SDK tells the model an error's name and message; the name is of no use to it. */
function bare(message: string): Error {
  const error = new Error(message);
  error.name = '';
  return error;
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
