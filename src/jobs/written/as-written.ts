/**
 * The text of a job file as people write it, made into the YAML that they meant; each line stays in its place, so that what is wrong is
 * named by the line it has in the file. Pure. What could mean two things is left as it is, for the reader to refuse.
 */
import { type Said, say } from '../../messages/messages.ts';

export interface AsWritten {
  text: string;
  /** What stands below the second `---` of a front matter. */
  body?: string;
}

export interface Undecided {
  line: number;
  wrong: Said;
}

const WORDS = new Set(['name', 'prompt']);
const TIMES = new Set(['schedule', 'cron', 'when', 'every', 'at', 'time', 'cronexpression', 'cronexpr']);
const PLACES = new Set(['deliver', 'notify', 'channel']);
/** A key at the beginning of a line with one line of plain words behind it. */
const PLAIN = /^([A-Za-z_][\w-]*)([ \t]*:)[ \t]+([^\s"'|>#].*)$/;
/** What ends plain words: a mark with a space behind it. `#5` and `#general` are words. */
const COMMENT = /(?<![ \t])[ \t]+#(?:[ \t!].*)?$/;

/** A key as it is meant, whatever its letters and marks are: `Max-Steps` is `maxsteps`. */
export const spelt = (key: string): string => key.toLowerCase().replace(/[^a-z]/g, '');

export function asWritten(source: string): AsWritten | Undecided {
  const lines = source.replace(/^\uFEFF/, '').split(/\r?\n/);
  blankFence(lines);
  const isBlank = (line: string) => line.trim() === '' || line.startsWith('#');
  const opening = lines.findIndex((line) => !isBlank(line));
  if (/^---[ \t]*$/.test(lines[opening] ?? '')) lines[opening] = '';
  const closing = lines.findIndex((line) => /^---[ \t]*$/.test(line));
  const body = closing < 0 ? [] : lines.splice(closing).slice(1);
  if (body.some((line) => /^schedule[ \t]*:/i.test(line)) && body.some((line) => /^(?:name|prompt)[ \t]*:/i.test(line)))
    return { line: closing + 1, wrong: say('jobFiles.twoJobs') };
  const below = nextLines(lines);
  const text = lines.map((line, at) => quoted(spaced(line), below[at])).join('\n');
  return { text, ...(body.some((line) => line.trim() !== '') && { body: `${body.join('\n').trim()}\n` }) };
}

/** The whole file as a block of code, as it is copied out of an answer. */
function blankFence(lines: string[]): void {
  const [first, last] = [
    lines.findIndex((line) => line.trim() !== ''),
    lines.findLastIndex((line) => line.trim() !== ''),
  ];
  const [, fence] = /^(```|~~~)\w*[ \t]*$/.exec(lines[first] ?? '') ?? [];
  if (fence === undefined || first === last || lines[last]?.trim() !== fence) return;
  lines[first] = '';
  lines[last] = '';
}

/** Tabs, and the spaces that do not break a line, which nobody sees. */
function spaced(line: string): string {
  return line.replace(/^[\t\u00a0]+/, (indent) => indent.replaceAll('\t', '  ').replaceAll('\u00a0', ' '));
}

/** For each line the next one that is not blank. */
function nextLines(lines: readonly string[]): string[] {
  let next = '';
  return lines
    .map((_line, at) => at)
    .reverse()
    .map((at) => {
      const below = next;
      if (lines[at]?.trim() !== '') next = lines[at] ?? '';
      return below;
    })
    .reverse();
}

/** Plain words in one line are what they say, whatever marks of YAML they hold. */
function quoted(line: string, below = ''): string {
  const [, key = '', colon = '', rest = ''] = PLAIN.exec(line) ?? [];
  // They go on in the next line.
  if (key === '' || /^[ \t]+\S/.test(below)) return line;
  const value = rest.trimEnd().replace(COMMENT, '');
  const put = (words: string) => `${key}${colon} ${JSON.stringify(words)}${rest.slice(value.length)}`;
  const meant = spelt(key);
  const isMarked = /^[*@%`&!]|:[ \t]|:$/.test(value);
  if (WORDS.has(meant) && (isMarked || /^(?:[[{},\]]|[?-][ \t])|[ \t]#/.test(value))) return put(value);
  if (TIMES.has(meant) && isMarked && !/^[[{]/.test(value)) return put(value);
  if (PLACES.has(meant) && /^[a-z]+:[ \t]+[^\s,]+$/.test(value)) return put(value.replace(/[ \t]/g, ''));
  return line;
}
