/**
 * Waits until nothing is left to do, for a test that goes on to say what did not happen. It looks at what is unfinished
 * rather than at a clock, so a slow machine only makes it wait longer:
 *
 * - requests to emulators, except those that wait for news, and events that the bot under test hasn't confirmed;
 * - unfinished messages and unsent answers in the spool of a gateway, whether it runs here or as a process of its own;
 * - what this process has in flight: files, lookups, connections, and timers that fire soon, in which messages wait to be
 *   joined by others;
 * - the threads of a gateway in a process of its own, while one of them computes.
 *
 * All of this must hold over several turns of the event loop in which nothing happens.
 */
import { allOpen, countAll } from '../emulators/base/activity.ts';
import { type Pending, pause, timersWithin } from './timers.ts';

/** Against hanging only. */
const LIMIT_MS = 120_000;
/** Looks in a row that must find the same. */
const LOOKS = 5;
const BETWEEN_MS = 5;
/** A timer that fires later than this holds nobody's message: it looks after something now and then. */
const SOON_MS = 1_500;

/** Resources of Node that are there while nothing happens; a file that was read as a body is one until it is collected. */
const RESTING =
  /^(Timeout|Immediate|TCPSocketWrap|TCPServerWrap|PipeWrap|PipeServerWrap|TTYWrap|MessagePort|FSEventWrap|StatWatcher|ProcessWrap|SignalWrap|UDPWRAP|Worker|FileHandleReadWrap)$/;

const inFlight = (): string[] => process.getActiveResourcesInfo().filter((name) => !RESTING.test(name));

async function turns(): Promise<void> {
  await pause(BETWEEN_MS);
  for (let n = 0; n < 3; n++) await new Promise(setImmediate);
}

/** An answer of the model that the test itself holds back, and the run that waits for it. */
export const RUNNING = /\/chat\/completions$|^cur /;

/** One that is overdue by a second was ended without a word. */
const isPast = ({ isOver, due }: Pending): boolean => isOver || due < performance.now() - 1_000;

export interface QuietOptions {
  /** What the test itself holds open, such as an answer of the model: it counts as finished. */
  except?: RegExp;
  /** Waits for timers that fire within this many milliseconds, also for those that look after something again and again. */
  within?: number;
  /** Ends the wait as soon as it is true, for a test that waits for an answer or for none. */
  or?: () => boolean;
}

/**
 * Resolves once nothing has happened, and nothing is to happen, in any gateway and emulator of this test.
 * @throws Error with what is unfinished, if it never ends
 */
export async function quiet({ except, within, or }: QuietOptions = {}): Promise<void> {
  const end = performance.now() + LIMIT_MS;
  let before = Number.NaN;
  let looks = 0;
  let timers: Pending[] = [];
  for (;;) {
    await turns();
    if (or?.()) return;
    const open = [...allOpen(), ...inFlight()].filter((each) => !except?.test(each));
    const count = countAll();
    if (open.length > 0 || count !== before) looks = 0;
    else looks++;
    before = count;
    // Those set later are set by others that fired, or happen again and again.
    if (looks === 1) timers = timersWithin(within ?? SOON_MS, within !== undefined);
    if (looks >= LOOKS && timers.every(isPast)) return;
    if (performance.now() > end) throw new Error(`it never becomes quiet: ${open.join(', ') || 'it happens too much'}`);
  }
}

/**
 * Resolves once everything has happened that is planned for the next so many milliseconds, for what never becomes quiet
 * because it is tried again and again.
 */
export async function timersOver(ms: number): Promise<void> {
  const timers = timersWithin(ms, true);
  while (!timers.every(isPast)) await turns();
  await turns();
}
