/**
 * One tool of a server as a run is offered it. What the server says of itself is bounded and believed only where the configuration
 * trusts it: without that every call counts as an effect outside the task, and a person is asked.
 */
import { z } from 'zod';
import { errorMessage, UserError } from '../../../errors.ts';
import { hashText } from '../../../lib/files.ts';
import { scrub } from '../../../log.ts';
import { createArtifact } from '../../../workspace/artifacts.ts';
import type { Json } from '../../../workspace/types.ts';
import { clip, visibleText } from '../../context/turn.ts';
import type { RuntimeTool, ToolEffect } from '../../contract/task.ts';
import { defineTool, type ToolScope } from '../../contract/tool-scope.ts';
import { attached } from '../artifacts.ts';
import { withoutBase64 } from '../result.ts';

/** https://modelcontextprotocol.io/specification/2025-11-25/server/tools#tool */
export interface McpToolInfo {
  name: string;
  description?: string | undefined;
  inputSchema: { [key: string]: unknown };
  annotations?:
    | { readOnlyHint?: boolean | undefined; idempotentHint?: boolean | undefined; openWorldHint?: boolean | undefined }
    | undefined;
}

export type McpCall = (request: {
  name: string;
  arguments?: Record<string, unknown>;
  options?: { signal?: AbortSignal; timeout?: number };
}) => Promise<unknown>;

const MAX_NAME = 256;
const MAX_SCHEMA = 32_768;
/** Characters that are kept; far fewer are shown. */
const MAX_KEPT = 32_768;
const MAX_DESCRIPTION = 1_024;
const MAX_RESULT = 32_000;
const MAX_FILE = 10 * 1024 * 1024;
/** Of one answer. */
const MAX_FILES = 10;
const CALL_MS = 300_000;

const content = z.looseObject({
  type: z.string(),
  text: z.string().exactOptional(),
  data: z.string().exactOptional(),
  mimeType: z.string().exactOptional(),
  resource: z
    .looseObject({ text: z.string().exactOptional(), blob: z.string().exactOptional(), mimeType: z.string().nullish() })
    .exactOptional(),
});
const answer = z.looseObject({
  content: z.array(content).default([]),
  isError: z.boolean().default(false),
  structuredContent: z.unknown().exactOptional(),
});

const input = z.looseObject({});

/** False for what no model could use, or what nobody should have to keep. */
export function isOfferable(info: McpToolInfo): boolean {
  const { name, description = '' } = info;
  return name.length <= MAX_NAME && description.length <= MAX_KEPT && schemaOf(info) !== undefined;
}

/**
 * `server_tool`, as providers take names; undefined for a tool that cannot be offered.
 * @param taken names given so far: of two tools whose names become one, the second is told apart by a sum of both its names
 */
export function toRuntimeTool(
  server: string,
  info: McpToolInfo,
  { call, trusted, scope, taken }: { call: McpCall; trusted: boolean; scope: ToolScope; taken: Set<string> },
): RuntimeTool | undefined {
  const plain = `${server}_${info.name}`.replace(/[^A-Za-z0-9_-]/g, '_');
  const marked = (by: string) => `${plain.slice(0, 55)}_${hashText(by).slice(0, 8)}`;
  const usual = plain.length > 64 ? marked(plain) : plain;
  const name = taken.has(usual) ? marked(JSON.stringify([server, info.name])) : usual;
  const schema = schemaOf(info);
  if (schema === undefined || taken.has(name)) return undefined;
  taken.add(name);
  const isReaching = effectOf(info, trusted) === 'read' && reachesOut(info);
  return defineTool({
    name,
    description: bounded(info.description?.trim() || info.name, MAX_DESCRIPTION),
    input,
    schema,
    effect: effectOf(info, trusted),
    consent: 'effects',
    // What a person has agreed to is this tool as it was described; a server may make another one of it (promise 36).
    kindOf: () => (isReaching ? `questions to ${server}` : versionOf(server, info, schema)),
    ...(isReaching
      ? { reaches: (given: Record<string, unknown>) => ({ characters: JSON.stringify(given).length }) }
      : {}),
    async execute(given, { signal }) {
      const reply = await call({ name: info.name, arguments: given, options: { signal, timeout: CALL_MS } }).catch(
        (error: unknown) => {
          if (signal.aborted) throw error;
          throw new UserError(`The server ${server} failed: ${reasonOf(error)}`);
        },
      );
      const { content: parts, isError, structuredContent } = answer.parse(reply);
      const found = parts.flatMap((part) => fileOf(part) ?? []);
      const said = parts.map(textOf).filter(Boolean).join('\n');
      const whole = said === '' && structuredContent !== undefined ? JSON.stringify(structuredContent) : said;
      const told = withoutBase64(whole);
      const text = bounded(told, MAX_RESULT);
      if (isError) throw new UserError(text || `The tool ${name} failed.`);
      const files = [];
      for (const file of found.slice(0, MAX_FILES)) files.push(await keep(scope, name, file));
      return {
        text,
        ...(told.length > MAX_RESULT ? await saved(scope, name, whole) : {}),
        ...(files.length > 0 ? { artifacts: files } : {}),
        ...(found.length > files.length ? { notKept: found.length - files.length } : {}),
      };
    },
  });
}

