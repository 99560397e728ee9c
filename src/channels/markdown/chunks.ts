/**
 * Keeps the Markdown parser's work small, whatever the source. The parser takes time that grows with the square of some
 * counts (lines and list marks of one parse, emphasis marks and brackets of one paragraph, ...) and recurses with the
 * depth of nesting. A long source is therefore parsed in pieces cut where no construct can be open, and a piece
 * that is still too costly is shown as it was written. The decision depends on the text alone, never on a clock:
 * a message rendered again after a restart must give the same parts.
 */
import { type Block, codeBlock } from './block.ts';
import { plainInline } from './rich.ts';

export type Chunk = { kind: 'markdown'; source: string } | { kind: 'block'; block: Block };

export const MAX_SOURCE = 100_000;
/** Up to this length a cheap source is parsed in one piece, so that references work all over it. */
const WHOLE = 16_000;
const PIECE = 8_000;
const SMALL_PIECE = 500;
const MAX_DEPTH = 24;
// One unit is about 0.1 microseconds of parsing on a small server.
const PIECE_COST = 1e6;
const TOTAL_COST = 5e6;
const PARSE_COST = 2000;
const CHARACTER_COST = 10;
const MARK_COST = 300;
const PIPE_COST = 250;
/** Characters of link definitions that every piece is given along. */
const MAX_DEFINITIONS = 4000;

const CONTAINERS = /^(?:[ \t]*(?:>|(?:[-+*]|\d{1,9}[.)])(?=[ \t\n]|$)))+/;
const FENCE = /^( {0,3})(`{3,}(?=[^`]*$)|~{3,})(.*)$/;
/** ReadCursors of list items that a fence may stand beside. */
const ITEMS = /^(?:[ \t]*(?:[-+*]|\d{1,9}[.)])[ \t]+)+/;
const DEFINITION = /^ {0,3}\[(?!\^)[^\]\\\n]{1,200}\]:[ \t]*\S[^\n]{0,2000}$/gm;

/** The source in pieces, in order. Line ends must be `\n`. */
export function chunkSource(source: string): Chunk[] {
  if (source.length > MAX_SOURCE) return [literal(source)];
  if (source.length <= WHOLE && parseCost(source) <= PIECE_COST) return [{ kind: 'markdown', source }];
  const definitions = definitionsOf(source);
  let left = TOTAL_COST;
  const priced = (text: string, least: number): Chunk[] =>
    pieces(text, least).flatMap((chunk) => {
      if (chunk.kind === 'block') return [chunk];
      const whole = definitions + chunk.source;
      const cost = parseCost(whole);
      // Of a piece that costs too much as much as possible is saved.
      if (cost > PIECE_COST && least > SMALL_PIECE) return priced(chunk.source, SMALL_PIECE);
      if (cost > PIECE_COST || cost > left) return [literal(chunk.source)];
      left -= cost;
      return [{ kind: 'markdown', source: whole }];
    });
  return priced(source, PIECE);
}

/** Links may be defined anywhere, so what defines them goes before every piece. */
function definitionsOf(source: string): string {
  let definitions = '';
  for (const [line] of source.matchAll(DEFINITION)) {
    if (definitions.length + line.length < MAX_DEFINITIONS) definitions += `${line}\n\n`;
  }
  return definitions;
}

function literal(source: string): Chunk {
  return {
    kind: 'block',
    block: { type: 'paragraph', inline: plainInline(source.replace(/^(?:[ \t]*\n)+/, '').trimEnd()) },
  };
}

/**
 * Cuts before a line that begins at the margin after an empty line once a piece has `least` characters, and takes fenced
 * code at the margin out whole.
 */
function pieces(source: string, least: number): Chunk[] {
  const chunks: Chunk[] = [];
  let lines: string[] = [];
  let size = 0;
  let empty = true;
  let fence: { mark: string; info: string; apart: boolean; inItem: boolean } | undefined;
  const flush = (): void => {
    if (lines.some((line) => line.trim() !== '')) chunks.push({ kind: 'markdown', source: lines.join('\n') });
    lines = [];
    size = 0;
  };
  const flushCode = (info: string): void => {
    const code = lines.join('\n');
    if (code.trim() !== '') chunks.push({ kind: 'block', block: codeBlock(code, info) });
    lines = [];
    size = 0;
  };
  for (const line of source.split('\n')) {
    // A fence in an item ends with the item at the latest, and what closes it is indented as the item is.
    if (fence?.inItem === true && empty && /^\S/.test(line)) fence = undefined;
    const beside = fence === undefined ? (ITEMS.exec(line)?.[0] ?? '') : '';
    const mark = FENCE.exec(fence?.inItem === true ? line.trimStart() : line.slice(beside.length));
    if (fence !== undefined) {
      const closes = mark?.[2]?.startsWith(fence.mark) === true && mark[3]?.trim() === '';
      if (closes && fence.apart) flushCode(fence.info);
      else lines.push(line);
      if (closes) fence = undefined;
    } else if (mark !== null) {
      fence = {
        mark: mark[2] ?? '',
        info: mark[3]?.trim() ?? '',
        apart: mark[1] === '' && beside === '',
        inItem: beside !== '',
      };
      if (fence.apart) flush();
      else lines.push(line);
    } else {
      if (empty && size >= least && /^\S/.test(line)) flush();
      lines.push(line);
    }
    size += line.length + 1;
    empty = line.trim() === '';
  }
  if (fence?.apart === true) flushCode(fence.info);
  else flush();
  return chunks;
}

/** What parsing would cost at worst, in the units above; infinite when it is nested too deeply. */
function parseCost(source: string): number {
  let containers = 0;
  let pipes = 0;
  let cost = PARSE_COST + source.length * CHARACTER_COST;
  for (const line of source.split('\n')) {
    const prefix = CONTAINERS.exec(line)?.[0];
    containers += 1;
    if (prefix !== undefined) {
      const depth = prefix.match(/[>+*.)-]/g)?.length ?? 0;
      const indent = prefix.length - prefix.trimStart().length;
      if (depth > MAX_DEPTH || indent > 4 * MAX_DEPTH) return Number.POSITIVE_INFINITY;
      containers += depth;
    }
    if (line.includes('|')) pipes += line.split('|').length;
  }
  for (const paragraph of source.split(/\n[ \t]*\n/)) {
    const marks = paragraph.match(/[*_~]+|[[\]]/g)?.length ?? 0;
    const ticks = new Set(paragraph.match(/`+/g)?.map((run) => run.length)).size;
    cost += marks ** 2 + marks * MARK_COST + Math.max(0, ticks - 3) * paragraph.length * 5;
  }
  return cost + containers ** 2 + pipes * PIPE_COST;
}
