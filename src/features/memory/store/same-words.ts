/** Compares texts by their words, without a model. Pure. */

// Function words that carry no information about a person.
const FRAME = new Set(
  `the and for with that this are was were has have had his her hers its their they them who which about from into user users owner person
   der die das den dem des und ist sind war hat haben ein eine einen einer fuer mit dass von über nutzer person sie ihr ihre sein seine`
    .split(/\s+/)
    .map(folded),
);
/** Short words that negate a sentence. */
const TURNS = new Set(['no', 'not', 'nor', 'nie']);
/** Scripts without spaces between words. */
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]/u;
const MIN_LENGTH = 3;
/** Suffixes that are ignored: "prefer" matches "prefers", "trinke" matches "trinkt". */
const ENDINGS = ['ing', 'st', 'es', 'ed', 'en', 's', 't', 'n', 'e'];

function folded(text: string): string {
  return text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
}

function stemOf(word: string): string {
  const ending = ENDINGS.find((each) => word.endsWith(each) && word.length - each.length >= MIN_LENGTH);
  return ending === undefined ? word : word.slice(0, -ending.length);
}

/** Returns the significant words, without suffixes; numbers whole. A short word counts if it is a name: "Go", "UK". */
function wordsIn(text: string): Set<string> {
  const found = new Set<string>();
  for (const { 0: given, index } of text.normalize('NFC').matchAll(/[\p{L}\p{N}\p{M}]+(?:[.,:/-]\p{N}+)*/gu)) {
    const word = folded(given);
    const isName = index > 0 && given !== 'I' && /^\p{Lu}/u.test(given);
    if (UNSPACED.test(word)) for (let at = 0; at < word.length; at++) found.add(word.slice(at, at + 2));
    else if (/\p{N}/u.test(word)) found.add(word);
    else if (TURNS.has(word) || (word.length < MIN_LENGTH ? isName : !FRAME.has(word))) found.add(stemOf(word));
  }
  return found;
}

/** Returns the share of `fact` that a sentence contains, from 0 to 1. */
export function shareIn(sentence: string, fact: string): number {
  const known = wordsIn(sentence);
  const words = [...wordsIn(fact)];
  return words.length === 0 ? 0 : words.filter((word) => known.has(word)).length / words.length;
}

/** Words that negate a statement without changing its subject. */
const ROUND = new Set(
  ['not', 'no', 'nor', 'nie', 'never', 'nicht', 'kein'].flatMap((word) => [...wordsIn(word), word]),
);
const AUXILIARY = new Set(['does', 'did', 'done'].flatMap((word) => [...wordsIn(word)]));
const NEAR = 0.7;
const MIN_WORDS = 3;

/**
 * Compares two lines. `same`: they differ only in function words. `near`: at most one of them can be true, since they
 * share most words or differ only in a number, a date or a negation.
 */
export function likeness(line: string, other: string): 'same' | 'near' | undefined {
  const aboutOf = (text: string) => {
    const words = wordsIn(text);
    const isTurned = [...words].some((word) => ROUND.has(word));
    return { isTurned, words: new Set([...words].filter((word) => !ROUND.has(word) && !AUXILIARY.has(word))) };
  };
  const [one, two] = [aboutOf(line), aboutOf(other)];
  const shared = one.words.intersection(two.words).size;
  const most = Math.max(one.words.size, two.words.size);
  if (shared === 0) return undefined;
  const isInOrder = [...one.words].join(' ') === [...two.words].join(' ');
  if (shared === most) return isInOrder && one.isTurned === two.isTurned ? 'same' : 'near';
  const valuesAlone = [...one.words.symmetricDifference(two.words)].every((word) => /\p{N}/u.test(word));
  if (valuesAlone && one.words.size === two.words.size) return 'near';
  return most >= MIN_WORDS && shared / most >= NEAR ? 'near' : undefined;
}

/** A category before a fact: `[Project Context]`, `(Likes)`, `Preferences:`. */
const CATEGORY = /^\s*(?:\[[^\]\n]{1,60}\]|\([^)\n]{1,60}\)|[\p{L} ]{1,40}(?=:))\s*:?\s*(?=\S)/u;

/** Returns whether two texts state the same fact. One of them may begin with its category. */
export function isSameFact(one: string, other: string): boolean {
  const isSame = (a: string, b: string) => a.trim() === b.trim() || likeness(a, b) === 'same';
  return isSame(one, other) || isSame(one.replace(CATEGORY, ''), other) || isSame(one, other.replace(CATEGORY, ''));
}