/** Cut first: to look for hidden characters in all that a server may send would take seconds. */
const bounded = (text: string, length: number): string => visibleText(clip(text, length));

/** What went wrong, for people, without what it was given. */
export function reasonOf(error: unknown, given: readonly string[] = []): string {
  let text = errorMessage(error).slice(0, 2_000);
  for (const value of given) if (value.length >= 8) text = text.replaceAll(value, '[secret]');
  return visibleText(scrub(text)).slice(0, 300);
}

/** Kept with what was listed: what is made of it for the model is kept with this. */
const schemas = new WeakMap<object, Json>();

function schemaOf({ inputSchema }: McpToolInfo): Json | undefined {
  const known = schemas.get(inputSchema);
  if (known !== undefined) return known;
  const text = JSON.stringify(inputSchema);
  if (text.length > MAX_SCHEMA || inputSchema.type !== 'object') return undefined;
  const schema: Json = JSON.parse(text);
  schemas.set(inputSchema, schema);
  return schema;
}

function versionOf(server: string, { name, description = '' }: McpToolInfo, schema: Json): string {
  return `version ${hashText(JSON.stringify([server, name, description, schema])).slice(0, 16)}`;
}

/** Where the server is not trusted, an outcome that is not known must be reported, never repeated. */
export function effectOf({ annotations }: McpToolInfo, trusted: boolean): ToolEffect {
  if (trusted && annotations?.readOnlyHint === true) return 'read';
  return trusted && annotations?.idempotentHint === true ? 'idempotent' : 'external';
}

/** What it is asked may go on to others, unless it says otherwise: that is the default of the hint. */
export const reachesOut = ({ annotations }: McpToolInfo): boolean => annotations?.openWorldHint !== false;

type Part = z.infer<typeof content>;

const textOf = ({ text, resource }: Part): string => text ?? resource?.text ?? '';

/** Pictures, sounds and other files in an answer. */
function fileOf({ type, data, mimeType, resource }: Part): { bytes: Buffer; type: string } | undefined {
  const encoded = type === 'image' || type === 'audio' ? data : resource?.blob;
  if (encoded === undefined || encoded.length > MAX_FILE * 1.4) return undefined;
  const bytes = Buffer.from(encoded, 'base64');
  return { bytes, type: mimeType ?? resource?.mimeType ?? 'application/octet-stream' };
}

/** The whole of a text that is shown in part, so that it can be read on. It is not attached to the answer. */
async function saved({ home, taskId }: ToolScope, title: string, text: string): Promise<{ [key: string]: Json }> {
  const content = Buffer.from(text);
  if (content.length > MAX_FILE) return {};
  const id = hashText(`${title}\n${text}`).slice(0, 10);
  const given = { id, title: `${title}.txt`, type: 'text/plain', content, origin: 'agent' as const };
  await createArtifact(home, taskId, given);
  const hint = `Its beginning and its end only: read_file with path "${id}" reads all of it.`;
  return { saved: { id, size: content.length }, hint };
}

async function keep(scope: ToolScope, title: string, { bytes, type }: { bytes: Buffer; type: string }) {
  const id = hashText(`${title}\n${type}\n${bytes.toString('base64')}`).slice(0, 10);
  const ref = await createArtifact(scope.home, scope.taskId, { id, title, type, content: bytes, origin: 'agent' });
  scope.onShown?.(ref);
  return attached(scope, ref);
}
