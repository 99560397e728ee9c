/**
 * Recognises a conversation by its messages, for programs that send all of them each time without an ID. Pure.
 * Invariant: a key covers all messages from the first one, so conversations that only end alike have different keys.
 */
import { createHash } from 'node:crypto';
import type { Utterance } from './request.ts';

const digestOfParts = (...parts: readonly string[]): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 40);

/** Ignores white space, since programs trim answers or break their lines differently. */
const plain = (text: string): string => text.normalize().replace(/\s+/g, ' ').trim();

function nextKey(key: string, { role, text, files }: Utterance, isBare: boolean): string {
  const contents = isBare ? [] : files.map(({ url }) => digestOfParts(url));
  return digestOfParts(key, role, plain(text), ...contents);
}

const historyKey = (scope: readonly string[], said: readonly Utterance[], isBare = false): string =>
  said.reduce((key, one) => nextKey(key, one, isBare), digestOfParts(...scope));

export const scopeKey = (scope: readonly string[], name: string): string => digestOfParts(...scope, 'named', name);

export const requestKey = (callerId: string, body: string): string => digestOfParts(callerId, body);

/** The keys that find a conversation by the messages before its newest one. */
export interface Keys {
  /** Used when the program received the whole answer. */
  answered: string | undefined;
  /** Used when the program received no answer, or part of one. */
  unanswered: string | undefined;
}

export function keysBefore(scope: readonly string[], before: readonly Utterance[]): Keys {
  const spoken = before.slice(0, before.findLastIndex(({ role }) => role === 'user') + 1);
  return {
    answered: before.at(-1)?.role === 'assistant' ? historyKey(scope, before) : undefined,
    unanswered: spoken.length > 0 ? `${historyKey(scope, spoken)}?` : undefined,
  };
}

/** Some programs omit files when they repeat a message, so a message with files has a key for each form. */
function bothForms(scope: readonly string[], said: readonly Utterance[]): string[] {
  const whole = historyKey(scope, said);
  return said.some(({ files }) => files.length > 0) ? [whole, historyKey(scope, said, true)] : [whole];
}

export const keysOfQuestion = (scope: readonly string[], said: readonly Utterance[]): string[] =>
  bothForms(scope, said).map((key) => `${key}?`);

export const keysOfAnswer = (
  scope: readonly string[],
  said: readonly Utterance[],
  answers: readonly string[],
): string[] => answers.flatMap((text) => bothForms(scope, [...said, { role: 'assistant', text, files: [] }]));
