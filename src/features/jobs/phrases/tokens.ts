/** Splits a phrase into tokens, and reads them with a cursor. */
import { UserError } from '../../../errors.ts';
import { say } from '../../../messages/messages.ts';

export const MAX_LENGTH = 400;

export interface Token {
  text: string;
  kind: 'iso' | 'number' | 'word' | 'sign';
  /** No white space before it. */
  glued: boolean;
}

/**
 * Matches an ISO date or date-time, a number, a word, or one other character. No two alternatives match the same text,
 * which prevents backtracking.
 */
const TOKEN =
  /(\d{4}-\d{2}-\d{2}(?:[t ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:z|[+-]\d{2}:?\d{2})?)?(?![\d:]))|(\d+)|(\p{L}+)|(\S)/gu;

export interface Reader {
  /** The phrase as it was written. */
  phrase: string;
  /** Returns the token `ahead` positions after the cursor, or one without text past the end. */
  peek: (ahead?: number) => Token;
  /** Returns the token at the cursor and moves on; past the end, one without text. */
  take: () => Token;
  /** Takes the token if it is one of these. */
  takeIf: (...texts: string[]) => boolean;
  done: () => boolean;
  /** Returns an error with the phrase, the reason and an example. */
  refuse: (reason: string, example: string) => UserError;
}

const END: Token = { text: '', kind: 'sign', glued: false };

/**
 * @param phrase as it was written, for refusals
 * @param text the same in the reader's words
 */
export function readTokens(phrase: string, text: string): Reader {
  const tokens: Token[] = [];
  let end = 0;
  for (const match of text.matchAll(TOKEN)) {
    const [all, iso, number, word] = match;
    const kind = iso ? 'iso' : number ? 'number' : word ? 'word' : 'sign';
    tokens.push({ text: all, kind, glued: match.index === end && end > 0 });
    end = match.index + all.length;
  }
  let at = 0;
  const peek = (ahead = 0) => tokens[at + ahead] ?? END;
  return {
    phrase,
    peek,
    take() {
      at += 1;
      return tokens[at - 1] ?? END;
    },
    takeIf(...texts) {
      const isThere = at < tokens.length && texts.includes(peek().text);
      if (isThere) at += 1;
      return isThere;
    },
    done: () => at >= tokens.length,
    refuse: (reason, example) => refusal(phrase, reason, example),
  };
}

/** Reasons that are translated; all others are shown in English, or elsewhere as examples only. */
const TOLD: readonly (readonly [pattern: RegExp, kind: string])[] = [
  [/^it says no time$/, 'noTime'],
  [/^it (?:says|names) two times$/, 'twoTimes'],
  [/^it does not say on which days$/, 'noDays'],
  [/^it has two (?:rhythms|starts)$/, 'twoRhythms'],
  [/ is already past$/, 'past'],
  [/^that is more than (?:a|ten) years?/, 'tooFar'],
  [/^seconds are not supported$/, 'seconds'],
  [/^it is too long$/, 'tooLong'],
  [/^there is no such day$/, 'noDay'],
];

/** Builds every refusal: the phrase, the reason and what to say instead. */
export function refusal(phrase: string, reason: string, example: string): UserError {
  const text = phrase.length > 80 ? `${phrase.slice(0, 80)}...` : phrase;
  const kind = TOLD.find(([pattern]) => pattern.test(reason))?.[1] ?? 'other';
  return new UserError(say('jobs.notUnderstood', { text, reason, example, kind }));
}
