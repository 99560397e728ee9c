/** Requests of one home on which two processes work: both press, one is first, and both know what was decided. */
import { describe, expect, it, onTestFinished } from 'vitest';
import { openLocalEngine } from '../../../src/engine/local/engine.ts';
import { silentLog } from '../../../src/log.ts';
import { Approvals } from '../../../src/runtime/approvals/approvals.ts';
import type { SharedBy } from '../../../src/runtime/approvals/shared.ts';
import type { ApprovalRequest } from '../../../src/runtime/contract/approval.ts';
import { openHome } from '../../../src/workspace/home.ts';
import { eventually } from '../../helpers/eventually.ts';
import { tempFolder } from '../../helpers/temp.ts';

const idOf = (n: number) => n.toString(16).padStart(24, '0');
const by = (name: string) => ({ verdict: 'approve', by: `telegram:${name}`, name }) as const;
const asking = (n: number): ApprovalRequest => ({
  ...{ id: idOf(n), kind: 'tool', viber: 'default', taskId: 't1', run: 'r1', callId: 'c1', tool: 'send', input: {} },
  ...{ scope: '', digest: 'd', askedAt: new Date().toISOString() },
  principal: { channel: 'telegram', account: 'b', user: '1', role: 'member', via: 'message', name: 'Sam' },
  asked: [
    {
      ...{ id: 'm1', kind: 'message', address: { channel: 'telegram', account: 'b', chat: '1' }, text: '', files: [] },
      ...{ sender: { user: '1', name: 'Sam', isBot: false }, facts: [], quotes: [], messageId: '5' },
      ...{ isDirect: true, isMention: true, sentAt: 1 },
    },
  ],
});

async function world() {
  const home = await openHome(tempFolder());
  const options = { folders: home, freeBytes: 0, onDead: () => undefined };
  const engine = await openLocalEngine<unknown>({
    ...options,
    onError: (error) => {
      throw error;
    },
  });
  const lane: string[] = [];
  const all: Approvals[] = [];
  onTestFinished(async () => {
    for (const one of all) one.close();
    await engine.close();
  });
  const open = (more: Partial<SharedBy> = {}) => {
    const elsewhere: string[] = [];
    const shared: SharedBy = {
      state: engine.state,
      lock: (name, work) => engine.lock(name, work),
      publish: (topic, text) => engine.publish(topic, text),
      subscribe: (topic, on) => engine.subscribe(topic, on),
      ...more,
    };
    const approvals = new Approvals({
      ...{ folder: home.access, log: silentLog(), shared },
      onDecidedElsewhere: ({ id }) => void elsewhere.push(id),
      queue: {
        enqueue: async (_lane, _entry, { dedupeId }) => {
          if (lane.includes(dedupeId)) return 'duplicate';
          lane.push(dedupeId);
          return 'accepted';
        },
      },
    });
    all.push(approvals);
    return Object.assign(approvals, { elsewhere });
  };
  return { engine, lane, open };
}

describe('a request of a home on which two processes work', () => {
  it('pressed in both at once, 100 times, is decided by exactly one each time', async () => {
    const { lane, open } = await world();
    const [one, two] = [open(), open()];
    const held = new Map<string, unknown>();
    for (let n = 0; n < 100; n++) {
      await one.ask(asking(n));
      const presses = [one.decide(idOf(n), by('kim')), two.decide(idOf(n), { ...by('sam'), verdict: 'deny' })];
      const pressed = await Promise.all(n % 2 ? presses : presses.reverse());
      expect(pressed.filter((each) => each?.isFirst)).toHaveLength(1);
      const first = pressed.find((each) => each?.isFirst)?.request.decision;
      held.set(idOf(n), first);
      for (const each of pressed) expect(each?.request.decision).toEqual(first);
      for (const each of [one, two]) expect((await each.look(idOf(n)))?.decision).toEqual(first);
    }
    const after = open();
    for (const [id, first] of held) expect(after.get(id)?.decision).toEqual(first);
    expect(lane).toHaveLength(100);
  });

  it('is known to the other at once, and so is what was decided', async () => {
    const { open } = await world();
    const [one, two] = [open(), open()];
    await one.ask(asking(1));
    await eventually(() => expect(two.open('t1')).toHaveLength(1));
    await two.decide(idOf(1), by('kim'));
    await eventually(() => expect(one.open('t1')).toEqual([]));
    expect(one.elsewhere).toEqual([idOf(1)]);
    expect(await one.take(idOf(1))).toBe(true);
    await eventually(() => expect(two.waiting('t1')).toEqual([]));
  });

  it('is found by a look where nothing that was published arrives', async () => {
    const { open } = await world();
    const deaf = { publish: () => undefined };
    const [one, two] = [open(deaf), open(deaf)];
    await one.ask(asking(1));
    expect(two.get(idOf(1))?.id).toBe(idOf(1));
    await two.decide(idOf(1), by('kim'));
    await one.refresh();
    expect(one.get(idOf(1))?.decision).toMatchObject(by('kim'));
  });

  it('keeps the decision of a process that crashed before it was in the file', async () => {
    const { engine, lane, open } = await world();
    const one = open();
    await one.ask(asking(1));
    const never = open({ lock: () => new Promise<never>(() => undefined) });
    void never.decide(idOf(1), by('kim'));
    await eventually(async () => expect(await engine.state.get(`approval:${idOf(1)}`)).toBeDefined());
    const late = await one.decide(idOf(1), { ...by('sam'), verdict: 'deny' });
    expect([late?.isFirst, late?.request.decision]).toEqual([false, expect.objectContaining(by('kim'))]);
    expect(open().get(idOf(1))?.decision).toMatchObject(by('kim'));
    expect(lane).toEqual([`approval ${idOf(1)}`]);
  });

  it('keeps what was decided when nothing but the file is left', async () => {
    const { engine, open } = await world();
    const one = open();
    await one.ask(asking(1));
    await one.decide(idOf(1), by('kim'));
    await engine.state.delete(`approval:${idOf(1)}`);
    expect((await open().decide(idOf(1), by('sam')))?.isFirst).toBe(false);
  });

  it('is closed by what the person wrote instead, in both', async () => {
    const { open } = await world();
    const [one, two] = [open(), open()];
    await one.ask(asking(1));
    await two.withdraw(idOf(1), { by: 'telegram:1', name: 'Sam' });
    const late = await one.decide(idOf(1), by('kim'));
    expect([late?.isFirst, late?.request.decision?.verdict]).toEqual([false, 'wrote']);
    expect(await one.take(idOf(1))).toBe(false);
  });
});
