/** Shows the receipt of the last seven days on the health page. */
import { route } from '../../board/route.ts';
import type { ReceiptShown } from '../../client/shapes.ts';
import { messagesIn, sentences } from '../../messages/messages.ts';
import type { BoardRoute } from '../../runtime/contract/board.ts';
import { type Gateway, perGateway } from '../gateway.ts';
import { countReceipt, type Receipt } from './count.ts';
import { receiptText } from './say.ts';
import { receiptZone } from './weekly.ts';

const WEEK_MS = 7 * 86_400_000;
/** Counting reads a week of conversations. */
const FRESH_MS = 10_000;

const latest = perGateway((gw: Gateway) => {
  let last: { at: number; receipt: Promise<Receipt> } | undefined;
  return () => {
    const now = gw.clock.now();
    if (!last || Math.abs(now - last.at) > FRESH_MS) last = { at: now, receipt: countReceipt(now - WEEK_MS, now, gw) };
    return last.receipt;
  };
});

export const receiptRoutes = (gw: Gateway): BoardRoute[] => [
  route('GET', '/api/receipt', 'owner', async ({ caller }) => {
    const found = await latest(gw)();
    const messages = messagesIn(caller.language);
    const zone = gw.people.zones.of(caller.principal) ?? receiptZone(gw);
    const text = sentences(receiptText(found, messages, zone), messages.text('receipt.refused'));
    const { from, to, restartsSince: _, isAtLeast: __, ...counts } = found;
    return {
      text,
      from: new Date(from).toISOString(),
      to: new Date(to).toISOString(),
      ...counts,
    } satisfies ReceiptShown;
  }),
];
