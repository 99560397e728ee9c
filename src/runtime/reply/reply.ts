/**
 * The structured blocks of an answer: taken out of what people see and given back as data.
 * Nothing is lost silently: a block that cannot be understood stays in the visible text and is named in `problems`.
 */
import { type ArtifactDelta, artifactDeltaSchema, DELTA_LIMITS } from '../contract/protocol.ts';

export { decisionsOf, summarise } from './summary.ts';

export interface ParsedReply {
  /** Markdown for the person. The input itself when it holds no block. */
  visible: string;
  artifactDeltas: ArtifactDelta[];
  memorySuggestions: string[];
  /** One sentence for each block that was not used as it stands. */
  problems: string[];
}

/** A stretch of the text that leaves the visible part: [start, end). */
interface Cut {
  start: number;
  end: number;
}

// List markers and quote marks may stand before a fence; the marks must be taken off the block's own lines again.
const FENCE = /^((?:[ \t]|>|[-*+][ \t]|\d{1,9}[.)][ \t])*)(`{3,}|~{3,})([^\n]*)$/;
const MARKER = /artifact_deltas|memory_suggestion/i;
const CODE_SPAN = /``[^\n]+?``|`[^`\n]+`/g;
const LEADING_BLANK_LINES = /^(?:[ \t]*\r?\n)+/;
const MAX_SUGGESTIONS = 20;
const TAG = /<(\/?)memory_suggestion(?:\s[^<>\n]{0,200})?>/gi;

/**
 * Finds fenced blocks tagged `artifact_deltas` (``` or ~~~ of any length, also in a list or a quote) and
 * `<memory_suggestion>` elements outside code. Linear in the length of the text; without a marker it is only searched.
 */
export function parseReply(text: string): ParsedReply {
  const reply: ParsedReply = { visible: text, artifactDeltas: [], memorySuggestions: [], problems: [] };
  if (!MARKER.test(text)) return reply;
  const cuts: Cut[] = [];
  let fence: { marks: string; quoted: boolean; deltas: boolean; start: number; body: number } | undefined;
  let tag: { start: number; body: number } | undefined;

  for (let start = 0; start < text.length; ) {
    const newline = text.indexOf('\n', start);
    const end = newline < 0 ? text.length : newline + 1;
    const line = text.slice(start, end).trimEnd();
    const [, prefix = '', marks = '', info = ''] = FENCE.exec(line) ?? [];
    if (fence) {
      if (marks.startsWith(fence.marks) && info.trim() === '' && /^[\s>]*$/.test(prefix)) {
        const body = text.slice(fence.body, start);
        if (fence.deltas && readDeltas(fence.quoted ? body.replace(/^[ \t]*>/gm, '') : body, reply)) {
          cuts.push({ start: fence.start, end });
        }
        fence = undefined;
      }
    } else if (marks && !(marks.startsWith('`') && info.includes('`'))) {
      const deltas = info
        .toLowerCase()
        .split(/[\s,{}.]+/)
        .includes('artifact_deltas');
      fence = { marks, quoted: prefix.includes('>'), deltas, start, body: end };
    } else if (line.includes('<')) {
      // Inline code keeps its length, so that places in the line stay what they are.
      const outside = line.replace(CODE_SPAN, (code) => ' '.repeat(code.length));
      for (const found of outside.matchAll(TAG)) {
        const at = start + found.index;
        const after = at + found[0].length;
        if (!found[1]) tag = { start: at, body: after };
        else if (tag && reply.memorySuggestions.length < MAX_SUGGESTIONS) {
          const suggestion = cutOut(text.slice(tag.body, at), outermost(within(cuts, tag.body, at))).trim();
          if (suggestion) reply.memorySuggestions.push(suggestion);
          cuts.push({ start: tag.start, end: after });
          tag = undefined;
        }
      }
    }
    start = end;
  }
  if (fence?.deltas) reply.problems.push('an artifact_deltas block has no end');
  if (tag) reply.problems.push('a memory_suggestion has no end');
  if (cuts.length > 0) reply.visible = cutOut(text, outermost(cuts));
  return reply;
}

/** Adds a block's entries to the reply; false when the block is not what it should be and must stay visible. */
function readDeltas(body: string, reply: ParsedReply): boolean {
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch (error) {
    reply.problems.push(
      `an artifact_deltas block is not JSON: ${error instanceof Error ? error.message : 'unreadable'}`,
    );
    return false;
  }
  const parsed = artifactDeltaSchema.array().safeParse(Array.isArray(value) ? value : [value]);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    reply.problems.push(
      `an artifact_deltas block is wrong at ${issue?.path.join('.') || 'its top'}: ${issue?.message}`,
    );
    return false;
  }
  for (const delta of parsed.data) {
    if (reply.artifactDeltas.length >= DELTA_LIMITS.count) {
      reply.problems.push(`"${delta.title}" was left out: at most ${DELTA_LIMITS.count} artifacts in one answer`);
    } else if (Buffer.byteLength(delta.content) > DELTA_LIMITS.bytes) {
      reply.problems.push(`"${delta.title}" was left out: an artifact in an answer may have 1 MB`);
    } else reply.artifactDeltas.push(delta);
  }
  return true;
}

/** The cuts inside a stretch, counted from its start. */
function within(cuts: readonly Cut[], from: number, to: number): Cut[] {
  return cuts.filter((c) => c.start >= from && c.end <= to).map((c) => ({ start: c.start - from, end: c.end - from }));
}

/** Cuts in order, without those that lie inside another (a block within a suggestion). */
function outermost(cuts: readonly Cut[]): Cut[] {
  let reach = 0;
  return cuts
    .toSorted((a, b) => a.start - b.start || b.end - a.end)
    .filter((cut) => {
      const free = cut.start >= reach;
      if (free) reach = cut.end;
      return free;
    });
}

/** The text without the cuts. The blank lines on both sides of a cut become one; words on one line keep one space. */
function cutOut(text: string, cuts: readonly Cut[]): string {
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
