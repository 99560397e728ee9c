/**
 * Removes the structured blocks of an answer from what people see and returns them as data. Nothing is lost silently:
 * `unread` counts blocks of files that can't be parsed, `leftOut` counts files beyond the limits, and `problems`
 * describes both.
 */
import { type Asides, asidesOf, isBetweenMarks } from './aside.ts';
import { type BlockKind, type Blocks, blockKind, jsonLength, readBlock } from './blocks.ts';

export interface ParsedReply extends Blocks {
  /** Markdown for the person; the input itself if it contains no block. */
  visible: string;
  /** The contents of features' elements, by their names. */
  elements: Map<string, string[]>;
  /** Decisions for the log of the day. */
  decisions: string[];
}

/** A range of the text that is removed from the visible part: [start, end). */
interface TextRange {
  start: number;
  end: number;
}

interface Reading {
  text: string;
  reply: ParsedReply;
  cuts: TextRange[];
  asides: Asides;
  isTold: (end: string) => boolean;
}

interface Fence {
  marks: string;
  quoted: boolean;
  kind: BlockKind | undefined;
  start: number;
  body: number;
  /** The number of open code blocks within a plan. */
  inner: number;
}

interface Tag {
  name: string;
  start: number;
  body: number;
}

// List markers and quote marks may precede a fence; quote marks must be removed from the block's own lines again.
const FENCE = /^((?:[ \t]|>|[-*+][ \t]|\d{1,9}[.)][ \t])*)(`{3,}|~{3,})([^\n]*)$/;
const MARKER = perElements((names) => new RegExp(`artifact_deltas|<(?:${names})|plan|task\\.md`, 'i'));
const LEADING_BLANK_LINES = /^(?:[ \t]*\r?\n)+/;
/** The limit for one name. */
const MAX_ELEMENTS = 20;
const MAX_DECISIONS = 5;
const TAG = perElements((names) => new RegExp(`<(/?)(${names}|tool_call)(?:\\s[^<>\\n]{0,200})?>`, 'gi'));

/**
 * Finds fenced blocks tagged `artifact_deltas` (``` or ~~~ of any length, also in a list or a quote) and, outside of
 * code and quotations, the elements of features and `<decision>`, and a call of the plan within `<tool_call>`, as
 * open models write it. `isTold` returns whether others wrote the content and end of such an element; then the model
 * only repeats it. Linear in the length of the text; a text without a marker is only searched.
 */
export function parseReply(text: string, isTold: Reading['isTold'] = () => false): ParsedReply {
  const found: Blocks = { artifactDeltas: [], plans: [], problems: [], unread: 0, leftOut: 0 };
  const reply: ParsedReply = { ...found, visible: text, elements: new Map(), decisions: [] };
  if (!MARKER().test(text)) return reply;
  // Some models return only the block, without a fence.
  if (/^\s*\{[\s\S]*"artifact_deltas"[\s\S]*\}\s*$/.test(text) && readBlock('json', text, reply))
    return { ...reply, visible: '' };
  const cuts: TextRange[] = [];
  const reading: Reading = { text, reply, cuts, asides: asidesOf(text), isTold };
  const bodyOf = ({ body, quoted }: { body: number; quoted: boolean }, to: number): string =>
    quoted ? text.slice(body, to).replace(/^[ \t]*>/gm, '') : text.slice(body, to);
  let fence: Fence | undefined;
  let tag: Tag | undefined;

  for (let start = 0; start < text.length; ) {
    const newline = text.indexOf('\n', start);
    const end = newline < 0 ? text.length : newline + 1;
    const line = text.slice(start, end).trimEnd();
    const [, prefix = '', marks = '', info = ''] = FENCE.exec(line) ?? [];
    if (fence) {
      const isOne = marks.startsWith(fence.marks) && /^[\s>]*$/.test(prefix);
      // Steps of a plan may have code below them.
      if (isOne && info.trim() !== '' && fence.kind === 'plan') fence.inner++;
      else if (isOne && info.trim() === '' && fence.inner-- === 0) {
        if (fence.kind && readBlock(fence.kind, bodyOf(fence, start), reply)) cuts.push({ start: fence.start, end });
        fence = undefined;
      }
    } else if (marks && !(marks.startsWith('`') && info.includes('`'))) {
      const [quoted, kind] = [prefix.includes('>'), blockKind(info)];
      // A plan in a quote was written by somebody else.
      fence = { marks, quoted, kind: quoted && kind !== 'deltas' ? undefined : kind, start, body: end, inner: 0 };
    } else tag = readElements(reading, line, start, tag);
    start = end;
  }
  if (fence?.kind === 'deltas') {
    const length = jsonLength(text.slice(fence.body));
    const end = fence.body + length;
    if (length > 0) readBlock('deltas', bodyOf(fence, end), reply);
    else reply.problems.push('an artifact_deltas block has no end');
    cuts.push({ start: fence.start, end });
  }
  if (tag && tag.name !== 'tool_call') reply.problems.push(`a ${tag.name} has no end`);
  if (cuts.length > 0) reply.visible = cutOut(text, outermost(cuts));
  return reply;
}

