/** Whether one text says no more than another, by its words: no model is asked. Pure. */

/** Words that a sentence about somebody needs and that say nothing of them. */
const FRAME = new Set(
  `the and for with that this are was were has have had his her hers its their they them who which about from into user users owner person
   der die das den dem des und ist sind war hat haben ein eine einen einer fuer mit dass von über nutzer person sie ihr ihre sein seine`
    .split(/\s+/)
    .map(folded),
);
/** Short words that turn a sentence round. */
const TURNS = new Set(['no', 'not', 'nor', 'nie']);
/** What turns a sentence round, in the languages that people have written in here. */
const TURNED =
  /n['\u2019]t\b|(?<!\p{L})(?:no|not|nor|never|none|nothing|neither|without|hardly|cannot|stopped|quit|nie|nicht|nichts|niemals|kein\p{L}*|weder|ohne|kaum|pas|jamais|sans|aucun\p{L}*|nunca|jam[a\u00e1]s|tampoco|sin)(?!\p{L})/iu;
/** Writing without blanks between words. */
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]/u;
const MIN_LENGTH = 3;
/** "prefer" and "prefers", "trinke" and "trinkt" are the same here. */
const ENDINGS = ['ing', 'st', 'es', 'ed', 'en', 's', 't', 'n', 'e'];

function folded(text: string): string {
  return text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
}

function stemOf(word: string): string {
  const ending = ENDINGS.find((each) => word.endsWith(each) && word.length - each.length >= MIN_LENGTH);
  return ending === undefined ? word : word.slice(0, -ending.length);
}

/** The words that count, without their endings; numbers whole. */
function wordsIn(text: string): Set<string> {
  const found = new Set<string>();
  for (const [word] of folded(text).matchAll(/[\p{L}\p{N}]+(?:[.,:/-]\p{N}+)*/gu)) {
    if (UNSPACED.test(word)) for (let at = 0; at < word.length; at++) found.add(word.slice(at, at + 2));
    else if (/\p{N}/u.test(word)) found.add(word);
    else if (TURNS.has(word) || (word.length >= MIN_LENGTH && !FRAME.has(word))) found.add(stemOf(word));
  }
  return found;
}

/**
 * Whether every word that counts in `fact` stands in `said` as well; false when none counts, and when a sentence that holds most of them
 * turns them round, which the fact does not.
 */
export function isSaidIn(said: string, fact: string): boolean {
  const known = wordsIn(said);
  const words = [...wordsIn(fact)];
  if (words.length === 0 || !words.every((word) => known.has(word))) return false;
  return (
    TURNED.test(fact) || !sentencesOf(said).some((sentence) => TURNED.test(sentence) && shareIn(sentence, fact) > 0.5)
  );
}

const sentencesOf = (text: string): string[] => text.split(/[.!?;\n]+/);

/** How much of `fact` a sentence tells, from 0 to 1. */
export function shareIn(sentence: string, fact: string): number {
  const known = wordsIn(sentence);
  const words = [...wordsIn(fact)];
  return words.length === 0 ? 0 : words.filter((word) => known.has(word)).length / words.length;
}
