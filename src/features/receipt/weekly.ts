/**
 * Sends the weekly line to owners, to each in one chat, on Monday at 9, about the seven days before. The message's ID
 * names the week and the person, so that it is sent only once, despite a restart at that moment or a second process.
 */
import { ended, type Turn } from '../../channels/lead.ts';
import { systemTimezone } from '../../lib/timezone.ts';
import { configOf, type Gateway } from '../gateway.ts';
import { countReceipt } from './count.ts';
import { receiptText } from './say.ts';

const HOUR_MS = 3_600_000;
const WEEK_MS = 7 * 24 * HOUR_MS;
/** A gateway that was off at that time sends it later, but not days later. */
const LATE_MS = 24 * HOUR_MS;
const STEP_MS = HOUR_MS / 2;

/** Returns the last Monday at 9:00 in a zone, in ms. */
export function lastMonday(now: number, zone: string): number {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    weekday: 'short',
    hour: 'numeric',
    minute: 'numeric',
    hourCycle: 'h23',
  });
  const start = Math.floor(now / STEP_MS) * STEP_MS;
  for (let at = start; at > start - WEEK_MS - 2 * HOUR_MS; at -= STEP_MS) {
    const parts = new Map(format.formatToParts(at).map(({ type, value }) => [type, value]));
    if (parts.get('weekday') === 'Mon' && Number(parts.get('hour')) === 9 && Number(parts.get('minute')) < 30)
      return at;
  }
  return start;
}

export const receiptZone = (gw: Gateway): string => gw.config.jobs.timezone ?? systemTimezone();

/** Sends the line about the last week, unless nobody wrote or it is too late. Repeating this sends nothing twice. */
export async function sendWeekly(now: number, gw: Gateway): Promise<void> {
  const zone = receiptZone(gw);
  const due = lastMonday(now, zone);
  if (now - due > LATE_MS || configOf(gw).receipt.weekly === 'off') return;
  const receipt = await countReceipt(due - WEEK_MS, due, gw);
  if (receipt.messages === 0) return;
  const id = `receipt-${new Date(due).toISOString().slice(0, 10)}`;
  await gw.people.owners.tellEachOwner(id, (messages) => receiptText(receipt, messages, zone));
}

/** Checks the time every quarter of an hour, because clocks are set and zones change theirs. */
export async function keepSending(turn: Turn, gw: Gateway): Promise<void> {
  let done = 0;
  let cancel: () => void = () => undefined;
  const look = async () => {
    cancel = gw.clock.after(HOUR_MS / 4, () => void look());
    const due = lastMonday(gw.clock.now(), receiptZone(gw));
    if (due === done || turn.over.aborted) return;
    try {
      await sendWeekly(gw.clock.now(), gw);
      done = due;
    } catch (error) {
      gw.log.error({ err: error }, 'the weekly receipt could not be sent');
    }
  };
  void look();
  await ended(turn);
  cancel();
}
