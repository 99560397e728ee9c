/**
 * Filters a reply for people while it is being written: removes `artifact_deltas` blocks, elements of features,
 * decisions, reasoning, tool calls written as text, incomplete forms of these, and secrets. Invariants: text that was
 * shown is never taken back; text that may still become a block, a tag or a secret is held back until that is clear;
 * linear in the length of the reply.
 */
import { scrub } from '../../log.ts';
import { blockKind } from '../reply/blocks.ts';
import { OPENING, THOUGHT_BEGINS, THOUGHT_ENDS } from '../reply/marks.ts';
import { perElements } from '../reply/reply.ts';

export interface LiveText {
  /** Returns the text that may be shown now because of `delta`, often ''. */
  add(delta: string): string;
}

// The same prefixes that `parseReply` accepts before a fence.
const FENCE = /^((?:[ \t]|>|[-*+][ \t]|\d{1,9}[.)][ \t])*)(`{3,}|~{3,})([^\n]*)$/;
/** Matches a line that may still become a fence. */
const MAYBE_FENCE =
  /^(?:[ \t]|>|[-*+][ \t]|\d{1,9}[.)][ \t])*(?:[-*+]|\d{1,9}[.)]?|`{1,2}|~{1,2}|`{3,}[^`\n]*|~{3,}[^\n]*)?$/;
const tagOf = (names: string) => String.raw`(?:${names}|think(?:ing)?)(?:\s[^<>\n]{0,200})?>`;
const OPEN = perElements((names) => new RegExp(`<${tagOf(names)}|${THOUGHT_BEGINS}`, 'i'));
const CLOSE = perElements((names) => new RegExp(`</${tagOf(names)}|${THOUGHT_ENDS}`, 'i'));
/** Matches the beginning of such an element, and of marks of models, at the end of a text. */
const MAYBE_ELEMENT = perElements((names) => new RegExp(String.raw`</?(?:${names})\s[^<>\n]{0,200}$`, 'i'));
const MAYBE_TAG =
  /<(?:\/?[\w:-]{0,40}=?|channel\||\|channel>\w{0,7}|\|[\w|]{0,40}|[|｜][^<>\n]{0,40}|(?:[a-z]+:)?invoke [name=]{0,5})$|\[\/?[A-Z_]{0,14}$|◁\/?\w{0,5}$/i;
/**
 * Matches a mark with which calls, or the parts of an answer, begin. Text after it is shown with the answer, as far as
 * it is for people.
 */
const CALLS = new RegExp(`${OPENING.source}|<\\|(?:channel|start)\\|>`, 'i');
/** Longer lines aren't fences, and longer words aren't secrets. */
const MAX_FENCE = 300;
const MAX_WORD = 4000;

interface Fence {
  marks: string;
  /** Set for a block that isn't shown. */
  kind: ReturnType<typeof blockKind>;
  /** The number of open fences within a plan. */
  inner: number;
}

/** Returns the fence if it is still open after a line with these marks; a plan may contain code. */
function behind(fence: Fence, line: { prefix: string; marks: string; info: string }): Fence | undefined {
  if (!line.marks.startsWith(fence.marks) || !/^[\s>]*$/.test(line.prefix)) return fence;
  if (line.info.trim() !== '') return fence.kind === 'plan' ? { ...fence, inner: fence.inner + 1 } : fence;
  return fence.inner === 0 ? undefined : { ...fence, inner: fence.inner - 1 };
}

export function createLiveText(): LiveText {
  /** The unprocessed part of the current line. */
  let line = '';
  /** Part of the line was shown, so it isn't a fence. */
  let isBegun = false;
  let fence: Fence | undefined;
  let isInTag = false;
  let isCalling = false;
  let word = '';
  let isShown = false;

  /** Processes a line with its end. */
  function whole(text: string): string {
    const [, prefix = '', marks = '', info = ''] = (isBegun ? null : FENCE.exec(text.trimEnd())) ?? [];
    if (fence) {
      const { kind } = fence;
      fence = behind(fence, { prefix, marks, info });
      return kind ? '' : text;
    }
    if (isInTag || marks === '' || (marks.startsWith('`') && info.includes('`'))) return outsideTags(text);
    // The kind of a JSON block is clear only at its end: if it is for people, they see it with the answer.
    fence = { marks, kind: blockKind(info), inner: 0 };
    return fence.kind ? '' : text;
  }

  function outsideTags(given: string): string {
    let shown = '';
    if (isCalling) return '';
    const calls = isInTag ? null : CALLS.exec(given.replace(/`[^`\n]+`/g, (code) => ' '.repeat(code.length)));
    isCalling = calls !== null;
    const text = calls ? given.slice(0, calls.index) : given;
    for (let rest = text; rest !== ''; ) {
      const found = (isInTag ? CLOSE : OPEN)().exec(rest);
      if (!isInTag) shown += found ? rest.slice(0, found.index) : rest;
      if (!found) break;
      isInTag = !isInTag;
      rest = rest.slice(found.index + found[0].length);
    }
    return shown;
  }

  /** Returns the part of an unfinished line that is already clear. */
  function partly(): string {
    if (fence?.kind || (!isBegun && line.length < MAX_FENCE && MAYBE_FENCE.test(line))) return '';
    const tail = fence ? undefined : (MAYBE_ELEMENT().exec(line) ?? MAYBE_TAG.exec(line));
    const clear = tail ? line.slice(0, tail.index) : line;
    line = line.slice(clear.length);
    isBegun ||= clear !== '';
    return fence ? clear : outsideTags(clear);
  }

  /** Holds back the last word until it ends, because only a complete secret is recognised. */
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
      // An answer begins with a word, even after reasoning.
      const clear = isShown ? next : next.trimStart();
      isShown ||= clear !== '';
      return clear;
    },
  };
}

/** Printable ASCII, which secrets consist of. */
const isOfWord = (code: number): boolean => code > 0x20 && code < 0x7f;
