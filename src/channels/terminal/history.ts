/**
 * Keeps the typed history across starts: a file in the home that only its owner may read, one JSON string per line.
 * Invariants: it never holds more than twice `MAX_ENTRIES`; text that looks like a secret isn't written; a failure of
 * the file never prevents typing.
 */
import fs from 'node:fs';
import { errorCode } from '../../errors.ts';
import { tempBeside } from '../../lib/files/staged-file.ts';
import { parseJson } from '../../lib/json.ts';
import { scrub } from '../../log.ts';
import { safe } from './safe.ts';

const MAX_ENTRIES = 500;
const MAX_LENGTH = 5_000;
const MAX_BYTES = 2 * 1024 * 1024;

const SECRETS = [
  /\b(sk|pk|rk|ghp|gho|ghu|ghs|glpat|github_pat|xox[a-z]|xapp|hf|npm|AKIA|ASIA|AIza|ya29|whsec)[-_]?[\w.-]{12,}/,
  /\beyJ[\w-]{8,}\.[\w-]{8,}/,
  /-----BEGIN [A-Z ]*PRIVATE KEY/,
  /\bBearer\s+\S{8,}/i,
  /:\/\/[^\s/:@]+:[^\s/@]+@/,
  /(password|passwort|passwd|passphrase|kennwort|token|secret|api[ _-]?key)\b[^\n]{0,40}?(?:[:=]|\bis\b|\bist\b)\s*\S{4,}/i,
];
/** Matches a long mix of letters and digits that nobody would make up. */
const RANDOM = /(?=[\w+=-]*\d)(?=[\w+=-]*[a-z])(?=[\w+=-]*[A-Z])[\w+=-]{24,}/;

export const seemsSecret = (text: string): boolean =>
  scrub(text) !== text || SECRETS.some((pattern) => pattern.test(text)) || RANDOM.test(text);

export class History {
  readonly #file: string;
  #entries: string[] = [];
  /** The current position; equal to the number of entries while a new text is typed. */
  #at = 0;
  #typed = '';

  constructor(file: string) {
    this.#file = file;
    this.#entries = this.#tolerate(() => readEntriesFrom(file)) ?? [];
    this.#at = this.#entries.length;
  }

  /** Adds a text unless it repeats the last one, seems to contain a secret, or begins with a blank. */
  add(text: string): void {
    const entry = text.trimEnd();
    const isKept = entry !== '' && !/^\s/.test(entry) && entry.length <= MAX_LENGTH && entry !== this.#entries.at(-1);
    if (isKept && !seemsSecret(entry)) {
      this.#entries.push(entry);
      this.#tolerate(() => this.#write(entry));
    }
    this.#at = this.#entries.length;
  }

  /** Returns the previous or next entry; undefined if there is none. `typed` is the line's current text. */
  move(by: -1 | 1, typed: string): string | undefined {
    const to = this.#at + by;
    if (to < 0 || to > this.#entries.length) return undefined;
    if (this.#at === this.#entries.length) this.#typed = typed;
    this.#at = to;
    return this.#entries[to] ?? this.#typed;
  }

  /** Returns the newest entry that contains `part` in any case, is older than `before` and differs from it. */
  find(part: string, before?: { at: number; text: string }): { at: number; text: string } | undefined {
    const wanted = part.toLowerCase();
    const older = this.#entries.slice(0, before?.at);
    const at = older.findLastIndex((entry) => entry !== before?.text && entry.toLowerCase().includes(wanted));
    const text = older[at];
    return text === undefined ? undefined : { at, text };
  }

  /** Makes `move` continue from an entry. @param typed the line's text before */
  moveTo(at: number, typed: string): void {
    this.#at = at;
    this.#typed = typed;
  }

  #write(entry: string): void {
    if (this.#entries.length > 2 * MAX_ENTRIES) {
      this.#entries = this.#entries.slice(-MAX_ENTRIES);
      const temp = tempBeside(this.#file);
      fs.writeFileSync(temp, this.#entries.map((one) => `${JSON.stringify(one)}\n`).join(''), { mode: 0o600 });
      fs.renameSync(temp, this.#file);
      return;
    }
    const { O_APPEND, O_CREAT, O_WRONLY, O_NOFOLLOW, O_NONBLOCK } = fs.constants;
    const fd = fs.openSync(this.#file, O_APPEND | O_CREAT | O_WRONLY | O_NOFOLLOW | O_NONBLOCK, 0o600);
    try {
      if ((fs.fstatSync(fd).mode & 0o077) !== 0) fs.fchmodSync(fd, 0o600);
      fs.writeSync(fd, `${JSON.stringify(entry)}\n`);
    } finally {
      fs.closeSync(fd);
    }
  }

  #tolerate<T>(action: () => T): T | undefined {
    try {
      return action();
    } catch (error) {
      if (errorCode(error) === undefined) throw error;
      return undefined;
    }
  }
}

/** Reads the entries; lines that aren't ours are left out. */
function readEntriesFrom(file: string): string[] {
  const stats = fs.lstatSync(file, { throwIfNoEntry: false });
  if (!stats?.isFile() || stats.size > MAX_BYTES) return [];
  return fs
    .readFileSync(file, 'utf8')
    .split('\n')
    .map(parseJson)
    .flatMap((text) => (typeof text === 'string' && text.length <= MAX_LENGTH ? [safe(text)] : []))
    .slice(-MAX_ENTRIES);
}
