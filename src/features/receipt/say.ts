/** Words the receipt. It says that nothing was lost only if the data proves it. */
import { type Messages, sentences, type Text } from '../../messages/messages.ts';
import type { Receipt } from './count.ts';

export function receiptText(receipt: Receipt, messages: Messages, zone: string | undefined): Text {
  const { text } = messages;
  const { from, failed, stopped, waiting, givenUp, unknown, undelivered, unsure, deleted, restartsSince } = receipt;
  const since = messages.when(new Date(from), zone);
  if (receipt.messages === 0) return text('receipt.none', { from: since });
  const isKept = givenUp + unknown + undelivered + unsure === 0 && !receipt.isAtLeast;
  const { messages: all, answered, restarts } = receipt;
  const line = text(isKept ? 'receipt.kept' : 'receipt.counted', { messages: all, answered, restarts });
  const counted = [
    ['receipt.failed', failed],
    ['receipt.stopped', stopped],
    ['receipt.waiting', waiting],
    ['receipt.givenUp', givenUp],
    ['receipt.unknown', unknown],
    ['receipt.undelivered', undelivered],
    ['receipt.unsure', unsure],
    ['receipt.deleted', deleted],
  ] as const;
  return sentences(
    text('receipt.week', { from: since, text: line }),
    ...counted.flatMap(([key, n]) => (n > 0 ? [text(key, { n })] : [])),
    receipt.isAtLeast ? text('receipt.atLeast') : '',
    restartsSince === undefined || restartsSince <= from
      ? ''
      : text('receipt.restartsSince', { when: messages.when(new Date(restartsSince), zone) }),
  );
}
