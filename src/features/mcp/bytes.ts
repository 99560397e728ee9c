/** Finds files that are embedded in a value as base64, and replaces them with a note. Pure. */
import type { Json } from '../../workspace/types.ts';

export interface Bytes {
  bytes: Buffer;
  type: string;
}

/** The minimum length: shorter base64 is a key, a token or a hash and may matter, unless it begins like a file. */
const LONG = 512;
const MAX = 14_000_000;
const DATA_URL = /^data:([\w.+-]{1,64}\/[\w.+-]{1,64})?(?:;[\w=.+-]{1,64}){0,4};base64,/i;
const NO_BASE64 = /[^A-Za-z0-9+/_\-\s]/;
const MIME = /^[\w.+-]{1,64}\/[\w.+-]{1,64}$/;
/** The first bytes of files, as base64. */
const BEGINNINGS: readonly [string, string][] = [
  ['iVBORw0KGgo', 'image/png'],
  ['/9j/', 'image/jpeg'],
  ['R0lGOD', 'image/gif'],
  ['UklGR', 'image/webp'],
  ['JVBERi0', 'application/pdf'],
  ['UEsDB', 'application/zip'],
  ['H4sI', 'application/gzip'],
];
/** Keys next to a file's bytes that hold its type. */
const TYPE_KEYS = ['mimeType', 'mime_type', 'mediaType', 'media_type', 'contentType', 'content_type', 'type'];

/** `put` returns the value with each file replaced by its ID; a file without an ID stays for `withoutBase64` to cut. */
export function takeBytes(value: Json): { found: Bytes[]; put(idOf: (bytes: Buffer) => string | undefined): Json } {
  const found: Bytes[] = [];
  walk(value, undefined, (text, type) => {
    const file = fileIn(text, type);
    if (file) found.push(file);
    return text;
  });
  return {
    found,
    put: (idOf) =>
      walk(value, undefined, (text, type) => {
        const file = fileIn(text, type);
        const id = file && idOf(file.bytes);
        return file && id !== undefined ? `[kept as artifact ${id}, ${file.bytes.length} bytes]` : text;
      }),
  };
}

function walk(value: Json, type: string | undefined, change: (text: string, type?: string) => string): Json {
  if (typeof value === 'string') return change(value, type);
  if (Array.isArray(value)) return value.map((each) => walk(each, undefined, change));
  if (typeof value !== 'object' || value === null) return value;
  const named = TYPE_KEYS.map((key) => value[key]).find((each) => typeof each === 'string' && MIME.test(each));
  const own = typeof named === 'string' ? named : undefined;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, walk(each, own, change)]));
}

function fileIn(text: string, type: string | undefined): Bytes | undefined {
  if (text.length < 64 || text.length > MAX) return undefined;
  const url = DATA_URL.exec(text);
  const encoded = url ? text.slice(url[0].length) : text;
  const beginning = BEGINNINGS.find(([start]) => encoded.startsWith(start));
  if (NO_BASE64.test(encoded.trimEnd().replace(/={1,2}$/, '')) || encoded.trim() === '') return undefined;
  const isMixed = /[a-z]/.test(encoded) && /[A-Z]/.test(encoded) && /[0-9]/.test(encoded);
  if (!url && !beginning && !(encoded.length >= LONG && isMixed && !/\s\S+\s/.test(encoded.slice(0, 60))))
    return undefined;
  const bytes = Buffer.from(encoded, 'base64');
  return { bytes, type: url?.[1] ?? type ?? beginning?.[1] ?? 'application/octet-stream' };
}
