/** Two decide one request while the disk is slow: what was decided last is what the file says, too. */
import { expect, it, onTestFinished } from 'vitest';
import type { Queue } from '../../../src/engine/engine.ts';
import { silentLog } from '../../../src/log.ts';
import { Approvals } from '../../../src/runtime/approvals/approvals.ts';
import { storeRequest } from '../../../src/runtime/approvals/files.ts';
import type { ApprovalRequest } from '../../../src/runtime/contract/approval.ts';
import type { Entry } from '../../../src/runtime/contract/entry.ts';
import { tempFolder } from '../../helpers/temp.ts';
import { quiet } from '../../kit/quiet.ts';

const sam = { by: 'telegram:1', name: 'Sam' };
const request: ApprovalRequest = {
  ...{ id: 'a'.repeat(24), kind: 'tool', viber: 'default', taskId: 't1', run: 'r1', callId: 'c1', tool: 'send' },
  ...{ input: {}, scope: '', digest: 'd', askedAt: '2026-03-01T10:00:00.000Z' },
  asked: [
    {
      ...{ id: 'm1', kind: 'message', address: { channel: 'telegram', account: 'b', chat: '1' }, text: '', files: [] },
      ...{ sender: { user: '1', name: 'Sam', isBot: false }, facts: [], quotes: [], messageId: '5' },
      ...{ isDirect: true, isMention: true, sentAt: 0 },
    },
  ],
  principal: { channel: 'telegram', account: 'b', user: '1', role: 'member', via: 'message', name: 'Sam' },
};

async function asked() {
  const folder = tempFolder();
  const lane: Entry[] = [];
  /** What the next writes wait for before they happen. */
  const held: (() => Promise<void>)[] = [];
  const store = async (to: string, request: ApprovalRequest) => {
    const asItWas = structuredClone(request);
    await held.shift()?.();
    await storeRequest(to, asItWas);
  };
  const open = () => {
    const queue: Pick<Queue<Entry>, 'enqueue'> = {
      async enqueue(_lane, entry) {
        lane.push(entry);
        return 'accepted';
      },
    };
    const approvals = new Approvals({ folder, log: silentLog(), queue, store });
    onTestFinished(() => approvals.close());
    return approvals;
  };
  const approvals = open();
  await approvals.ask(structuredClone(request));
  return {
    ...{ approvals, lane, held },
    verdicts: () => [approvals, open()].map((each) => each.get(request.id)?.decision?.verdict),
  };
}

it('a yes that the disk was slow to take does not stand over what its person wrote after it', async () => {
  const { approvals, held, verdicts } = await asked();
  const slow = Promise.withResolvers<void>();
  held.push(() => slow.promise);
  const yes = approvals.decide(request.id, { verdict: 'approve', ...sam });
  const wrote = approvals.withdraw(request.id, sam);
  await Promise.race([wrote, quiet()]);
  slow.resolve();
  await Promise.all([yes, wrote]);
  expect(verdicts()).toEqual(['wrote', 'wrote']);
});

it.each(['wrote', 'deny'] as const)(
  'a yes that the disk refuses leaves the next decision as it is: %s',
  async (next) => {
    const { approvals, held, verdicts, lane } = await asked();
    const slow = Promise.withResolvers<void>();
    held.push(async () => {
      await slow.promise;
      throw new Error('disk full');
    });
    const yes = approvals.decide(request.id, { verdict: 'approve', ...sam });
    const refused = expect(yes).rejects.toThrow('disk full');
    const then =
      next === 'wrote'
        ? approvals.withdraw(request.id, sam)
        : approvals.decide(request.id, { verdict: next, ...sam }).then((made) => expect(made?.isFirst).toBe(true));
    await quiet();
    // Nothing goes on by what is not stored.
    expect(lane).toEqual([]);
    slow.resolve();
    await Promise.all([refused, then]);
    expect(verdicts()).toEqual([next, next]);
    expect(lane).toHaveLength(next === 'wrote' ? 0 : 1);
  },
);
