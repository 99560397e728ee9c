/**
 * Reads the files of a message, as names and IDs; it fetches nothing.
 * https://docs.slack.dev/reference/objects/file-object/
 */
import type { RemoteFile } from '../../channel.ts';
import { fileName, mediaType } from '../../shared/file-facts.ts';
import { type Fields, fields, fieldsList, integer, string, tidyLine } from '../../shared/read.ts';
import { readId } from './base.ts';

/** More files than a person can attach to one message. */
const MAX_FILES = 50;
/** Modes of canvases and Slack's older documents. They have no bytes of their own: Slack serves them as pages. */
const DOCUMENTS: ReadonlySet<string> = new Set(['quip', 'canvas', 'docs', 'space', 'post']);
export const DOCUMENT_TYPE = 'application/vnd.slack-docs';

/** Returns the files with bytes, and a line for each without: a document elsewhere, or one that Slack withholds. */
export function readFiles(message: Fields): { files: RemoteFile[]; facts: string[] } {
  const files: RemoteFile[] = [];
  const facts: string[] = [];
  for (const body of fieldsList(message, 'files').slice(0, MAX_FILES)) {
    const mode = string(body, 'mode');
    const fact = factOf(body, mode);
    const file = fact === undefined ? remoteFile(body) : undefined;
    if (file) files.push(file);
    if (fact !== undefined) facts.push(fact);
  }
  return { files, facts };
}

function factOf(body: Fields, mode: string | undefined): string | undefined {
  const name = tidyLine(string(body, 'title') ?? string(body, 'name') ?? 'unnamed', 200);
  if (mode === 'external') return `Linked document: ${name}, ${tidyLine(string(body, 'external_url') ?? '', 500)}`;
  if (mode === 'tombstone') return `A file that was deleted: ${name}`;
  if (mode === 'hidden_by_limit') return `A file that the workspace's plan hides: ${name}`;
  return undefined;
}

/**
 * Reads a file. Its ID is Slack's, followed by a space and the download URL if known. An event gives only the ID of a
 * file shared from another workspace (`check_file_info`); the answer of `files.info` is read the same way.
 */
export function remoteFile(body: Fields): RemoteFile | undefined {
  const id = readId(body, 'id');
  if (id === undefined) return undefined;
  const [shown, downloaded] = [string(body, 'url_private'), string(body, 'url_private_download')];
  const mode = string(body, 'mode');
  const isDocument = DOCUMENTS.has(mode ?? '') || DOCUMENTS.has(string(body, 'filetype') ?? '');
  const url = isDocument ? (shown ?? downloaded) : (downloaded ?? shown);
  const size = integer(body, 'size');
  const mimeType = isDocument ? DOCUMENT_TYPE : (mediaType(string(body, 'mimetype')) ?? 'application/octet-stream');
  return {
    // The content of snippets, posts and canvases may change under one ID.
    ...((mode === undefined || mode === 'hosted') && { key: id }),
    id: url !== undefined && url.length < 2000 ? `${id} ${url}` : id,
    name: fileName(string(body, 'name')) ?? fileName(string(body, 'title')) ?? 'file',
    mimeType,
    ...(size !== undefined && size > 0 && { size }),
    ...spokenIn(body),
    kind: mediaKind(mimeType, string(body, 'subtype')),
  };
}

/**
 * Returns the length of a clip, and Slack's transcript if it is complete. Slack writes it some time after the message
 * has arrived, so it is seldom there.
 */
function spokenIn(body: Fields): { seconds?: number; transcript?: string } {
  const ms = integer(body, 'duration_ms');
  const transcription = fields(body, 'transcription') ?? {};
  const preview = fields(transcription, 'preview') ?? {};
  const words = string(preview, 'content')?.trim();
  const isWhole = transcription.status === 'complete' && preview.has_more === false;
  return {
    ...(ms !== undefined && ms >= 0 && { seconds: ms / 1000 }),
    ...(isWhole && words ? { transcript: words } : {}),
  };
}

function mediaKind(mimeType: string, subtype: string | undefined): RemoteFile['kind'] {
  if (subtype === 'slack_audio') return 'voice';
  if (subtype === 'slack_video') return 'video';
  const [type] = mimeType.split('/', 1);
  if (type === 'image') return 'photo';
  return type === 'audio' || type === 'video' ? type : 'document';
}
