/**
 * Offers one tool of a server to a run. What the server says about itself is bounded, and believed only if the
 * configuration trusts the server; otherwise every call counts as an effect outside the task and requires consent.
 */
import { z } from 'zod';
import { errorMessage, UserError } from '../../errors.ts';
import { hashText } from '../../lib/files.ts';
import { isRecord } from '../../lib/json.ts';
import { scrub } from '../../log.ts';
import { visibleText } from '../../runtime/context/turn.ts';
import type { RuntimeTool, ToolEffect } from '../../runtime/contract/task.ts';
import { runtimeTool, type ToolScope } from '../../runtime/contract/tool-scope.ts';
import type { Json } from '../../workspace/types.ts';
import { answerForModel, type LinkTo, visibleExcerpt } from './answer.ts';
import type { Need } from './auth/notes.ts';
import { hearing } from './progress.ts';
import { fitSchema } from './schema.ts';

/** https://modelcontextprotocol.io/specification/2025-11-25/server/tools#tool */
export interface McpToolInfo {
  name: string;
  description?: string | undefined;
  inputSchema: { [key: string]: unknown };
  /** `taskSupport`: whether the tool must, may or cannot be called as a task. */
  execution?: unknown;
  annotations?:
    | { readOnlyHint?: boolean | undefined; idempotentHint?: boolean | undefined; openWorldHint?: boolean | undefined }
    | undefined;
}

export type McpCall = (request: {
  name: string;
  arguments?: Record<string, unknown>;
  options?: { signal?: AbortSignal; timeout?: number };
  /** Whether the call may run twice. */
  isRepeatable?: boolean;
  /** Awaited once the server is connected, right before the call. */
  begin?: () => Promise<void>;
  /** Whether the server's tool is still the one that was agreed on; asked in each connection before the call. */
  isSame: () => boolean;
}) => Promise<unknown>;

const MAX_NAME = 256;
const MAX_SCHEMA = 32_768;
/** The definitions of a fitted schema may repeat what it has elsewhere. */
const MAX_FITTED = 2 * MAX_SCHEMA;
/** The limit in characters for keeping a description; far fewer are shown. */
const MAX_KEPT = 32_768;
const MAX_DESCRIPTION = 1_024;
const CALL_MS = 300_000;

const input = z.looseObject({});

interface Offering {
  call: McpCall;
  trusted: boolean;
  scope: ToolScope;
  /** Names in use: if two tools get the same name, the second one gets a hash of its full name. */
  taken: Set<string>;
  linkTo: LinkTo;
  /** A hash of where the server is. */
  place: string;
  /** Returns the tool as the server has it now; undefined if it is gone. */
  current(): McpToolInfo | undefined;
  renewed(): Promise<void>;
  /** Called when a login is needed. */
  onNeed(need: Need): void;
}

/** Why a tool of a server isn't offered to models, as `doctor.leftOut` says it. */
export type LeftOutReason = 'task' | 'name' | 'description' | 'arguments' | 'size' | 'many';

/** Returns why a tool isn't offered; undefined if it is. */
export function leftOutReason(info: McpToolInfo): LeftOutReason | undefined {
  const { name, description = '', execution, inputSchema } = info;
  if (isRecord(execution) && execution.taskSupport === 'required') return 'task';
  if (name.length > MAX_NAME) return 'name';
  if (description.length > MAX_KEPT) return 'description';
  if (schemaOf(info) !== undefined) return undefined;
  return JSON.stringify(inputSchema).length > MAX_SCHEMA || fitSchema(inputSchema) ? 'size' : 'arguments';
}

/** Returns `server_tool` in a form that providers accept; undefined if even its alternative is taken. */
export function nameFor(server: string, tool: string, taken: Set<string>): string | undefined {
  const plain = `${server}_${tool}`.replace(/[^A-Za-z0-9_-]/g, '_');
  const marked = (by: string) => `${plain.slice(0, 55)}_${hashText(by).slice(0, 8)}`;
  const usual = plain.length > 64 ? marked(plain) : plain;
  const name = taken.has(usual) ? marked(JSON.stringify([server, tool])) : usual;
  if (taken.has(name)) return undefined;
  taken.add(name);
  return name;
}

