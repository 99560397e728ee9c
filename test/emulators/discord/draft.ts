/** Checks the content of a message to create. https://discord.com/developers/docs/resources/message#create-message */
import type { APIAllowedMentions, APIEmbed } from 'discord-api-types/v10';
import type { Body } from './body.ts';
import { readComponents } from './components.ts';
import { invalid, tooLong } from './errors.ts';
import { type Fields, integer, isObject, lengthOf, list, text } from './fields.ts';
import type { FileStore, StoredFile } from './files.ts';
import { allowedMentions } from './mentions.ts';

export const SUPPRESS_EMBEDS = 4;
export const EPHEMERAL = 64;
export const LOADING = 128;
export const SILENT = 4096;
const VOICE = 8192;
export const LAYOUT = 32_768;

/** The contents of a body; undefined where it has no field. */
export interface Draft {
  content: string | undefined;
  embeds: APIEmbed[] | undefined;
  components: Fields[] | undefined;
  flags: number | undefined;
  allowedMentions: APIAllowedMentions | undefined;
  /** Entries that refer to an existing file by ID. */
  keep: Fields[] | undefined;
  /** Creates the new files, once everything else has been accepted. */
  upload(channelId: string): StoredFile[];
  uploads: number;
  nonce: string | number | null;
}

const EMBED_LIMITS = { title: 256, description: 4096 } as const;

function readEmbeds(fields: Fields): APIEmbed[] | undefined {
  if (fields.embeds === undefined || fields.embeds === null) return undefined;
  const embeds = list(fields, 'embeds', 10);
  let total = 0;
  const count = (from: Fields, key: string, max: number, path: string) => {
    total += lengthOf(text(from, key, max, `${path}.${key}`) ?? '');
  };
  for (const [index, embed] of embeds.entries()) {
    const path = `embeds.${index}`;
    for (const [key, max] of Object.entries(EMBED_LIMITS)) count(embed, key, max, path);
    if (isObject(embed.footer)) count(embed.footer, 'text', 2048, `${path}.footer`);
    if (isObject(embed.author)) count(embed.author, 'name', 256, `${path}.author`);
    for (const [n, field] of list(embed, 'fields', 25, `${path}.fields`).entries()) {
      count(field, 'name', 256, `${path}.fields.${n}`);
      count(field, 'value', 1024, `${path}.fields.${n}`);
    }
  }
  if (total > 6000) {
    throw invalid('embeds', 'MAX_EMBED_SIZE_EXCEEDED', 'Embed size exceeds maximum size of 6000');
  }
  return embeds;
}

function readNonce(fields: Fields): string | number | null {
  const { nonce } = fields;
  if (nonce === undefined || nonce === null) return null;
  if (typeof nonce === 'number' && Number.isInteger(nonce)) return nonce;
  if (typeof nonce !== 'string') throw invalid('nonce', 'NONCE_TYPE_INVALID', 'Nonce must be an integer or a string.');
  if (nonce.length > 25) throw tooLong('nonce', 25);
  return nonce;
}

function readUploads(body: Body, files: FileStore): Pick<Draft, 'keep' | 'upload' | 'uploads'> {
  const { fields, uploads } = body;
  const told = fields.attachments === undefined ? undefined : list(fields, 'attachments', 10);
  if (uploads.size > 10) throw tooLong('attachments', 10);
  const about = new Map((told ?? []).map((each) => [String(each.id), each]));
  for (const [index, each] of (told ?? []).entries()) {
    text(each, 'description', 1024, `attachments.${index}.description`);
  }
  // A number refers to a file of this form, an ID to a file that the message already has.
  const keep = told?.filter((each) => !uploads.has(String(each.id)));
  return {
    keep,
    uploads: uploads.size,
    upload: (channelId) =>
      [...uploads].map(([n, file]) => {
        const facts = about.get(n) ?? {};
        return files.add({
          channelId,
          name: text(facts, 'filename', 1024) ?? file.name,
          size: file.size,
          sha256: file.sha256,
          contentType: file.mimeType,
          description: text(facts, 'description', 1024),
          bytes: file.bytes,
        });
      }),
  };
}

/** Throws 50035 for the first field that breaks a limit. `flags` are the flags that may be set here. */
export function readDraft(body: Body, files: FileStore, allowedFlags: number): Draft {
  const { fields } = body;
  const wanted = integer(fields, 'flags');
  if (wanted !== null && (wanted & VOICE) !== 0) {
    throw invalid('flags', 'MESSAGE_VOICE_MESSAGE_INVALID', 'Voice messages need exactly one audio file.');
  }
  const flags = wanted === null ? undefined : wanted & (allowedFlags | LAYOUT);
  const isLayout = ((flags ?? 0) & LAYOUT) !== 0;
  const content = fields.content === undefined ? undefined : (text(fields, 'content', 2000) ?? '').trim();
  if (isLayout && (content || fields.embeds)) {
    const key = content ? 'content' : 'embeds';
    throw invalid(
      key,
      'MESSAGE_CANNOT_USE_LEGACY_FIELDS_WITH_COMPONENTS_V2',
      `The '${key}' field cannot be used when using MessageFlags.IS_COMPONENTS_V2`,
    );
  }
  return {
    content,
    embeds: readEmbeds(fields),
    components: fields.components === undefined ? undefined : readComponents(fields, isLayout),
    flags,
    allowedMentions: allowedMentions(fields),
    nonce: readNonce(fields),
    ...readUploads(body, files),
  };
}
