/** /compact: what was said so far as a summary that stands for it in requests, after its facts went to the day's log. */
import { principalText } from '../../access/principal.ts';
import type { Compacted } from '../memory/compaction.ts';
import type { Command } from './command.ts';

/** A model may take minutes; nobody's next command waits for it longer than this. */
const WAIT_MS = 2_500;
const SHOWN_LINES = 6;
const SHOWN = 700;

const NOTHING = 'There is nothing to compact: no more than the newest exchange stands there word for word.';

export const compact: Command = {
  name: 'compact',
  description: 'Put what was said into a summary to make room',
  action: 'steer',
  async run({ task, look, compaction, principal }) {
    // Facts of what is compacted go to the day's log.
    if (principal.role === 'guest')
      return { text: 'Only the people of this bot may compact a conversation; ask its owner.' };
    if (!task || !compaction) return { text: NOTHING };
    const order = { viber: task.viber, taskId: task.id, person: principalText(principal) };
    const afterRun = (await look(task.id)).view !== undefined;
    const work = compaction.compact(order, { afterRun }).then(wordsFor);
    if (afterRun)
      return {
        text: 'I am at work: I compact this conversation when I have finished, and tell you here.',
        later: work,
      };
    const { promise: late, resolve } = Promise.withResolvers<undefined>();
    const timer = setTimeout(() => resolve(undefined), WAIT_MS);
    const text = await Promise.race([work, late]);
    clearTimeout(timer);
    if (text !== undefined) return { text };
    return { text: 'I am putting what was said into a summary; I tell you here when it is done.', later: work };
  },
};

function wordsFor({ end, messages, facts, waiting, text }: Compacted): string {
  if (messages === 0) return UNDONE[end];
  const noted = `${facts} ${facts === 1 ? 'fact is' : 'facts are'} in today’s log`;
  const asked =
    waiting > 0 ? `, and ${waiting} of them ${waiting === 1 ? 'waits' : 'wait'} for an owner in /memory` : '';
  const rest = end === 'more' ? ' There is more: send /compact again.' : '';
  return `I put ${messages} messages into a summary; ${noted}${asked}. The transcript keeps every word.${rest}\n\n${quoted(text)}`;
}

const UNDONE: Record<Compacted['end'], string> = {
  done: NOTHING,
  nothing: NOTHING,
  more: 'I did not get to it; send /compact again.',
  later: 'I did not get to it; send /compact again.',
  cap: 'A daily limit is reached, so nothing was compacted: /status shows it, `limits` in the configuration raises it.',
  failed: 'The model gave no summary that I can use, so nothing has changed: send /compact again later.',
  closed: 'I was stopped before it was done, and nothing has changed: send /compact again.',
};

/** The first lines, as a quotation. */
function quoted(text: string): string {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const shown = lines.slice(0, SHOWN_LINES).join('\n').slice(0, SHOWN).toWellFormed();
  const isAll = shown === lines.join('\n');
  return `> ${shown}${isAll ? '' : ' …'}`.replaceAll('\n', '\n> ');
}
