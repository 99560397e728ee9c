/**
 * Writes a task's conversation to files for people: Markdown to read, JSON for programs. Goes line by line, so a long
 * session costs no memory. Known secrets are masked as in logs.
 */

import fs from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { namesIn } from '../../lib/damage.ts';
import { scrub } from '../../log.ts';
import type { SessionEntry } from '../types.ts';
import { parseEntry } from './session-lines.ts';

export interface Turn {
  /** ISO 8601. */
  at: string;
  who: 'person' | 'viber';
  name: string;
  text: string;
  files?: string[];
  tools?: string[];
}

type MessageLine = Extract<SessionEntry, { type: 'message' }>;

export interface TranscriptOptions {
  session: string;
  folder: string;
  name: string;
  title: string;
  viber: string;
  mayTell: (message: MessageLine) => boolean;
  maxBytes: number;
}

export interface TranscriptFile {
  path: string;
  name: string;
  type: string;
}

export interface Transcript {
  files: TranscriptFile[];
  turns: number;
  /** Messages that this person may not read. */
  hidden: number;
  /** The oldest turns, left out to fit the size. */
  cut: number;
}

type Format = 'md' | 'json';
const TYPES: Record<Format, string> = { md: 'text/markdown', json: 'application/json' };
const MAX_TRIES = 6;

/** A run without an allowed message is left out and counted. */
async function* turnsOf({ session, viber, mayTell }: TranscriptOptions, onHidden: () => void): AsyncGenerator<Turn> {
  let told: { run: string; isTold: boolean; tools: Set<string> } | undefined;
  let newest = 0;
  const lines = createInterface({ input: fs.createReadStream(session, 'utf8'), crlfDelay: Number.POSITIVE_INFINITY });
  for await (const line of lines) {
    const entry = parseEntry(line);
    if (!entry || !('run' in entry) || (entry.epoch ?? newest) < newest) continue;
    newest = entry.epoch ?? newest;
    if (entry.type === 'message') {
      const isTold = mayTell(entry);
      told = { run: entry.run, isTold, tools: new Set() };
      if (isTold) yield personTurn(entry);
      else onHidden();
    }
    if (told?.run !== entry.run || !told.isTold) continue;
    if (entry.type === 'step') for (const tool of toolsIn(entry)) told.tools.add(tool);
    if (entry.type === 'result' && entry.text !== '') yield viberTurn(entry, viber, [...told.tools]);
  }
}

const personTurn = ({ at, from, text, files }: MessageLine): Turn => ({
  at,
  who: 'person' as const,
  name: scrub(from.name),
  text: scrub(text),
  ...(files.length > 0 && { files: files.map(({ title }) => scrub(title)) }),
});

function viberTurn(
  { at, text, artifactRefs }: Extract<SessionEntry, { type: 'result' }>,
  name: string,
  tools: string[],
): Turn {
  return {
    at,
    who: 'viber' as const,
    name,
    text: scrub(text),
    ...(artifactRefs.length > 0 && { files: artifactRefs.map(({ title }) => scrub(title)) }),
    ...(tools.length > 0 && { tools }),
  };
}

function toolsIn({ messages }: Extract<SessionEntry, { type: 'step' }>): string[] {
  const text = JSON.stringify(messages);
  return [...text.matchAll(/"type":"tool-call","toolCallId":"[^"]*","toolName":"([\w-]{1,64})"/g)].map(
    ([, name = '']) => name,
  );
}

/** Both are plain, compressed, or without the oldest turns, to fit the platform's limit. */
export async function writeTranscript(options: TranscriptOptions): Promise<Transcript> {
  fs.mkdirSync(options.folder, { recursive: true, mode: 0o700 });
  const whole = await writeTranscriptFile(options, 'md', 0);
  const written = [whole, await writeTranscriptFile(options, 'json', 0)];
  const results = await Promise.all(written.map((one) => fitted(one, options)));
  return {
    files: results.map(({ file }) => file),
    turns: whole.turns,
    hidden: whole.hidden,
    cut: Math.max(...results.map(({ cut }) => cut)),
  };
}

interface WrittenTranscript {
  format: Format;
  file: string;
  turns: number;
  hidden: number;
}

async function fitted(
  whole: WrittenTranscript,
  options: TranscriptOptions,
): Promise<{ file: TranscriptFile; cut: number }> {
  const { format } = whole;
  const plain = (file: string) => ({ path: file, name: path.basename(file), type: TYPES[format] });
  if (transcriptSize(whole.file) <= options.maxBytes) return { file: plain(whole.file), cut: 0 };
  const packed = `${whole.file}.gz`;
  await pipeline(fs.createReadStream(whole.file), createGzip(), fs.createWriteStream(packed, { mode: 0o600 }));
  if (transcriptSize(packed) <= options.maxBytes)
    return { file: { path: packed, name: path.basename(packed), type: 'application/gzip' }, cut: 0 };
  fs.rmSync(packed);
  // Turns differ in length, so the share that is kept shrinks until it fits.
  let share = (options.maxBytes / transcriptSize(whole.file)) * 0.9;
  for (let tries = 0; ; tries += 1) {
    const cut = tries < MAX_TRIES ? whole.turns - Math.floor(whole.turns * share) : whole.turns;
    const { file } = await writeTranscriptFile(options, format, cut);
    if (transcriptSize(file) <= options.maxBytes || cut === whole.turns) return { file: plain(file), cut };
    share /= 2;
  }
}

const transcriptSize = (file: string): number => fs.statSync(file).size;

/** @param skip the oldest turns, which are left out */
async function writeTranscriptFile(
  options: TranscriptOptions,
  format: Format,
  skip: number,
): Promise<WrittenTranscript> {
  const file = path.join(options.folder, `${options.name}.${format}`);
  const count = { turns: 0, hidden: 0 };
  async function* text() {
    const { title, viber } = options;
    const exportedAt = new Date().toISOString();
    yield format === 'md'
      ? `# ${scrub(title)}\n\n`
      : `${JSON.stringify({ title: scrub(title), viber, exportedAt }).slice(0, -1)},"turns":[`;
    for await (const turn of turnsOf(options, () => void count.hidden++)) {
      count.turns += 1;
      if (count.turns <= skip) continue;
      if (format === 'md') yield markdownOf(turn);
      else yield `${count.turns === skip + 1 ? '\n' : ',\n'}${JSON.stringify(turn)}`;
    }
    if (format === 'json') yield `\n],"leftOut":${skip}}\n`;
  }
  await pipeline(text, fs.createWriteStream(file, { mode: 0o600 }));
  return { format, file, ...count };
}

function markdownOf({ at, name, text, files = [] }: Turn): string {
  const when = at.replace('T', ' ').replace(/:\d\d(\.\d+)?Z$/, ' UTC');
  const list = files.map((file) => `- ${file}\n`).join('');
  return `**${name.replace(/[\r\n*]/g, ' ')}** (${when})\n\n${text.trim()}\n\n${list === '' ? '' : `${list}\n`}`;
}

export function sweepTranscripts(folder: string, olderThanMs: number): void {
  for (const name of namesIn(folder)) {
    const file = path.join(folder, name);
    const stat = fs.lstatSync(file, { throwIfNoEntry: false });
    if (stat && Date.now() - stat.mtimeMs > olderThanMs) fs.rmSync(file, { recursive: true, force: true });
  }
}
