/**
 * Converts a server's answer for the run: text within bounds, files as artifacts of the task, pictures shown to the
 * model, links as links. Base64 becomes a file wherever it occurs in structured content.
 */
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { UserError } from '../../errors.ts';
import { hashText } from '../../lib/files.ts';
import { isRecord, parseJson } from '../../lib/json.ts';
import { clip, formatSize, visibleText } from '../../runtime/context/turn.ts';
import type { ToolScope } from '../../runtime/contract/tool-scope.ts';
import { attached } from '../../runtime/tools/artifacts.ts';
import { referredArtifact } from '../../runtime/tools/attach-file.ts';
import { withoutBase64 } from '../../runtime/tools/result.ts';
import { openTask } from '../../workspace/tasks/index.ts';
import type { ArtifactRef, Json } from '../../workspace/types.ts';
import { type Bytes, takeBytes } from './bytes.ts';

const MAX_RESULT = 32_000;
const MAX_FILE = 10 * 1024 * 1024;
/** The most files from one answer. */
const MAX_FILES = 10;
const MAX_LINKS = 50;
/** The most web addresses kept with the task; more are search results. */
const MAX_KEPT_LINKS = 5;
const MAX_URI = 2_000;
const MAX_WORDS = 300;

/** https://modelcontextprotocol.io/specification/2026-07-28/server/tools#tool-result */
const content = z.looseObject({
  type: z.string(),
  text: z.string().exactOptional(),
  data: z.string().exactOptional(),
  mimeType: z.string().nullish(),
  uri: z.string().exactOptional(),
  name: z.string().exactOptional(),
  title: z.string().nullish(),
  description: z.string().nullish(),
  resource: z
    .looseObject({ text: z.string().exactOptional(), blob: z.string().exactOptional(), mimeType: z.string().nullish() })
    .exactOptional(),
});
const answer = z.looseObject({
  content: z.array(content).default([]),
  isError: z.boolean().default(false),
  structuredContent: z.json().exactOptional(),
});

type Part = z.infer<typeof content>;

/** Remembers a link from a server; returns its name for `read_file`, or undefined if it can't be read there. */
export type LinkTo = (uri: string) => string | undefined;

/** A link as the model sees it; `path` is its name for `read_file`, `id` the ID of the task's own link to it. */
type Link = { name: string; uri: string; type?: string; about?: string; path?: string; id?: string };

export interface Telling {
  scope: ToolScope;
  title: string;
  linkTo: LinkTo;
}

/**
 * Returns the answer for the model.
 * @throws UserError with the tool's own words if the tool reports a failure
 */
export async function answerForModel(
  reply: unknown,
  { scope, title, linkTo }: Telling,
): Promise<{ [key: string]: Json }> {
  const { content: parts, isError, structuredContent } = answer.parse(reply);
  const texts = parts.map(textOfPart).filter(Boolean);
  const taken = structuredContent === undefined ? undefined : takeBytes(structuredContent);
  const found = distinctFiles([...parts.flatMap((part) => decodePart(part) ?? []), ...(taken?.found ?? [])]);
  if (isError) {
    const why = texts.join('\n') || JSON.stringify(structuredContent ?? '');
    throw new UserError(why === '""' ? `The tool ${title} failed.` : visibleExcerpt(withoutBase64(why), MAX_RESULT));
  }
  const kept: { id: string; ref: Json }[] = [];
  for (const file of found.slice(0, MAX_FILES)) kept.push(await storeBytes(scope, title, file));
  const idOf = (bytes: Buffer) => kept[found.findIndex((file) => file.bytes.equals(bytes))]?.id;
  const whole = wholeOf(texts, structuredContent, taken ? JSON.stringify(taken.put(idOf)) : '');
  const text = withoutBase64(whole);
  const given = parts.filter(({ type }) => type === 'resource_link').flatMap((part) => linkOf(part, linkTo) ?? []);
  const links = given.length > MAX_KEPT_LINKS ? given.slice(0, MAX_LINKS) : await keepLinks(scope, given);
  const isReadable = links.some((link) => link.path !== undefined);
  return {
    text: visibleExcerpt(text, MAX_RESULT),
    ...(text.length > MAX_RESULT ? await saved(scope, title, whole) : {}),
    ...(kept.length > 0 ? { artifacts: kept.map(({ ref }) => ref) } : {}),
    ...(found.length > kept.length ? { notKept: found.length - kept.length } : {}),
    ...(links.length > 0 ? { links } : {}),
    ...(isReadable ? { linkHint: 'read_file with the path of a link reads what it leads to.' } : {}),
  };
}

