/**
 * Checks what a run may send out by the rule in `egress.ts`, with facts from the sessions: who wrote which addresses,
 * what was approved, what has left. Invariants: what leaves without a question is in the session before it leaves, so
 * that neither a crash nor a question in between resets a run's count; the agents that a run asks share the count.
 */

import { crashPoint } from '../../crash-points.ts';
import { UserError } from '../../errors.ts';
import { isListed, isNamed, isSameHost, isWritten, pagesOf } from '../../lib/web-addresses.ts';
import type { Home } from '../../workspace/home.ts';
import { openTask } from '../../workspace/tasks/index.ts';
import type { Consent, Json, SessionEntry, TaskRecord } from '../../workspace/types.ts';
import type { WorkingMode } from '../contract/settings.ts';
import type { Reach, RuntimeTool } from '../contract/task.ts';
import { callKind } from '../contract/task.ts';
import { digestOf } from '../reply/show.ts';
import { mustBeShowable } from './consent.ts';
import { type Egress, judgeEgress } from './egress.ts';
import { isLine, type Line } from './session-lines.ts';

export interface OutgoingOptions {
  home: Home;
  task: TaskRecord;
  /** The outermost run is `root`. */
  viber: string;
  run: string;
  root: string;
  mode: WorkingMode;
  isGuest: boolean;
  hosts: readonly string[];
  always: readonly Consent[];
  /** The run has seen something private by now. */
  isTainted: () => boolean;
}

export interface Outgoing {
  /** @throws UserError if the call may not be made at all */
  asks(tool: RuntimeTool, input: unknown, callId: string): Promise<boolean>;
  /** Whether a redirect to another address may be followed without a question. */
  mayFollow(from: URL, to: URL): Promise<boolean>;
}

const REFUSED = 'For a guest only pages of hosts in web.hosts are read: say what you would have looked for instead.';

export function openOutgoing(options: OutgoingOptions): Outgoing {
  const { home, task, viber, run, root } = options;
  let last: Promise<unknown> = Promise.resolve();

  /** @param own the line about this same call, from an earlier process */
  async function judge(kind: string, reach: Reach, own?: (line: Line<'sent'>) => boolean): Promise<Egress> {
    const { address, characters, isOdd = false } = reach;
    const told = openTask(home, task).session.run(root);
    const said = [...openTask(home, task).session.tail(), ...told].filter(isLine('message'));
    const written = new Set(said.flatMap((entry) => entry.addresses ?? []));
    const spent = told.filter(isLine('sent')).filter((line) => !own?.(line));
    const mine = viber === task.viber && run === root ? told : openTask(home, task, viber).session.run(run);
    return judgeEgress({
      mode: options.mode,
      isGuest: options.isGuest,
      isTainted: options.isTainted(),
      isOdd,
      characters,
      isListed: address !== undefined && isListed(address, options.hosts),
      isTheirs: address !== undefined && isWritten(address, written),
      isUsed: address !== undefined && spent.some((line) => line.address === spelled(address)),
      isNamed: address === undefined || isNamed(address, written),
      isAllowed: approvedIn(mine).has(kind),
      isAlways: options.always.some((consent) => consent.kind === kind),
      sent: spent.reduce((sum, line) => sum + line.characters, 0),
    });
  }

  async function decide(tool: RuntimeTool, input: unknown, callId: string): Promise<boolean> {
    const reach = tool.reaches?.(input);
    // An address that can't be reached fails by itself.
    if (!reach) return false;
    const given: Json = JSON.parse(JSON.stringify(input));
    const line: Line<'sent'> = {
      type: 'sent',
      run: root,
      at: new Date().toISOString(),
      callId,
      tool: tool.name,
      digest: digestOf(tool.name, given),
      characters: reach.characters,
    };
    const { address } = reach;
    // The same call is judged again when its run resumes.
    const isOwn = (other: Line<'sent'>) => other.callId === callId && other.digest === line.digest;
    const egress = await judge(callKind(tool, input), reach, isOwn);
    if (egress === 'refuse') throw new UserError(REFUSED);
    if (egress === 'ask') mustBeShowable(tool, input);
    if (egress !== 'count' && egress !== 'once') return egress === 'ask';
    const typed = egress === 'once' && address ? { characters: 0, address: spelled(address) } : {};
    await openTask(home, task).session.append([{ ...line, ...typed }], { sync: true });
    crashPoint('egress:written');
    return false;
  }

  return {
    asks(tool, input, callId) {
      // Calls are judged one after another: each must see what the previous one used up.
      const decision = last.then(() => decide(tool, input, callId));
      // Only the order matters here; the caller handles a failure.
      last = decision.catch(() => undefined);
      return decision;
    },
    async mayFollow(from, to) {
      if (isSameHost(from, to)) return true;
      // The other side made this address: it contains nothing that it didn't know.
      const egress = await judge(pagesOf(to), { address: to, characters: 0 });
      return egress !== 'ask' && egress !== 'refuse';
    },
  };
}

/** Means the same for http and https. */
const spelled = (url: URL): string => (url.protocol === 'https:' ? url.href.replace('https:', 'http:') : url.href);

function approvedIn(entries: readonly SessionEntry[]): ReadonlySet<string> {
  const yes = new Set(
    entries
      .filter(isLine('decision'))
      .flatMap(({ verdict, approval }) => (verdict === 'approve' || verdict === 'always' ? [approval] : [])),
  );
  return new Set(
    entries.filter(isLine('approval')).flatMap(({ id, scope }) => (scope !== undefined && yes.has(id) ? [scope] : [])),
  );
}