export function toRuntimeTool(
  server: string,
  info: McpToolInfo,
  { call, trusted, scope, taken, linkTo, place, current, renewed, onNeed }: Offering,
): RuntimeTool | undefined {
  const fitted = schemaOf(info);
  const name = fitted === undefined ? undefined : nameFor(server, info.name, taken);
  if (fitted === undefined || name === undefined) return undefined;
  const { schema, original } = fitted;
  const isReaching = isQuestion(info, trusted);
  /** Of the tool when consent was last checked; calls of a run are checked and run one after another. */
  let agreed: string | undefined;
  const version = () => {
    agreed = versionOf(server, current() ?? info, trusted);
    return agreed;
  };
  const isSame = () => {
    const now = current();
    if (!now || effectOf(now, trusted) !== effectOf(info, trusted) || isQuestion(now, trusted) !== isReaching)
      return false;
    return agreed === undefined || agreed === versionOf(server, now, trusted);
  };
  return runtimeTool({
    name,
    description: visibleExcerpt(info.description?.trim() || info.name, MAX_DESCRIPTION),
    input,
    schema,
    effect: effectOf(info, trusted),
    beginsLate: true,
    consent: 'effects',
    // Consent covers this tool as it was described; a server may replace it (promise 36).
    kindOf: () => (isQuestion(current() ?? info, trusted) ? `questions to ${server}` : version()),
    // Another server under the same name needs new consent.
    async shows() {
      await renewed().catch(ignoreAway);
      return [version(), place];
    },
    renewed,
    ...(isReaching
      ? { reaches: (given: Record<string, unknown>) => ({ characters: JSON.stringify(given).length }) }
      : {}),
    async execute(given, { signal, onProgress, begin }) {
      const options = { signal, timeout: CALL_MS };
      const isRepeatable = effectOf(info, trusted) !== 'external';
      const request = {
        name: info.name,
        arguments: original(given),
        options,
        isRepeatable,
        isSame,
        ...(begin && { begin }),
      };
      const work = () => call(request);
      const reply = await (onProgress ? hearing(onProgress, work) : work()).catch((error: unknown) => {
        if (error instanceof Error && error.name === 'LoginNeeded') onNeed('login');
        if (error instanceof Error && error.name === 'ScopeNeeded') onNeed('more');
        if (signal.aborted || error instanceof UserError) throw error;
        throw new UserError(`The server ${server} failed: ${failureReason(error)}`);
      });
      return answerForModel(reply, { scope, title: name, linkTo });
    },
  });
}

/** Returns what went wrong, for people, without secrets that the server was given. */
export function failureReason(error: unknown, given: readonly string[] = []): string {
  let text = errorMessage(error).slice(0, 2_000);
  for (const value of given) if (value.length >= 8) text = text.replaceAll(value, '[secret]');
  return visibleText(scrub(text)).slice(0, 300);
}

/** Keys of a schema that hold text for the model; other texts are values that the server knows. */
const WORDS = new Set(['description', 'title', '$comment']);

interface Arguments {
  schema: Json;
  original(given: Record<string, unknown>): Record<string, unknown>;
  /** The schema as the server sent it. */
  version: string;
}

/** Caches arguments by the listed schema; schemas for providers are cached under the objects kept here. */
const schemas = new WeakMap<object, Arguments>();

function schemaOf({ inputSchema }: McpToolInfo): Arguments | undefined {
  const known = schemas.get(inputSchema);
  if (known !== undefined) return known;
  const version = JSON.stringify(inputSchema);
  const fitted = version.length > MAX_SCHEMA ? undefined : fitSchema(inputSchema);
  if (fitted === undefined) return undefined;
  const text = JSON.stringify(fitted.schema);
  if (text.length > MAX_FITTED) return undefined;
  const schema: Json = JSON.parse(text, (key, value) =>
    WORDS.has(key) && typeof value === 'string' ? visibleText(value) : value,
  );
  const kept = { schema, version, original: fitted.original };
  schemas.set(inputSchema, kept);
  return kept;
}

/** The effect counts where the server is believed; left out for the others, so that older consents stay valid. */
function versionOf(server: string, info: McpToolInfo, trusted: boolean): string {
  const { name, description = '', inputSchema } = info;
  const effect = effectOf(info, trusted);
  const seen = [server, name, description, inputSchema, ...(effect === 'external' ? [] : [effect])];
  return `version ${hashText(JSON.stringify(seen)).slice(0, 16)}`;
}

/** The call itself says that the server is away. */
function ignoreAway(error: unknown): void {
  if (!(error instanceof UserError)) throw error;
}

/**
 * Returns a tool's effect. If the server isn't trusted, a call with unknown outcome must be reported, never repeated.
 */
export function effectOf({ annotations }: McpToolInfo, trusted: boolean): ToolEffect {
  if (trusted && annotations?.readOnlyHint === true) return 'read';
  return trusted && annotations?.idempotentHint === true ? 'idempotent' : 'external';
}

/** Returns whether input may go on to third parties, which is the default of the hint. */
export const reachesOut = ({ annotations }: McpToolInfo): boolean => annotations?.openWorldHint !== false;

/** Returns whether a call only asks others something, so that what leaves decides whether a person is asked. */
const isQuestion = (info: McpToolInfo, trusted: boolean): boolean =>
  effectOf(info, trusted) === 'read' && reachesOut(info);
