/**
 * Makes an excerpt of a provider's words for owners. Invariant: it holds no key, and nothing of a prompt that stands in
 * quotation marks or brackets; what isn't marked can't be told from the provider's own words.
 */
import { scrub } from '../../log.ts';

const MAX_LENGTH = 200;
/** The number of characters read; the beginning holds what matters. */
const READ = 4_000;
const LEFT_OUT = '…';

/** Invisible characters inside a secret would hide it from `scrub`. */
const INVISIBLE = /[\p{Cf}\p{Default_Ignorable_Code_Point}]|(?!\s)\p{Cc}/gu;

/** A parameter, a model or another name. */
const NAME = String.raw`[\w.:/-]{1,24}`;
/** Python writes bytes as b'…', where the mark between letters is no apostrophe. */
const APOSTROPHE = String.raw`(?<=\p{L})(?<!\b[bfru]{1,2})['’](?=\p{L})`;
/** A closing mark in front of a letter is an apostrophe of a longer quotation. */
const QUOTED_NAME = String.raw`(?:(["'\x60])${NAME}\1|[“„]${NAME}[“”]|[‘‚]${NAME}[‘’]|«${NAME}»|‹${NAME}›|\(${NAME}\)|\[${NAME}\]|\{${NAME}\}|<${NAME}>)(?![\p{L}\p{N}])`;
const OPENING = String.raw`(?<opening>["'\x60´＂＇❛❜❝❞\p{Pi}\p{Pf}\p{Ps}]|<(?![\s=])|&(?:quot|apos|lt|#)|\\u00)`;
const MARKS = new RegExp(`${APOSTROPHE}|${QUOTED_NAME}|${OPENING}`, 'giu');

const HIDDEN = [
  // Keys, tokens, addresses and data. Scripts without spaces have long sentences, and keys aren't written in them.
  /[^\s\p{Lo}]{20,}/gu,
  /\bbearer\s+\S+|\bbasic\s+\S{8,}/gi,
  /(?<![\p{L}\p{N}])(?:(?:sk|pk|rk|ak|fw|hf|gsk|csk|xai|pplx|nvapi|ghp)[-_]|AIza)\S*/giu,
  /\b(?:[a-z][a-z+]*:\/\/|data:)\S+/gi,
  /[?&][\w-]+=\S*|\w*(?:key|token|secret|password|sig)=\S+/gi,
  // A key that its provider has shortened.
  /[^\s\p{Lo}]{0,20}(?:\*{2,}|…|\.{3})[^\s\p{Lo}]+/gu,
];

export function excerptOf(said: string): string {
  const visible = scrub(said.toWellFormed().replace(INVISIBLE, ''));
  const unquoted = beforeQuotation(beginningOf(visible)).replace(/\s+/g, ' ');
  const kept = HIDDEN.reduce((text, hidden) => text.replace(hidden, LEFT_OUT), unquoted).trim();
  return /[\p{L}\p{N}]/u.test(kept) ? kept.slice(0, MAX_LENGTH).toWellFormed() : '';
}

/** Ends before a space, so that a key isn't cut to a length at which it looks like a word. */
const beginningOf = (text: string): string =>
  text.length <= READ ? text : text.slice(0, Math.max(0, text.lastIndexOf(' ', READ)));

/** Passages in quotation marks or brackets are usually of the request, and may hold such marks themselves. */
function beforeQuotation(text: string): string {
  for (const { groups, index } of text.matchAll(MARKS))
    if (groups?.opening !== undefined) return `${text.slice(0, index)} ${LEFT_OUT}`;
  return text;
}
