/**
 * Limits the Markdown parser's work, whatever the source. The parser's time grows with the square of some counts (lines
 * and list marks of one parse, emphasis marks and brackets of one paragraph, ...), and it recurses with the depth of
 * nesting. A long source is therefore parsed in pieces, cut where no construct can be open; a piece that is still too
 * costly is shown as it was written. The decision depends on the text alone, never on a clock: a message rendered again
 * after a restart must give the same parts.
 */
import { type Block, codeBlock } from './block.ts';
import { plainInline } from './rich.ts';

export type Chunk = { kind: 'markdown'; source: string } | { kind: 'block'; block: Block };

export const MAX_SOURCE = 100_000;
/** A cheap source up to this length is parsed in one piece, so that references work everywhere in it. */
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
/** The most characters of link definitions that are repeated before every piece. */
const MAX_DEFINITIONS = 4000;

const CONTAINERS = /^(?:[ \t]*(?:>|(?:[-+*]|\d{1,9}[.)])(?=[ \t\n]|$)))+/;
const FENCE = /^( {0,3})(`{3,}(?=[^`]*$)|~{3,})(.*)$/;
/** Matches the marks of list items that a fence may follow on the same line. */
const ITEMS = /^(?:[ \t]*(?:[-+*]|\d{1,9}[.)])[ \t]+)+/;
const DEFINITION = /^ {0,3}\[(?!\^)[^\]\\\n]{1,200}\]:[ \t]*\S[^\n]{0,2000}$/gm;

/** Returns the source in pieces, in order. Line ends must be `\n`. */
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
      // A piece that costs too much is split further, to save as much of it as possible.
      if (cost > PIECE_COST && least > SMALL_PIECE) return priced(chunk.source, SMALL_PIECE);
      if (cost > PIECE_COST || cost > left) return [literal(chunk.source)];
      left -= cost;
      return [{ kind: 'markdown', source: whole }];
    });
  return priced(source, PIECE);
}

/** Returns the source's link definitions. They may stand anywhere, so they are repeated before every piece. */
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
 * Cuts before a line at the margin that follows an empty line, once a piece has `least` characters; code fenced at the
 * margin becomes a block of its own.
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
    // A fence in an item ends with the item at the latest; its closing line is indented like the item.
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

/** Returns the worst-case cost of parsing, in the units above; infinite when nested too deeply. */
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
