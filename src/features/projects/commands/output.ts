/** Keeps a command's output within limits, and removes control characters meant for a terminal. */
import { stripVTControlCharacters } from 'node:util';
import { visibleText } from '../../../runtime/context/turn.ts';
import { createOutputBuffer, type OutputBuffer } from '../../../skills/output.ts';

/** Limit on the output that is kept of a command, in bytes. */
export const MAX_KEPT = 8 * 1024 * 1024;
/** Limit on the output shown to the model at once, in characters, split between its beginning and end. */
const MAX_SHOWN = 20_000;
/** Limit on unread output of a process in the background, in bytes. */
const MAX_UNSEEN = 64 * 1024;
const MAX_LINE = 120;

export interface CommandOutput {
  add(chunk: Buffer): void;
  /** Returns all output, up to `MAX_KEPT`; '' once it has been forgotten. */
  whole(): string;
  /** From now on, keeps only unread output. */
  forget(): void;
  hasUnseen(): boolean;
  /** Returns the output since the last call, or the end of it if it is too long. */
  unseen(): string;
  /** Resolves when more output arrives. */
  next(): Promise<void>;
}

export function createCommandOutput(): CommandOutput {
  let all: OutputBuffer | undefined = createOutputBuffer(MAX_KEPT);
  let fresh: Buffer[] = [];
  let size = 0;
  let isCut = false;
  let added = Promise.withResolvers<void>();
  return {
    add(chunk) {
      all?.add(chunk);
      fresh.push(chunk);
      size += chunk.length;
      if (size > 2 * MAX_UNSEEN) {
        fresh = [Buffer.concat(fresh).subarray(-MAX_UNSEEN)];
        size = MAX_UNSEEN;
        isCut = true;
      }
      added.resolve();
      added = Promise.withResolvers();
    },
    whole: () => cleanOutput(all?.read([]).text ?? ''),
    forget() {
      all = undefined;
    },
    hasUnseen: () => size > 0,
    unseen() {
      const bytes = Buffer.concat(fresh);
      // The remaining bytes of a character may still follow.
      const end = endOfText(bytes);
      const text = cleanOutput(bytes.subarray(0, end).toString());
      fresh = end < bytes.length ? [bytes.subarray(end)] : [];
      size = bytes.length - end;
      const shown = isCut ? `[... left out ...]\n${text}` : text;
      isCut = false;
      return shown;
    },
    next: () => added.promise,
  };
}

/** Returns the end of the last complete UTF-8 character. */
function endOfText(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte < 0x80) return bytes.length;
    if (byte >= 0xc0) return back < (byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2) ? bytes.length - back : bytes.length;
  }
  return bytes.length;
}

/** Returns what a terminal would finally show: for a line that was overwritten, its last state. */
export function cleanOutput(text: string): string {
  const lines = stripVTControlCharacters(text)
    .split('\n')
    .map((line) => line.replace(/\r+$/, '').replace(/^.*\r/s, ''));
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is removed
  return visibleText(lines.join('\n').replace(/[\u0000-\u0008\u000b-\u001f\u007f]/g, ''));
}

/** Keeps the beginning and the end of a long text. */
export function shownOutput(text: string): { output: string; isCut: boolean } {
  const whole = text.trimEnd();
  if (whole.length <= MAX_SHOWN) return { output: whole, isCut: false };
  const half = MAX_SHOWN / 2;
  const left = whole.length - MAX_SHOWN;
  const [start, end] = [whole.slice(0, half).toWellFormed(), whole.slice(-half).toWellFormed()];
  return { output: `${start}\n[... ${left} characters left out ...]\n${end}`, isCut: true };
}

/** Shortens a command to one line. */
export function oneLine(command: string): string {
  const line = cleanOutput(command).replace(/\s+/g, ' ').trim();
  return line.length > MAX_LINE ? `${line.slice(0, MAX_LINE).toWellFormed()}…` : line;
}

/** Returns the last line that contains words, for people who watch; undefined if there is none. */
export function lastLine(chunk: Buffer): string | undefined {
  const lines = cleanOutput(chunk.subarray(-4_096).toString()).split('\n');
  const line = lines.findLast((one) => /[\p{L}\p{N}]/u.test(one))?.trim();
  return line?.slice(0, MAX_LINE).toWellFormed();
}