/** Returns the element that is open at the end of the line. */
function readElements(reading: Reading, line: string, start: number, before: Tag | undefined): Tag | undefined {
  let open = before;
  const outside = reading.asides.without(line, start, before !== undefined);
  for (const { 0: mark, 1: slash, 2: written = '', index } of outside.matchAll(TAG())) {
    const name = written.toLowerCase();
    const [at, after] = [start + index, start + index + mark.length];
    if (!slash) {
      // A call may contain any text, even the beginning of another call.
      if (!(open && name === 'tool_call')) open = { name, start: at, body: after };
    } else if (open?.name === name) {
      const isOwn = name === 'tool_call' || !isShown(reading, open, after);
      const isTaken = isOwn && takeElement(reading, open, at);
      if (isTaken) reading.cuts.push({ start: open.start, end: after });
      if (isTaken || !isOwn || name === 'tool_call') open = undefined;
    }
  }
  return open;
}

/** Whether the element is an example or other people's words. */
const isShown = ({ text, isTold }: Reading, { start, body }: Tag, end: number): boolean =>
  isBetweenMarks(text, start, end) || isTold(text.slice(body, end));

/** Stores an element's content. Returns whether it must be removed from what people see. */
function takeElement({ text, reply, cuts }: Reading, { name, body }: Tag, end: number): boolean {
  if (name === 'tool_call') return readBlock('json', text.slice(body, end), reply);
  const isDecision = name === 'decision';
  const into = isDecision ? reply.decisions : (reply.elements.get(name) ?? []);
  const most = isDecision ? MAX_DECISIONS : MAX_ELEMENTS;
  if (into.length >= most) return false;
  const told = cutOut(text.slice(body, end), outermost(cutsBetween(cuts, body, end))).trim();
  if (told) into.push(told);
  if (told && !isDecision) reply.elements.set(name, into);
  return true;
}

function cutsBetween(cuts: readonly TextRange[], from: number, to: number): TextRange[] {
  return cuts.filter((c) => c.start >= from && c.end <= to).map((c) => ({ start: c.start - from, end: c.end - from }));
}

/** Returns the cuts in order, without those inside another (a block within a suggestion). */
function outermost(cuts: readonly TextRange[]): TextRange[] {
  let reach = 0;
  return cuts
    .toSorted((a, b) => a.start - b.start || b.end - a.end)
    .filter((cut) => {
      const free = cut.start >= reach;
      if (free) reach = cut.end;
      return free;
    });
}

/**
 * Returns the text without the cuts. The blank lines on both sides of a cut become one; words on one line keep one
 * space.
 */
function cutOut(text: string, cuts: readonly TextRange[]): string {
  const pieces: string[] = [];
  let breaks = 0;
  let space = false;
  let from = 0;
  for (const cut of [...cuts, { start: text.length, end: text.length }]) {
    const piece = text.slice(from, cut.start);
    const blank = LEADING_BLANK_LINES.exec(piece)?.[0] ?? '';
    breaks = Math.max(breaks, lineBreaks(blank) + (from > 0 && text[from - 1] === '\n' ? 1 : 0));
    const rest = piece.slice(blank.length);
    const body = rest.trimEnd();
    if (body) {
      space ||= rest.startsWith(' ');
      if (pieces.length > 0) pieces.push(breaks > 0 ? '\n'.repeat(Math.min(breaks, 2)) : space ? ' ' : '');
      pieces.push(breaks > 0 || pieces.length === 0 ? body : body.trimStart());
      breaks = lineBreaks(rest.slice(body.length));
    }
    space = body ? rest.length > body.length : space || rest !== '';
    from = cut.end;
  }
  return pieces.join('');
}

const lineBreaks = (text: string): number => text.split('\n').length - 1;

const OWN = ['decision'];
/** Names that mean something else in answers of models. */
const TAKEN = /^(?:decision|tool_call|think|thinking|quoted|pre|code|samp|q|blockquote)$/;
const NAME = /^[a-z][a-z_]{1,38}$/;

let alternatives = OWN.join('|');

/**
 * Registers the names of features' elements. Those of features that are off stay registered: models write them out of
 * habit, and they are never for people.
 * @throws Error if a name can't be the name of an element, or means something else
 */
export function knowElements(names: readonly string[]): void {
  const wrong = names.find((name) => !NAME.test(name) || TAKEN.test(name));
  if (wrong !== undefined) throw new Error(`a block of answers can't be called ${wrong}`);
  alternatives = [...new Set([...alternatives.split('|'), ...names])].join('|');
}

/** Returns a function that gives a pattern built from the names, and rebuilds it only when names are added. */
export function perElements<Pattern>(build: (names: string) => Pattern): () => Pattern {
  let built: { of: string; pattern: Pattern } | undefined;
  return () => {
    if (built?.of !== alternatives) built = { of: alternatives, pattern: build(alternatives) };
    return built.pattern;
  };
}
