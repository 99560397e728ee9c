/** /compact: replaces the conversation so far with a summary, after saving its facts in the day's log. */

import { principalText } from '../../../access/principal.ts';
import { within } from '../../../lib/within.ts';
import { lines, type MessageKey, type Messages, sentences, type Text, words } from '../../../messages/messages.ts';
import type { Command } from '../../../runtime/commands/command.ts';
import { taskLane } from '../../../runtime/contract/entry.ts';
import type { CompactionResult } from '../compaction.ts';
import { compactionOf } from '../open-compaction.ts';

/** A model may take minutes, but the next command waits no longer than this. */
const WAIT_MS = 2_500;
const SHOWN_LINES = 6;
const SHOWN = 700;

export const compact: Command = {
  name: 'compact',
  help: { group: 'memory', does: 'does.compact' },
  description: 'Summarise the conversation so far, to make room',
  action: 'steer',
  async run({ gw, task, principal, messages }) {
    // Compaction writes facts to the day's log.
    if (principal.role === 'guest') return { text: messages.text('memory.membersCompact') };
    if (!task) return { text: messages.text('memory.nothingToCompact') };
    const order = { viber: task.viber, taskId: task.id, person: principalText(principal) };
    const afterRun = (await gw.engine.queue.look(taskLane(task.id))).view !== undefined;
    const work = compactionOf(gw)
      .compact(order, { afterRun })
      .then((end) => wordsFor(end, messages));
    if (afterRun)
      return {
        text: messages.text('memory.compactLater'),
        later: work.then((said) => ({ text: said })),
      };
    const text = await within(work, WAIT_MS);
    if (text !== undefined) return { text };
    return { text: messages.text('memory.compacting'), later: work.then((said) => ({ text: said })) };
  },
};

function wordsFor({ end, messages: count, facts, waiting, text }: CompactionResult, messages: Messages): Text {
  if (count === 0) return messages.text(UNDONE[end]);
  const given = { messages: count, facts, waiting };
  const done = messages.text(waiting > 0 ? 'memory.compactedWaiting' : 'memory.compacted', given);
  const rest = end === 'more' ? messages.text('memory.compactMore') : '';
  return lines(sentences(done, rest), '', words(quoted(text)));
}

const UNDONE = {
  done: 'memory.nothingToCompact',
  nothing: 'memory.nothingToCompact',
  more: 'memory.compactNotYet',
  later: 'memory.compactNotYet',
  cap: 'memory.compactCap',
  failed: 'memory.compactFailed',
  closed: 'memory.compactStopped',
} as const satisfies Record<CompactionResult['end'], MessageKey>;

function quoted(text: string): string {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const shown = lines.slice(0, SHOWN_LINES).join('\n').slice(0, SHOWN).toWellFormed();
  const isAll = shown === lines.join('\n');
  return `> ${shown}${isAll ? '' : ' …'}`.replaceAll('\n', '\n> ');
}
