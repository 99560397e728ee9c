/**
 * Keeps a process's output within a limit: the beginning and the end are kept, the middle is only counted. Secrets are
 * masked.
 */

export interface Output {
  text: string;
  /** Bytes that the process wrote. */
  bytes: number;
  truncated: boolean;
}

export interface OutputBuffer {
  add(chunk: Buffer): void;
  /** Bytes so far. */
  readonly bytes: number;
  /** Returns the text with `secrets` replaced. */
  read(secrets: readonly string[]): Output;
}

const MASK = '[secret]';
/** Bytes kept beyond each half, so that a secret at the cut is still complete. */
const MARGIN = 8 * 1024;

/** @param limit maximum size of the returned text in bytes */
export function createOutputBuffer(limit: number): OutputBuffer {
  const half = Math.floor(limit / 2);
  const headSize = half + MARGIN;
  const tailSize = half + MARGIN;
  const head: Buffer[] = [];
  let headBytes = 0;
  let tail: Buffer[] = [];
  let tailBytes = 0;
  let bytes = 0;

  return {
    get bytes() {
      return bytes;
    },
    add(chunk) {
      bytes += chunk.length;
      const first = chunk.subarray(0, Math.max(0, headSize - headBytes));
      if (first.length > 0) head.push(first);
      headBytes += first.length;
      if (first.length === chunk.length) return;
      tail.push(chunk.subarray(first.length));
      tailBytes += chunk.length - first.length;
      if (tailBytes < tailSize * 2) return;
      tail = [Buffer.concat(tail).subarray(-tailSize)];
      tailBytes = tailSize;
    },
    read(given) {
      const secrets = given.filter((value) => value.length >= 4);
      const [start, end] = [Buffer.concat(head), Buffer.concat(tail).subarray(-tailSize)];
      const left = bytes - start.length - end.length;
      if (left === 0) {
        const clean = Buffer.from(mask(Buffer.concat([start, end]).toString(), secrets));
        if (clean.length <= limit) return { text: clean.toString(), bytes, truncated: false };
        return { text: cut(clean, clean, half), bytes, truncated: true };
      }
      const [first, last] = [start, end].map((part) => mask(part.toString(), secrets));
      const forms = secrets.flatMap(formsOf);
      return {
        text: cut(withoutBegun(first ?? '', forms), withoutEnded(last ?? '', forms), half),
        bytes,
        truncated: true,
      };
    },
  };
}

/** Joins the first and last bytes with a line that marks the gap; never splits a character. */
function cut(start: Buffer, end: Buffer, half: number): string {
  let from = half;
  while (from > 0 && isInside(start[from])) from--;
  let to = Math.max(0, end.length - half);
  while (to < end.length && isInside(end[to])) to++;
  return `${start.subarray(0, from)}\n[... left out ...]\n${end.subarray(to)}`;
}

/** Returns whether the byte continues a UTF-8 character. */
function isInside(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}

/** Removes part of a secret at the cut: masking shortens a half, so a secret split at its edge may become visible. */
function withoutBegun(given: string, forms: readonly string[]): Buffer {
  const text = given.replace(/\ufffd+$/, '');
  const piece = Math.max(0, ...forms.map((form) => longest(form, (length) => text.endsWith(form.slice(0, length)))));
  return Buffer.from(text.slice(0, text.length - piece));
}

function withoutEnded(given: string, forms: readonly string[]): Buffer {
  const text = given.replace(/^\ufffd+/, '');
  const piece = Math.max(0, ...forms.map((form) => longest(form, (length) => text.startsWith(form.slice(-length)))));
  return Buffer.from(text.slice(piece));
}

/** Returns the largest number of characters for which `holds` is true; 0 for fewer than four. */
function longest(form: string, holds: (length: number) => boolean): number {
  for (let length = form.length - 1; length >= 4; length--) if (holds(length)) return length;
  return 0;
}

function formsOf(secret: string): string[] {
  const coded = Buffer.from(secret).toString('base64').replace(/=+$/, '');
  return [secret, encodeURIComponent(secret), coded, JSON.stringify(secret).slice(1, -1)];
}

/**
 * Replaces each secret, also URL-encoded, in base64, or escaped as in JSON. Values below four characters aren't
 * secrets.
 */
function mask(text: string, secrets: readonly string[]): string {
  let clean = text;
  for (const secret of [...secrets].sort((a, b) => b.length - a.length)) {
    for (const form of formsOf(secret)) clean = clean.replaceAll(form, MASK);
  }
  return clean;
}
