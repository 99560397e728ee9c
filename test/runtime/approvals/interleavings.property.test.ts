/** Several people press, write instead, and let the time run out while the disk and the lane are slow or fail: whatever the order, one decision holds. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { silentLog } from '../../../src/log.ts';
import { Approvals } from '../../../src/runtime/approvals/approvals.ts';
import { storeRequest } from '../../../src/runtime/approvals/files.ts';
import type { ApprovalRequest } from '../../../src/runtime/contract/approval.ts';
import { tempFolder } from '../../helpers/temp.ts';

const RUNS = Number(process.env.INJECTION_RUNS ?? 60);
/** A run is repeated by its seed. */
const SEED = process.env.INJECTION_SEED;
const START = Date.parse('2026-03-01T10:00:00.000Z');
const MINUTE = 60_000;
const ID = 'a'.repeat(24);
const request: ApprovalRequest = {
  ...{ id: ID, kind: 'tool', viber: 'default', taskId: 't1', run: 'r1', callId: 'c1', tool: 'send', input: {} },
  ...{ scope: '', digest: 'd', askedAt: new Date(START).toISOString() },
  expiresAt: new Date(START + 10 * MINUTE).toISOString(),
  principal: { channel: 'telegram', account: 'b', user: '1', role: 'member', via: 'message', name: 'Sam' },
  asked: [
    {
      ...{ id: 'm1', kind: 'message', address: { channel: 'telegram', account: 'b', chat: '1' }, text: '', files: [] },
      ...{ sender: { user: '1', name: 'Sam', isBot: false }, facts: [], quotes: [], messageId: '5' },
      ...{ isDirect: true, isMention: true, sentAt: START },
    },
  ],
};

// biome-ignore format: a list is filled
const act = fc.constantFrom(
  'approve', 'approve', 'deny', 'always', 'write', 'take', 'ask', 'later', 'fail', 'mend', 'restart',
);

it(
  'is decided once, goes on once, and is never done after a no or too late',
  async () => {
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), fc.array(act, { minLength: 3, maxLength: 12 }), async (scheduler, acts) => {
        const folder = tempFolder();
        let [now, isFailing] = [START, false];
        const lane = new Set<string>();
        /** Done when its turn comes, in whatever order. */
        const later = <T>(work: () => Promise<T>) => scheduler.schedule(Promise.resolve()).then(work);
        const queue = {
          enqueue: (_lane: string, _entry: unknown, options: { dedupeId: string }) =>
            later(async () => {
              if (isFailing) throw new Error('disk full');
              const isThere = lane.has(options.dedupeId);
              lane.add(options.dedupeId);
              return isThere ? ('duplicate' as const) : ('accepted' as const);
            }),
        };
        const write = (to: string, asItWas: ApprovalRequest) =>
          later(async () => {
            if (isFailing) throw new Error('disk full');
            await storeRequest(to, asItWas);
          });
        let isAsked = false;
        const store = (to: string, changed: ApprovalRequest) =>
          isAsked ? write(to, structuredClone(changed)) : storeRequest(to, changed);
        const open = () => new Approvals({ folder, log: silentLog(), now: () => now, queue, store });
        let approvals = open();
        await approvals.ask(structuredClone(request));
        isAsked = true;
        const firsts: string[] = [];
        const one: Record<string, () => Promise<unknown>> = {
          write: () => approvals.withdraw(ID, { by: 'telegram:1', name: 'Sam' }),
          take: () => approvals.take(ID),
          ask: () => approvals.ask(request),
          later: async () => {
            now += 6 * MINUTE;
          },
          fail: async () => {
            isFailing = true;
          },
          mend: async () => {
            isFailing = false;
          },
        };
        const press = async (verdict: 'approve' | 'deny' | 'always', by: string) => {
          const isLate = now >= START + 10 * MINUTE;
          const decided = await approvals.decide(ID, { verdict, by, name: by });
          if (decided?.isFirst) firsts.push(verdict);
          if (decided?.isFirst && isLate) throw new Error(`${verdict} counted after its time`);
        };
        const done: Promise<unknown>[] = [];
        const begin = (doing: Promise<unknown>) => {
          // Whatever becomes of it is looked at in the end.
          doing.catch(() => 'looked at below');
          done.push(doing);
        };
        for (const [index, name] of acts.entries()) {
          if (name === 'restart') {
            // A stop waits for what is under way.
            await scheduler.waitFor(Promise.allSettled(done));
            approvals.close();
            approvals = open();
            begin(approvals.start());
            continue;
          }
          const run = () =>
            name === 'approve' || name === 'deny' || name === 'always'
              ? press(name, `telegram:${index}`)
              : one[name]?.();
          begin(scheduler.schedule(Promise.resolve(name)).then(run));
        }
        const ends = await scheduler.waitFor(Promise.allSettled(done));
        isFailing = false;
        const errors = ends.flatMap((end) => (end.status === 'rejected' ? String(end.reason) : []));
        expect(errors.filter((error) => !error.includes('disk full'))).toEqual([]);
        const verdict = approvals.get(ID)?.decision?.verdict;
        // A disk that failed takes nothing back that was durable.
        expect(firsts.length).toBeLessThanOrEqual(1);
        if (firsts.length === 1) expect([firsts[0], 'wrote']).toContain(verdict);
        expect(lane.size).toBeLessThanOrEqual(1);
        approvals.close();
        const after = open();
        expect(after.get(ID)?.decision?.verdict).toBe(verdict);
        after.close();
      }),
      { numRuns: RUNS, ...(SEED !== undefined && { seed: Number(SEED) }), endOnFailure: true },
    );
  },
  60_000 + RUNS * 500,
);