/**
 * Cuts the text before looking for hidden characters, because searching everything that a server may send would take
 * seconds.
 */
export const visibleExcerpt = (text: string, length: number): string => visibleText(clip(text, length));

const textOfPart = ({ text, resource }: Part): string => text ?? resource?.text ?? '';

function decodePart({ type, data, mimeType, resource }: Part): Bytes | undefined {
  const encoded = type === 'image' || type === 'audio' ? data : resource?.blob;
  if (encoded === undefined || encoded.length > MAX_FILE * 1.4) return undefined;
  const bytes = Buffer.from(encoded, 'base64');
  return { bytes, type: mimeType ?? resource?.mimeType ?? 'application/octet-stream' };
}

function linkOf({ uri, name, title, description, mimeType }: Part, linkTo: LinkTo): Link | undefined {
  if (uri === undefined || uri === '' || uri.length > MAX_URI) return undefined;
  const path = linkTo(uri);
  return {
    name: visibleExcerpt(title ?? name ?? uri, MAX_WORDS),
    uri: visibleText(uri),
    ...(mimeType ? { type: visibleExcerpt(mimeType, 100) } : {}),
    ...(description ? { about: visibleExcerpt(description, MAX_WORDS) } : {}),
    ...(path === undefined ? {} : { path }),
  };
}

/** Keeps web addresses with the task's files, for people too. */
async function keepLinks(scope: ToolScope, links: readonly Link[]): Promise<Link[]> {
  const kept: Link[] = [];
  for (const link of links) {
    const isWeb = /^https?:$/.test(URL.parse(link.uri)?.protocol ?? '');
    const given = { ref: link.uri, title: link.name, type: link.type ?? 'text/html' };
    kept.push(isWeb ? { ...link, id: (await referredArtifact(scope, given)).id } : link);
  }
  return kept;
}

/** Removes duplicates: many servers send a picture both as content and within structured content. */
const distinctFiles = (files: readonly Bytes[]): Bytes[] =>
  files.filter((file, index) => files.findIndex(({ bytes }) => bytes.equals(file.bytes)) === index);

/** @param json the value as the model reads it */
function wholeOf(texts: readonly string[], value: Json | undefined, json: string): string {
  const said = texts.join('\n');
  if (value === undefined || value === null) return said;
  if (said === '' || isSameJson(said, value)) return json;
  return isRepeated(texts, value) ? said : `${said}\n${json}`;
}

/**
 * Returns whether the texts repeat the value: servers send it as text too, for clients that read only text, sometimes
 * item by item, and wrap a value that isn't an object as `result`.
 */
function isRepeated(texts: readonly string[], value: Json): boolean {
  const inner = isRecord(value) && Object.keys(value).join() === 'result' ? value.result : value;
  const is = (text: string | undefined, each: Json | undefined) =>
    text !== undefined && each !== undefined && (text === each || isSameJson(text, each));
  if (is(texts.join('\n'), inner)) return true;
  return Array.isArray(inner) && inner.length === texts.length && inner.every((each, index) => is(texts[index], each));
}

const isSameJson = (text: string, value: Json): boolean => isDeepStrictEqual(parseJson(text), value);

/** Keeps the full text of a truncated result, so that the model can read the rest. It isn't attached to the answer. */
async function saved({ home, taskId }: ToolScope, title: string, text: string): Promise<{ [key: string]: Json }> {
  const content = Buffer.from(text);
  if (content.length > MAX_FILE)
    return {
      hint: `Its beginning and its end only: ${formatSize(content.length)} are too long to keep. Ask for a part of it.`,
    };
  const id = hashText(`${title}\n${text}`).slice(0, 10);
  const given = { id, title: `${title}.txt`, type: 'text/plain', content, origin: 'agent' as const };
  await openTask(home, taskId).artifacts.create(given);
  const hint = `Its beginning and its end only: read_file with path "${id}" reads all of it.`;
  return { saved: { id, size: content.length }, hint };
}

async function storeBytes(scope: ToolScope, title: string, { bytes, type }: Bytes): Promise<{ id: string; ref: Json }> {
  const id = hashText(`${title}\n${type}\n${bytes.toString('base64')}`).slice(0, 10);
  const given = { id, title, type, content: bytes, origin: 'agent' as const };
  const ref: ArtifactRef = await openTask(scope.home, scope.taskId).artifacts.create(given);
  scope.onShown?.(ref);
  return { id, ref: attached(scope, ref) };
}
