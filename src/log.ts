/** A pino logger that removes known secrets from every line, in each encoding (promise 57). */
import { pino } from 'pino';

export type Logger = pino.Logger;

/** Longest first, so that a secret inside another leaves no remainder. */
let secrets: readonly string[] = [];
const MASK = '[secret]';
// Telegram puts the token in the URL of every call; grammY's errors carry that URL.
const TOKENS = [
  { mark: ':', shape: /\d{6,12}:[A-Za-z0-9_-]{30,50}/g },
  { mark: 'xox', shape: /xox[a-z]-[A-Za-z0-9-]{10,500}/g },
  { mark: 'xapp-', shape: /xapp-[A-Za-z0-9-]{10,500}/g },
];

/** Registers a value that must never be written anywhere, with its URL-encoded, base64 and JSON-escaped forms. */
export function addSecret(value: string | undefined): void {
  if (value === undefined || value.length < 6) return;
  const base64 = Buffer.from(value).toString('base64').replace(/=+$/, '');
  const forms = [value, encodeURIComponent(value.toWellFormed()), base64, JSON.stringify(value).slice(1, -1)];
  const all = new Set([...secrets, ...forms]);
  if (all.size > secrets.length) secrets = [...all].sort((a, b) => b.length - a.length);
}

/** Replaces every known secret. Used for logs, replies, transcripts and model requests. */
export function scrub(text: string): string {
  let clean = text;
  for (const secret of secrets) if (clean.includes(secret)) clean = clean.replaceAll(secret, MASK);
  for (const { mark, shape } of TOKENS) if (clean.includes(mark)) clean = clean.replace(shape, MASK);
  return clean;
}

export interface LogOptions {
  level: string;
  /** Human-readable lines instead of JSON. */
  pretty: boolean;
  /** Writes a line; to standard output by default. */
  write?: (line: string) => void;
}

const LEVELS: Record<number, string> = { 10: 'trace', 20: 'debug', 30: 'info', 40: 'warn', 50: 'error', 60: 'fatal' };

/** Returns a line of JSON as people read it. */
export function prettyLine(line: string): string {
  const { level, time, msg, pid: _pid, hostname: _hostname, ...rest } = JSON.parse(line) as Record<string, unknown>;
  const fields = Object.entries(rest).map(([key, value]) => {
    if (key === 'err' && typeof value === 'object' && value !== null && 'message' in value)
      return `err="${value.message}"`;
    return `${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`;
  });
  const clock = new Date(Number(time)).toISOString().slice(11, 19);
  return `${clock} ${LEVELS[Number(level)] ?? level} ${String(msg ?? '')}${fields.length ? `  ${fields.join(' ')}` : ''}\n`;
}

const KEPT_LINES = 1_000;
const KEPT_LENGTH = 4_000;
const kept: string[] = [];
let written = 0;

/** Keeps a line in memory, unless it is too long. */
function keepLine(line: string): void {
  if (line.length <= KEPT_LENGTH) kept[written++ % KEPT_LINES] = line;
}

/** Returns the last lines as JSON, oldest first, each with its number and without secrets. */
export function keptLines(): { at: number; text: string }[] {
  const first = Math.max(0, written - KEPT_LINES);
  return Array.from({ length: written - first }, (_, n) => ({
    at: first + n,
    text: kept[(first + n) % KEPT_LINES] ?? '',
  }));
}

/** Creates the process's logger. Lines are scrubbed before they leave it. */
export function createLog(options: LogOptions): Logger {
  const write = options.write ?? createStdoutWriter();
  const isDetailed = options.level === 'debug' || options.level === 'trace';
  const destination = {
    write(line: string) {
      const clean = scrub(isDetailed ? line : withoutStack(line));
      keepLine(clean);
      write(options.pretty ? prettyLine(clean) : clean);
    },
  };
  return pino({ level: options.level, base: null, serializers: { err: errorFields } }, destination);
}

const ERROR = 50;

/** Removes the stack from a line below the error level, where the message says what people need. */
function withoutStack(line: string): string {
  if (!line.includes('"stack":')) return line;
  const fields = JSON.parse(line) as { level: number; err?: { stack?: unknown } };
  if (fields.level >= ERROR) return line;
  delete fields.err?.stack;
  return `${JSON.stringify(fields)}\n`;
}

/** In milliseconds. Each write wakes the reader, so the lines of one message are written together. */
const GATHER_MS = 10;

/** Merges lines into one write, including the last ones before an exit. */
function createStdoutWriter(): (line: string) => void {
  let buffer = '';
  const flush = () => {
    const lines = buffer;
    buffer = '';
    if (lines !== '') process.stdout.write(lines);
  };
  process.on('exit', flush);
  return (line) => {
    if (buffer === '') setTimeout(flush, GATHER_MS).unref();
    buffer += line;
  };
}

/**
 * Returns the fields of an error worth logging. SDK errors carry whole requests (prompts, tokens): never log them
 * whole.
 */
function errorFields(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const code = 'code' in error ? error.code : undefined;
  const cause = error.cause instanceof Error ? error.cause.message : undefined;
  return {
    type: error.name,
    message: error.message,
    code,
    cause,
    stack: error.stack?.split('\n').slice(1, 5).join('\n'),
  };
}

/** Returns the same log, which also passes every logged error to `onError`. */
export function heard(log: Logger, onError: (error: unknown) => void): Logger {
  const err = (error: unknown) => {
    onError(error);
    return errorFields(error);
  };
  return log.child({}, { serializers: { err } });
}

/** Returns a logger that writes nothing, for tests and tools. */
export function silentLog(): Logger {
  return pino({ level: 'silent' });
}
