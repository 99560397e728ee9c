/**
 * Recognises a reply to a memory suggestion as its new wording. If it could be a question or a request, it is an
 * ordinary message: the model reads it, and the suggestion stays pending.
 */

import type { ReplyTo } from '../../runtime/contract/feature.ts';
import type { ExpectedAnswer } from '../../runtime/conversations/expected.ts';
import { DEFAULT_VIBER, isId } from '../../workspace/home.ts';
import type { Gateway } from '../gateway.ts';
import { findSuggestion } from './store/suggestions.ts';

const MIN_WORDS = 2;
const segmenter = new Intl.Segmenter('und', { granularity: 'word' });

/** Returns the command for a reply to the message `repliesTo`; undefined if the reply isn't a new wording. */
export async function rewordedBy(
  { address, repliesTo, text }: ReplyTo,
  { home, consent: { questions, buttons } }: Gateway,
): Promise<ExpectedAnswer | undefined> {
  const asking = await questions.askedBy(address, repliesTo);
  let best: { name: string; likeness: number } | undefined;
  for (const button of asking?.buttons.flat() ?? []) {
    const action = asking && (await buttons.press(button.id, asking.address));
    const name =
      action && 'command' in action && action.command === 'memory' ? /^edit (\S+)$/.exec(action.args)?.[1] : undefined;
    if (name === undefined) continue;
    // Buttons from earlier versions don't name a viber.
    const [id = '', of = DEFAULT_VIBER] = name.split('/').reverse();
    const suggestion = isId(of) ? await findSuggestion(home, of, id) : undefined;
    const likeness = suggestion ? likenessOf(text, suggestion.text) : 0;
    if (likeness > (best?.likeness ?? 0)) best = { name, likeness };
  }
  return best && { command: 'memory', args: `edit ${best.name}` };
}

/**
 * Returns how much of the suggestion a statement repeats, or 0 if it isn't a new wording: it must not be a question,
 * and either most of its words are in the suggestion, or it begins alike and shares half of its words.
 */
export function likenessOf(reply: string, suggested: string): number {
  if (/[?？؟]/u.test(reply)) return 0;
  const [said, old] = [segmentWords(reply), segmentWords(suggested)];
  const shared = new Set(said).intersection(new Set(old)).size;
  const isMostly = 2 * shared > new Set(said).size;
  const beginsAlike = said[0] === old[0] && 2 * shared >= new Set(old).size;
  return said.length >= MIN_WORDS && shared >= MIN_WORDS && (isMostly || beginsAlike) ? shared / said.length : 0;
}

const segmentWords = (text: string): string[] =>
  [...segmenter.segment(text.toLowerCase())].flatMap(({ segment, isWordLike }) => (isWordLike ? [segment] : []));
