/**
 * A reply while it is being written, as people may see it: without `artifact_deltas` blocks, memory suggestions, decisions, thoughts and
 * calls of tools written as text, also those of which only the beginning is there, and without secrets. Invariants: what was given is
 * never taken back; what may still become a block, a tag or a secret is held back until it is clear; linear in the length of the reply.
 */
import { scrub } from '../../log.ts';
import { kindOf } from '../reply/blocks.ts';
import { OPENING, THOUGHT_BEGINS, THOUGHT_ENDS } from '../reply/written-calls.ts';

export interface LiveText {
  /** What may be shown now because of `delta`, often ''. */
  add(delta: string): string;
}

// The same prefixes as `parseReply` takes before a fence.
const FENCE = /^((?:[ \t]|>|[-*+][ \t]|\d{1,9}[.)][ \t])*)(`{3,}|~{3,})([^\n]*)$/;
/** A line that may still become a fence. */
const MAYBE_FENCE =
  /^(?:[ \t]|>|[-*+][ \t]|\d{1,9}[.)][ \t])*(?:[-*+]|\d{1,9}[.)]?|`{1,2}|~{1,2}|`{3,}[^`\n]*|~{3,}[^\n]*)?$/;
const TAG = String.raw`(?:memory_suggestion|decision|think(?:ing)?)(?:\s[^<>\n]{0,200})?>`;
const OPEN = new RegExp(`<${TAG}|${THOUGHT_BEGINS}`, 'i');
const CLOSE = new RegExp(`</${TAG}|${THOUGHT_ENDS}`, 'i');
/** A tag of which the end has not come. */
const MAYBE_TAG =
  /<(?:\/?[\w:-]{0,40}=?|channel\||\|channel>\w{0,7}|\/?(?:memory_suggestion|decision)\s[^<>\n]{0,200}|\|[\w|]{0,40}|[|｜][^<>\n]{0,40}|(?:[a-z]+:)?invoke [name=]{0,5})$|\[\/?[A-Z_]{0,14}$|◁\/?\w{0,5}$/i;
/** With which calls begin, or the parts of an answer: what follows is shown with the answer, as far as it is people's. */
const CALLS = new RegExp(`${OPENING.source}|<\\|(?:channel|start)\\|>`, 'i');
/** Longer lines are no fences, and longer words no secrets. */
const MAX_FENCE = 300;
const MAX_WORD = 4000;

interface Fence {
  marks: string;
  /** Of a block that is not shown. */
  kind: ReturnType<typeof kindOf>;
  /** Fences within a plan that are open. */
  inner: number;
}

/** Whether the fence is still open behind a line with these marks; a plan may hold code. */
function behind(fence: Fence, line: { prefix: string; marks: string; info: string }): Fence | undefined {
  if (!line.marks.startsWith(fence.marks) || !/^[\s>]*$/.test(line.prefix)) return fence;
  if (line.info.trim() !== '') return fence.kind === 'plan' ? { ...fence, inner: fence.inner + 1 } : fence;
  return fence.inner === 0 ? undefined : { ...fence, inner: fence.inner - 1 };
}

export function createLiveText(): LiveText {
  /** Of the line being written: what has not been looked at for good. */
  let line = '';
  /** Something of the line was given, so it is no fence. */
  let isBegun = false;
  let fence: Fence | undefined;
  let isInTag = false;
  let isCalling = false;
  /** The word being written. */
  let word = '';
  let isShown = false;

  /** A line with its end. */
  function whole(text: string): string {
    const [, prefix = '', marks = '', info = ''] = (isBegun ? null : FENCE.exec(text.trimEnd())) ?? [];
    if (fence) {
      const { kind } = fence;
      fence = behind(fence, { prefix, marks, info });
      return kind ? '' : text;
    }
    if (isInTag || marks === '' || (marks.startsWith('`') && info.includes('`'))) return outsideTags(text);
    // What a block of JSON is shows its end: people see it with the answer, when it is theirs.
    fence = { marks, kind: kindOf(info), inner: 0 };
    return fence.kind ? '' : text;
  }

  function outsideTags(given: string): string {
    let shown = '';
    if (isCalling) return '';
    const calls = isInTag ? null : CALLS.exec(given.replace(/`[^`\n]+`/g, (code) => ' '.repeat(code.length)));
    isCalling = calls !== null;
    const text = calls ? given.slice(0, calls.index) : given;
    for (let rest = text; rest !== ''; ) {
      const found = (isInTag ? CLOSE : OPEN).exec(rest);
      if (!isInTag) shown += found ? rest.slice(0, found.index) : rest;
      if (!found) break;
      isInTag = !isInTag;
      rest = rest.slice(found.index + found[0].length);
    }
    return shown;
  }

  /** What of an unfinished line is clear already. */
  function partly(): string {
    if (fence?.kind || (!isBegun && line.length < MAX_FENCE && MAYBE_FENCE.test(line))) return '';
    const tail = fence ? undefined : MAYBE_TAG.exec(line);
    const clear = tail ? line.slice(0, tail.index) : line;
    line = line.slice(clear.length);
    isBegun ||= clear !== '';
    return fence ? clear : outsideTags(clear);
  }

  /** Secrets are known by their whole, so the last word waits for what ends it. */
  function wholeWords(text: string): string {
    const all = word + text;
    let end = all.length;
    while (end > 0 && all.length - end < MAX_WORD && isOfWord(all.charCodeAt(end - 1))) end--;
    word = all.slice(end);
    return scrub(all.slice(0, end));
  }

  return {
    add(delta) {
      let shown = '';
      for (const piece of delta.split(/(?<=\n)/)) {
        line += piece;
        if (!piece.endsWith('\n')) continue;
        shown += whole(line);
        line = '';
        isBegun = false;
      }
      const next = wholeWords(shown + partly());
      // An answer begins with a word, also where a thought stood before it.
      const clear = isShown ? next : next.trimStart();
      isShown ||= clear !== '';
      return clear;
    },
  };
}

/** Printable ASCII, of which secrets are made. */
const isOfWord = (code: number): boolean => code > 0x20 && code < 0x7f;
