/**
 * Whether a reply to a memory suggestion is its new wording. Where it may be anything else, a question or a request, it is a message like
 * any other: the model reads it, and the suggestion waits.
 */

import type { ReplyTo } from '../../runtime/contract/feature.ts';
import type { ExpectedAnswer } from '../../runtime/conversations/expected.ts';
import { DEFAULT_VIBER, isId } from '../../workspace/home.ts';
import { findSuggestion } from '../../workspace/memory/suggestions.ts';
import type { Gateway } from '../gateway.ts';

const MIN_WORDS = 2;
const segmenter = new Intl.Segmenter('und', { granularity: 'word' });

/** The command that a reply to the message `repliesTo` stands for; undefined where it is no new wording of what that asks about. */
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
    // Buttons of earlier versions name none.
    const [id = '', of = DEFAULT_VIBER] = name.split('/').reverse();
    const suggestion = isId(of) ? await findSuggestion(home, of, id) : undefined;
    const likeness = suggestion ? likenessOf(text, suggestion.text) : 0;
    if (likeness > (best?.likeness ?? 0)) best = { name, likeness };
  }
  return best && { command: 'memory', args: `edit ${best.name}` };
}

/**
 * How much of a statement repeats what it replaces, 0 where it is no new wording: it asks nothing, and either most of its words stand in
 * the old one, or it begins as that does and has half of its words.
 */
export function likenessOf(reply: string, suggested: string): number {
  if (/[?？؟]/u.test(reply)) return 0;
  const [said, old] = [wordsOf(reply), wordsOf(suggested)];
  const shared = new Set(said).intersection(new Set(old)).size;
  const isMostly = 2 * shared > new Set(said).size;
  const beginsAlike = said[0] === old[0] && 2 * shared >= new Set(old).size;
  return said.length >= MIN_WORDS && shared >= MIN_WORDS && (isMostly || beginsAlike) ? shared / said.length : 0;
}

const wordsOf = (text: string): string[] =>
  [...segmenter.segment(text.toLowerCase())].flatMap(({ segment, isWordLike }) => (isWordLike ? [segment] : []));
