/** The messages of a person in a chat during outages, and their outcomes. */
import type { Person, Platform } from '../test/platforms/platform.ts';

export interface Chat {
  platform: Platform;
  person: Person;
  said: number;
  /** The number of answers at the beginning. */
  before: number;
}

const textsOf = ({ platform, person, before }: Chat): string[] =>
  platform
    .answers(platform.dm(person))
    .slice(before)
    .map(({ text }) => text);
const numberOf = (text: string): number => Number(/^message (\d+)$/.exec(text.trim())?.[1] ?? 0);

/** Messages that have neither an answer nor a sentence in place of one yet. */
export const openMessages = (chat: Chat): number => chat.said - textsOf(chat).length;

/** Each message has one answer: its own number, or a sentence in place of the answer. */
export function judge(chat: Chat) {
  const texts = textsOf(chat);
  const numbers = texts.map(numberOf);
  const answers = numbers.filter((n) => n > 0);
  const others = texts.filter((_, index) => numbers[index] === 0);
  const different = new Set(answers).size;
  const missing = chat.said - different;
  const late = answers.filter((n, index) => answers.slice(0, index).some((earlier) => earlier > n));
  const inversions = late.length;
  const twice = answers.length - different + Math.max(0, others.length - missing);
  const lost = Math.max(0, missing - others.length);
  const problem =
    lost + inversions + twice === 0
      ? undefined
      : `${chat.person}: late ${late.join(', ') || 'none'}; ${texts.map((text, index) => numbers[index] || text).join(' | ')}`.slice(
          0,
          2_000,
        );
  return { said: chat.said, lost, inversions, twice, others, problem };
}
