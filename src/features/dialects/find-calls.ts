/**
 * Finds tool calls that a model wrote as text instead of making them: after one of the marks that models use, up to the
 * end of the reply, or as the whole reply. Calls in code, in a quotation or before other words are meant to explain
 * something to a person and stay in the text. Pure; linear in the length of the reply.
 */
import { OPENING, spoken, withoutCode } from '../../runtime/reply/marks.ts';
import { readCalls, type WrittenCall } from './call-forms.ts';

export interface WrittenAnswer {
  /** The text for the person, without the calls. */
  text: string;
  /** The same text, including the calls. */
  said: string;
  /** The model's reasoning, if it was part of the answer. */
  reasoning: string;
  calls: WrittenCall[];
  /**
   * How certain it is that the calls are meant. `marked`: they have their own mark. `whole`: the reply is nothing else.
   * `maybe`: JSON in a fence at the end of the text. `broken`: a mark with nothing readable after it; `calls` is then
   * empty.
   */
  kind: 'marked' | 'whole' | 'maybe' | 'broken' | 'none';
  /** Whether they are in a fence, without any other mark. */
  isFenced: boolean;
  /** The text to which the positions of the calls refer. */
  source: string;
}

const QUICK = /[<[{]|functools|```/;
const WHOLE_FENCE = /^`{3}([\w-]*)[ \t]*\r?\n([\s\S]*?)\r?\n?`{3}$/;
const LAST_FENCE = /(?:^|\n)[ \t]*`{3}(\w*)[ \t]*\r?\n((?:(?!`{3})[\s\S])*)`{3}\s*$/;
const JSON_INFO = /^(?:jsonc?)?$/i;
/** Matches a fence whose language says that it contains calls. */
const CALL_INFO = /^(?:tool_?calls?|tool_code|function_?calls?)$/i;

export function findCalls(given: string): WrittenAnswer {
  const { text, reasoning } = spoken(given);
  const found: WrittenAnswer = { text, said: text, reasoning, calls: [], kind: 'none', isFenced: false, source: text };
  if (!QUICK.test(text)) return found;
  const opening = OPENING.exec(withoutCode(text));
  if (opening) {
    const source = text.slice(opening.index);
    const calls = readCalls(source);
    const before = text.slice(0, opening.index).trimEnd();
    return { ...found, text: before, source, kind: calls ? 'marked' : 'broken', calls: calls ?? [] };
  }
  const whole = text.trim();
  const [, info, inFence] = WHOLE_FENCE.exec(whole) ?? [];
  if (inFence === undefined ? /^[{[]/.test(whole) : isOfCalls(info)) {
    const calls = inFence?.includes('```') ? undefined : readCalls(inFence ?? whole);
    if (calls)
      return { ...found, text: '', calls, kind: 'whole', isFenced: inFence !== undefined, source: inFence ?? whole };
  }
  const last = text.includes('```') ? LAST_FENCE.exec(text) : null;
  const calls = last && isOfCalls(last[1]) ? readCalls(last[2] ?? '') : undefined;
  if (!last || !calls) return found;
  const kind = CALL_INFO.test(last[1] ?? '') ? 'marked' : 'maybe';
  return { ...found, text: text.slice(0, last.index).trimEnd(), calls, kind, isFenced: true, source: last[2] ?? '' };
}

const isOfCalls = (info = ''): boolean => CALL_INFO.test(info) || JSON_INFO.test(info);
