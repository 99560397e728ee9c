/**
 * A streaming multipart/form-data reader (RFC 7578). Parts are processed piece by piece. A file's bytes are hashed and
 * counted as they arrive and kept only on request, so that a large upload needs no memory.
 */
import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { eachChunk } from './http.ts';

const HEAD_BYTES = 65_536;
const FIELD_BYTES = 4 * 1024 * 1024;
const BLANK_LINE = Buffer.from('\r\n\r\n');

/** A form that can't be read. */
export class FormError extends Error {
  readonly isTooLarge: boolean;
  constructor(message: string, isTooLarge = false) {
    super(message);
    this.isTooLarge = isTooLarge;
  }
}

/** A file in a multipart body. Its bytes are kept only if the emulator keeps files. */
export interface Upload {
  name: string;
  mimeType: string;
  size: number;
  sha256: string;
  /** The first bytes, enough to recognise the type. */
  head: Buffer;
  bytes: Buffer | undefined;
}

export interface Form {
  values: Record<string, unknown>;
  files: Map<string, Upload>;
}

export interface FormOptions {
  keepFiles: boolean;
  /** The largest uploaded file, in bytes. */
  maxFileBytes: number;
  /** The largest body, in bytes; any by default. */
  maxBytes?: number;
}

export interface MultipartReader {
  push(chunk: Buffer): void;
  /** Throws if the body ended in the middle. */
  end(): Form;
  /** The size of the largest file so far. */
  largest(): number;
}

interface Part {
  name: string;
  fileName: string | undefined;
  mimeType: string;
  size: number;
  pieces: Buffer[];
  hash: ReturnType<typeof createHash>;
}

/**
 * Parses the parameters of a header such as `form-data; name="a"; filename=b.txt`; a value without quotes ends at `;`.
 */
function headerParameters(value: string): Map<string, string> {
  const found = new Map<string, string>();
  const pattern = /;\s*([\w*-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"\s*(?=;|$)|(?!")([^;]*))/y;
  for (let match = pattern.exec(value); match; match = pattern.exec(value)) {
    const [, key = '', quoted, plain = ''] = match;
    found.set(key.toLowerCase(), quoted === undefined ? plain.trim() : quoted.replaceAll(/\\(.)/g, '$1'));
  }
  if (!found.has('name')) throw new FormError('wrong Content-Disposition header');
  if (/filename\s*=/.test(value) && !found.has('filename')) {
    throw new FormError('unclosed quoted string in Content-Disposition header');
  }
  return found;
}

function startPart(header: string): Part {
  const lines = header.split('\r\n').map((line) => {
    const colon = line.indexOf(':');
    return [line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim()] as const;
  });
  const headers = new Map(lines);
  const disposition = headers.get('content-disposition');
  if (!disposition?.startsWith('form-data;')) throw new FormError('expected form-data content disposition');
  const parameters = headerParameters(disposition.slice('form-data'.length));
  return {
    name: parameters.get('name') ?? '',
    fileName: parameters.get('filename'),
    mimeType: headers.get('content-type') ?? 'application/octet-stream',
    size: 0,
    pieces: [],
    hash: createHash('sha256'),
  };
}

/** Returns the name as the platform stores it: without folders and control characters. */
export function cleanFileName(name: string): string {
  const base = name.split(/[/\\]/).at(-1) ?? '';
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what has to go
  return base.replaceAll(/[\u0000-\u001f\u007f]/g, '').slice(0, 255);
}

/**
 * Reads a body whose parts are separated by `boundary`. From `maxBytes` on, a file isn't kept any more (but counted).
 */
export function createMultipartReader(boundary: string, keepFiles: boolean, maxBytes: number): MultipartReader {
  const delimiter = Buffer.from(`\r\n--${boundary}`);
  const values: Record<string, unknown> = {};
  const files = new Map<string, Upload>();
  let state: 'preamble' | 'after-delimiter' | 'headers' | 'body' | 'done' = 'preamble';
  // The first delimiter may be at the very start, so the stream is read as if a line had ended before it.
  let pending: Buffer = Buffer.from('\r\n');
  let part: Part | undefined;
  let largest = 0;

  function take(bytes: Buffer): void {
    if (!part || bytes.length === 0) return;
    const before = part.size;
    part.size += bytes.length;
    if (part.fileName === undefined) {
      if (part.size > FIELD_BYTES) throw new FormError(`field "${part.name}" is too long`);
      part.pieces.push(Buffer.from(bytes));
      return;
    }
    part.hash.update(bytes);
    largest = Math.max(largest, part.size);
    const keep = keepFiles && part.size <= maxBytes ? bytes.length : Math.max(0, HEAD_BYTES - before);
    if (keep > 0) part.pieces.push(Buffer.from(bytes.subarray(0, keep)));
  }

  function finish(): void {
    if (!part) return;
    const bytes = Buffer.concat(part.pieces);
    if (part.fileName === undefined) values[part.name] = bytes.toString();
    else {
      files.set(part.name, {
        name: cleanFileName(part.fileName),
        mimeType: part.mimeType,
        size: part.size,
        sha256: part.hash.digest('hex'),
        head: bytes.subarray(0, HEAD_BYTES),
        bytes: keepFiles && bytes.length === part.size ? bytes : undefined,
      });
    }
    part = undefined;
  }

  /** Takes one step; returns false if more bytes are needed. */
  function step(): boolean {
    if (state === 'after-delimiter') {
      if (pending.length < 2) return false;
      state = pending[0] === 0x2d ? 'done' : 'headers';
      pending = pending.subarray(2);
      return true;
    }
    if (state === 'headers') {
      const end = pending.indexOf(BLANK_LINE);
      if (end === -1) return false;
      part = startPart(pending.subarray(0, end).toString());
      pending = pending.subarray(end + BLANK_LINE.length);
      state = 'body';
      return true;
    }
    if (state === 'done') return false;
    const at = pending.indexOf(delimiter);
    // The last bytes may be the start of a delimiter whose rest hasn't arrived yet.
    const safe = at === -1 ? Math.max(0, pending.length - delimiter.length + 1) : at;
    take(pending.subarray(0, safe));
    pending = pending.subarray(at === -1 ? safe : at + delimiter.length);
    if (at === -1) return false;
    finish();
    state = 'after-delimiter';
    return true;
  }

  return {
    push(chunk) {
      pending = pending.length === 0 ? chunk : Buffer.concat([pending, chunk]);
      while (step());
    },
    end() {
      if (state !== 'done') throw new FormError('unexpected end of the multipart body');
      return { values, files };
    },
    largest: () => largest,
  };
}

/** Reads a form from a request's body. Throws FormError if it can't be read or is too large. */
export async function readForm(request: IncomingMessage, options: FormOptions): Promise<Form> {
  const { keepFiles, maxFileBytes, maxBytes = Number.POSITIVE_INFINITY } = options;
  const boundary = /boundary=(?:"([^"]+)"|([^;\s]+))/i.exec(request.headers['content-type'] ?? '');
  if (!boundary) throw new FormError('boundary not found');
  const reader = createMultipartReader(boundary[1] ?? boundary[2] ?? '', keepFiles, maxFileBytes);
  let size = 0;
  // A body that is too large is read to its end anyway: a client that is still writing would miss the answer.
  await eachChunk(request, (chunk) => {
    size += chunk.length;
    if (size <= maxBytes) reader.push(chunk);
  });
  if (size > maxBytes || reader.largest() > maxFileBytes) throw new FormError('too large', true);
  return reader.end();
}
