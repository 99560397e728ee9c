/**
 * Parses the messages of a `useChat` page: a person's words and files. Ignores everything that a page says for the
 * model.
 */

import { z } from 'zod';
import { say } from '../../messages/messages.ts';
import type { Caller } from '../../runtime/contract/board.ts';
import type { ProtocolParts } from '../protocol/parts.ts';
import { namedRefusal } from '../protocol/refusals.ts';
import { MAX_BODY, RequestError, wrongField } from '../respond.ts';

const textPart = z.object({ type: z.literal('text'), text: z.string() });
const filePart = z.object({
  type: z.literal('file'),
  url: z.string(),
  mediaType: z.string().max(200).default(''),
  filename: z.string().max(1_000).exactOptional(),
});
const uiMessage = z.object({
  id: z.string().min(1).max(200),
  role: z.string(),
  parts: z.array(z.looseObject({ type: z.string() })),
});
/** The body that `DefaultChatTransport` sends; other fields are ignored. */
export const chatBody = z.object({
  id: z.string().min(1).max(200),
  messages: z.array(uiMessage).min(1),
  trigger: z.string().exactOptional(),
});

interface GivenFile {
  name: string;
  type: string;
  url: string;
  /** Its path in the body. */
  field: string;
}

export interface ChatText {
  id: string;
  text: string;
  files: readonly GivenFile[];
}

const MAX_FILES = 20;
/** A reference to an artifact or an upload; a page may prefix it with the gateway's address. */
const REF = /^(?:https?:\/\/[^/]+)?\/?(?:api\/)?((?:artifacts\/[^/]+|uploads)\/[^/?#]+)$/;

export function userTexts(messages: z.infer<typeof chatBody>['messages']): ChatText[] {
  return messages.flatMap(({ id, role, parts }, at) => {
    if (role !== 'user') return [];
    const text = parts.flatMap((part) => textPart.safeParse(part).data?.text ?? []).join('\n');
    if (text.length > MAX_BODY)
      throw new RequestError(
        413,
        'too_large',
        say('requests.longText', { n: String(MAX_BODY / 1024) }),
        `messages.${at}.parts`,
      );
    const files = parts.flatMap((part, index): GivenFile[] => {
      const file = part.type === 'file' ? filePart.safeParse(part) : undefined;
      const field = `messages.${at}.parts.${index}`;
      if (!file) return [];
      if (!file.success) throw wrongField(field, say('requests.fileParts'));
      const { url, mediaType, filename } = file.data;
      return [{ name: filename ?? `file-${index + 1}`, type: mediaType, url, field }];
    });
    if (files.length > MAX_FILES)
      throw wrongField(`messages.${at}.parts`, say('requests.tooManyFiles', { n: MAX_FILES }));
    return text.trim() === '' && files.length === 0 ? [] : [{ id, text, files }];
  });
}

/**
 * Returns the refs of all files in order; stores inline content as an upload of the caller.
 * @throws {RequestError} with the file's name
 */
export async function refsOf(said: ChatText, caller: Caller, { uploads }: ProtocolParts): Promise<string[]> {
  const refs: string[] = [];
  for (const { name, type, url, field } of said.files) {
    const ref = REF.exec(url)?.[1];
    const content = ref === undefined ? contentOf(url) : undefined;
    if (ref !== undefined) refs.push(ref);
    else if (!content) throw new RequestError(400, 'bad_request', say('requests.fileContent', { name }), field);
    else {
      const given = { name, type: type.includes('/') ? type : content.type };
      const stored = uploads.store(caller.id, given, asBody(content.bytes));
      refs.push((await stored.catch((error: unknown) => Promise.reject(namedRefusal(error, name, field)))).ref);
    }
  }
  return refs;
}

async function* asBody(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes;
}

/** Decodes a data URL (RFC 2397). */
function contentOf(url: string): { type: string; bytes: Buffer } | undefined {
  const comma = url.indexOf(',');
  const head = url.slice(0, Math.max(0, comma));
  if (!/^data:/i.test(head) || head.length > 500) return undefined;
  const data = url.slice(comma + 1);
  const type = head.slice('data:'.length).split(';', 1)[0] ?? '';
  if (!/;base64$/i.test(head)) {
    try {
      return { type, bytes: Buffer.from(decodeURIComponent(data)) };
    } catch (error) {
      if (error instanceof URIError) return undefined;
      throw error;
    }
  }
  return /^[\w+/-]*={0,2}$/.test(data) ? { type, bytes: Buffer.from(data, 'base64') } : undefined;
}
