/** Requests that wait for a person: decided once, in time, durably; what is asked about, what is shown, what the agent does with it. */

import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { z } from 'zod';
import type { Principal } from '../../../src/access/principal.ts';
import type { InboundMessage } from '../../../src/channels/channel.ts';
import { UserError } from '../../../src/errors.ts';
import { silentLog } from '../../../src/log.ts';
import { messagesIn } from '../../../src/messages/messages.ts';
import { showsOf } from '../../../src/runtime/agent/shown.ts';
import { stepMessages } from '../../../src/runtime/agent/step.ts';
import { Approvals } from '../../../src/runtime/approvals/approvals.ts';
import { type ConsentRules, withConsent } from '../../../src/runtime/approvals/consent.ts';
import { askForConsent, askPerson } from '../../../src/runtime/approvals/question.ts';
import { RunSuspension } from '../../../src/runtime/approvals/suspend.ts';
import { verdictOf } from '../../../src/runtime/approvals/verdict.ts';
import { createInterrupt } from '../../../src/runtime/commands/interrupt.ts';
import { assembleContext } from '../../../src/runtime/context/context.ts';
import { openCalls, resultMessage } from '../../../src/runtime/context/open-calls.ts';
import type { AgentOutcome } from '../../../src/runtime/contract/agent.ts';
import type { ApprovalRequest } from '../../../src/runtime/contract/approval.ts';
import type { Entry, JobOrder } from '../../../src/runtime/contract/entry.ts';
import type { RuntimeTool } from '../../../src/runtime/contract/task.ts';
import { digestOf, fenced, shownInput, spellInvisible } from '../../../src/runtime/reply/show.ts';
import { askUser } from '../../../src/runtime/tools/ask-user.ts';
import { bind } from '../../../src/runtime/tools/bind.ts';
import { openHome } from '../../../src/workspace/home.ts';
import { openTask } from '../../../src/workspace/tasks/index.ts';
import { saveTask } from '../../../src/workspace/tasks/record.ts';
import type { SessionEntry, TaskRecord } from '../../../src/workspace/types.ts';
import { type LlmRequest, startLlm } from '../../emulators/llm.ts';
import { eventually } from '../../helpers/eventually.ts';
import { partsOf } from '../../helpers/gateway.ts';
import { shiftedDate } from '../../helpers/shifted-date.ts';
import { tempFolder } from '../../helpers/temp.ts';
import { record, runWith, tool } from '../agent/fixtures.ts';

const START = Date.parse('2026-03-01T10:00:00.000Z');
const MINUTE = 60_000;
const principal: Principal = {
  channel: 'telegram',
  account: 'b',
  user: '1',
  role: 'member',
  via: 'message',
  name: 'Sam',
};
const message = (chat = '1'): InboundMessage => ({
  ...{ id: `m${chat}`, kind: 'message', address: { channel: 'telegram', account: 'b', chat }, text: '', files: [] },
  ...{ sender: { user: '1', name: 'Sam', isBot: false }, facts: [], quotes: [], messageId: '5' },
  ...{ isDirect: true, isMention: true, sentAt: START },
});
const input = { to: 'kim', text: 'hi' };
const asking = (id = 'a'.repeat(24), more: Partial<ApprovalRequest> = {}): ApprovalRequest => ({
  ...{ id, kind: 'tool', viber: 'default', taskId: 't1', run: 'r1', callId: 'c1', tool: 'send', input, scope: '' },
  ...{ digest: digestOf('send', input), askedAt: new Date(START).toISOString() },
  ...{ expiresAt: new Date(START + 10 * MINUTE).toISOString(), principal, asked: [message()] },
  ...more,
});
const aTask: TaskRecord = {
  ...{ id: '20260301-abcde', viber: 'default', goal: 'g', title: 'g', state: 'running', runs: 0 },
  ...{ people: ['telegram:1'], conversations: [], createdAt: '', updatedAt: '' },
};
const sam = { by: 'telegram:1', name: 'Sam' };
const yes = { verdict: 'approve', ...sam } as const;

function store(folder = tempFolder()) {
  const clock = { now: START };
  const lane: { lane: string; entry: Entry; dedupeId: string }[] = [];
  const failing = { enqueue: false };
  const open = () => {
    const approvals = new Approvals({
      ...{ folder, log: silentLog(), now: () => clock.now },
      queue: {
        enqueue: async (name, entry, { dedupeId }) => {
          if (failing.enqueue) throw new Error('disk full');
          if (lane.some((one) => one.dedupeId === dedupeId)) return 'duplicate';
          lane.push({ lane: name, entry, dedupeId });
          return 'accepted';
        },
      },
    });
    onTestFinished(() => approvals.close());
    return approvals;
  };
  return { folder, clock, lane, failing, open, approvals: open() };
}

afterEach(() => void vi.useRealTimers());

describe('a request', () => {
  it('is decided once, however many press at the same moment, and the run goes on once', async () => {
    const { approvals, lane } = store();
    const { id } = await approvals.ask(asking());
    const pressed = await Promise.all([
      approvals.decide(id, yes),
      approvals.decide(id, { ...yes, verdict: 'deny' }),
      approvals.decide(id, yes),
    ]);
    expect(pressed.map((one) => one?.isFirst)).toEqual([true, false, false]);
    expect(approvals.get(id)?.decision).toMatchObject(yes);
    expect(lane.map(({ lane: name, entry }) => [name, entry.resume])).toEqual([
      ['task:t1', { approval: id, run: 'r1' }],
    ]);
  });

  it('is there after a restart, undecided or decided, and asking again changes nothing', async () => {
    const world = store();
    const { id } = await world.approvals.ask(asking());
    const after = world.open();
    await after.start();
    expect(after.open('t1')).toEqual([asking()]);
    await after.ask(asking(id, { tool: 'another' }));
    expect(after.get(id)?.tool).toBe('send');
    await after.decide(id, yes);
    expect((await world.open().decide(id, yes))?.isFirst).toBe(false);
  });

  it('that was decided goes on after a crash that came before the lane had it, and only until it is taken', async () => {
    const world = store();
    const { id } = await world.approvals.ask(asking());
    world.failing.enqueue = true;
    await expect(world.approvals.decide(id, yes)).rejects.toThrow('disk full');
    world.failing.enqueue = false;
    const after = world.open();
    await after.start();
    expect(world.lane).toHaveLength(1);
    expect(await after.take(id)).toBe(true);
    world.lane.splice(0);
    await world.open().start();
    expect(world.lane).toEqual([]);
  });

  it('whose entry could not be stored is put into the lane once the disk takes it', async () => {
    vi.useFakeTimers({ now: START, toFake: ['setTimeout', 'clearTimeout'] });
    const { approvals, clock, failing, lane } = store();
    await approvals.ask(asking());
    failing.enqueue = true;
    clock.now += 11 * MINUTE;
    await vi.advanceTimersByTimeAsync(11 * MINUTE);
    await eventually(() => expect(approvals.get('a'.repeat(24))?.decision?.verdict).toBe('expired'));
    expect(lane).toEqual([]);
    failing.enqueue = false;
    await eventually(async () => {
      await vi.advanceTimersByTimeAsync(2_100);
      expect(lane).toHaveLength(1);
    });
  });

  it('stays open when its decision cannot be stored', async () => {
    const { approvals, folder, lane } = store();
    const { id } = await approvals.ask(asking());
    fs.rmSync(path.join(folder, 'approvals'), { recursive: true });
    fs.writeFileSync(path.join(folder, 'approvals'), '');
    await expect(approvals.decide(id, yes)).rejects.toThrow();
    expect([approvals.open('t1').length, lane.length]).toEqual([1, 0]);
  });

  it('whose time is up is denied, also when the press comes before the timer', async () => {
    const { approvals, clock, lane } = store();
    const { id } = await approvals.ask(asking());
    clock.now += 10 * MINUTE;
    const late = await approvals.decide(id, yes);
    expect([late?.isFirst, late?.request.decision?.verdict]).toEqual([false, 'expired']);
    expect(lane).toHaveLength(1);
  });

  it('runs out by itself, and one with an answer of its own is answered with that', async () => {
    vi.useFakeTimers({ now: START, toFake: ['setTimeout', 'clearTimeout'] });
    const { approvals, clock } = store();
    const question = 'b'.repeat(24);
    const later = new Date(START + 30 * MINUTE).toISOString();
    await approvals.ask(asking());
    await approvals.ask(asking(question, { kind: 'question', expiresAt: later, otherwise: 'blue' }));
    const pass = async (minutes: number) => {
      clock.now += minutes * MINUTE;
      await vi.advanceTimersByTimeAsync(minutes * MINUTE);
    };
    await pass(9);
    expect(approvals.open('t1')).toHaveLength(2);
    await pass(1.1);
    await eventually(() => expect(approvals.open('t1')).toHaveLength(1));
    await pass(20);
    await eventually(async () => {
      await vi.advanceTimersByTimeAsync(2_100);
      expect(approvals.open('t1')).toEqual([]);
    });
    expect(approvals.get('a'.repeat(24))?.decision?.verdict).toBe('expired');
    expect(approvals.get(question)?.decision).toMatchObject({ verdict: 'answer', answer: 'blue', by: '' });
  });

  it('without a time waits, and one that was withdrawn goes on no more', async () => {
    const { approvals, clock, lane } = store();
    const { expiresAt: _never, ...request } = asking();
    await approvals.ask(request);
    clock.now += 1e9;
    await approvals.withdraw(request.id, sam);
    const late = await approvals.decide(request.id, yes);
    expect([late?.isFirst, late?.request.decision?.verdict]).toEqual([false, 'wrote']);
    expect(await approvals.take(request.id)).toBe(false);
    expect([lane.length, approvals.waiting('t1').length]).toEqual([0, 0]);
  });

  it('is forgotten a week after it was decided, and a damaged file costs that request alone', async () => {
    const { approvals, clock, folder, open } = store();
    await approvals.ask(asking());
    await approvals.ask(asking('c'.repeat(24), { expiresAt: new Date(START + 1e10).toISOString() }));
    await approvals.decide('a'.repeat(24), yes);
    fs.writeFileSync(path.join(folder, 'approvals', `${'d'.repeat(24)}.json`), '{"id":');
    clock.now += 8 * 24 * 60 * MINUTE;
    const after = open();
    await after.start();
    expect(after.get('a'.repeat(24))).toBeUndefined();
    expect(after.open('t1').map(({ id }) => id)).toEqual(['c'.repeat(24)]);
  });
});

describe('what was approved', () => {
  it('runs as it was shown, and not when the request, its digest or what the session holds has changed', async () => {
    const home = await openHome(path.join(tempFolder(), 'home'));
    const decision = { ...yes, at: '' };
    const verdict = (more: Partial<ApprovalRequest>, shown: string | undefined) =>
      verdictOf(home, aTask, asking(undefined, more), decision, shown);
    const shown = digestOf('send', input);
    const other = { ...input, to: 'mallory' };
    expect(await verdict({}, shown)).toEqual({ run: input });
    const shows = { shows: 'a', digest: digestOf('send', input, 'a') };
    expect(await verdict(shows, shows.digest)).toEqual({ run: input, shows: 'a' });
    const changed: [Partial<ApprovalRequest>, string | undefined][] = [
      [{ input: other }, shown],
      [{ tool: 'delete' }, shown],
      [{ input: other, digest: digestOf('send', other) }, shown],
      [{ input: other }, digestOf('send', other)],
      [{}, undefined],
      [{ ...shows, shows: 'b' }, shows.digest],
    ];
    for (const [more, held] of changed)
      expect(await verdict(more, held), JSON.stringify(more)).toEqual({ error: expect.stringContaining('no longer') });
  });

  it('goes on where it was decided, and as the job that asked', async () => {
    const { approvals, lane } = store();
    const job: JobOrder = { id: 'digest', name: 'Digest', slot: '2026-03-01T09:00:00.000Z', deliver: [], own: {} };
    await approvals.ask(asking(undefined, { asked: [message('1'), message('2')], job }));
    await approvals.decide('a'.repeat(24), yes, message('2').address);
    expect(lane.map(({ entry }) => [entry.message.address.chat, entry.job])).toEqual([['2', job]]);
  });

  it('is not taken from a file that names another request', async () => {
    const world = store();
    await world.approvals.ask(asking());
    const folder = path.join(world.folder, 'approvals');
    fs.renameSync(path.join(folder, `${'a'.repeat(24)}.json`), path.join(folder, `${'b'.repeat(24)}.json`));
    const after = world.open();
    await after.start();
    expect([after.get('a'.repeat(24)), after.get('b'.repeat(24)), after.open('t1')]).toEqual([
      undefined,
      undefined,
      [],
    ]);
  });
});

describe('whatever happens', () => {
  it('a request is decided once, and its run goes on once unless it was withdrawn first', async () => {
    const ids = Array.from({ length: 6 }, (_, n) => String(n).repeat(24));
    const act = fc.record({
      what: fc.constantFrom('yes', 'no', 'withdraw', 'take', 'time', 'restart', 'full', 'room'),
      id: fc.constantFrom(...ids),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(act, { maxLength: 40 }), async (acts) => {
        const world = store();
        for (const id of ids) await world.approvals.ask(asking(id, { taskId: `t${id[0]}` }));
        let { approvals } = world;
        const first = new Map<string, string>();
        const taken = new Set<string>();
        for (const { what, id } of acts) {
          const before = approvals.get(id)?.decision?.verdict;
          if (what === 'time') world.clock.now += 6 * MINUTE;
          else if (what === 'full' || what === 'room') world.failing.enqueue = what === 'full';
          else if (what === 'restart') {
            approvals.close();
            approvals = world.open();
            await approvals.start();
          } else if (what === 'withdraw') await approvals.withdraw(id, sam);
          else if (what === 'take') {
            // Only a decision that stands in the lane can be taken up.
            const stands = world.lane.some(({ entry }) => entry.resume?.approval === id);
            if (stands && (await approvals.take(id))) taken.add(id);
          } else
            await approvals.decide(id, { ...sam, verdict: what === 'yes' ? 'approve' : 'deny' }).catch(() => undefined);
          const now = approvals.get(id)?.decision?.verdict;
          // Only what nobody has taken up may be withdrawn after it was decided.
          if (before !== undefined && now !== before)
            expect([what, now, taken.has(id)]).toEqual(['withdraw', 'wrote', false]);
          if (now !== undefined) first.set(id, now);
        }
        world.failing.enqueue = false;
        approvals.close();
        approvals = world.open();
        await approvals.start();
        for (const id of ids) {
          const entries = world.lane.filter(({ entry }) => entry.resume?.approval === id).length;
          const verdict = approvals.get(id)?.decision?.verdict;
          expect(entries).toBeLessThanOrEqual(1);
          if (verdict !== undefined && verdict !== 'wrote') expect(entries).toBe(1);
          if (verdict === undefined) expect(entries).toBe(0);
          if (first.has(id)) expect(verdict).toBe(first.get(id));
        }
      }),
      { numRuns: 60 },
    );
  });

  it('an interrupt withdraws what waits', async () => {
    const { approvals } = store();
    const { id } = await approvals.ask(asking());
    const { address } = message();
    const binding = { key: '', taskId: 't1', viber: 'default', address, isDirect: true, boundAt: '' };
    const interrupt = createInterrupt(
      partsOf({
        places: { live: { runs: () => [] } },
        tasks: { conversations: { get: () => binding } },
        engine: { queue: { look: async () => ({ depth: 0, busy: false }), signal: async () => false } },
        consent: { approvals },
        log: silentLog(),
      }),
    );
    expect(await interrupt({ type: 'interrupt', targetAgentId: '*', reason: '' }, message().address)).toEqual(['t1']);
    await eventually(() => expect(approvals.get(id)?.decision?.verdict).toBe('stop'));
  });
});

describe('a question of a process that began before the clock was set', () => {
  const RealDate = Date;
  let shift = 0;
  let passed = 0;
  beforeEach(() => {
    [shift, passed] = [0, 0];
    globalThis.Date = shiftedDate(() => RealDate.now() + shift + passed);
    const up = os.uptime.bind(os);
    vi.spyOn(os, 'uptime').mockImplementation(() => up() + passed / 1000);
  });
  afterEach(() => {
    globalThis.Date = RealDate;
    vi.restoreAllMocks();
  });

  /** A process of its own: it reads the clock when it begins. */
  async function start(folder: string) {
    vi.resetModules();
    const { Approvals: Fresh } = await import('../../../src/runtime/approvals/approvals.ts');
    const approvals = new Fresh({ folder, log: silentLog(), queue: { enqueue: async () => 'accepted' } });
    onTestFinished(() => approvals.close());
    await approvals.start();
    return approvals;
  }

  /** Asked as a run asks, with an hour between the clock and the one at the start. */
  async function asked(minutes: number) {
    const home = await openHome(tempFolder());
    await saveTask(home, aTask);
    shift = 0;
    const approvals = await start(home.access);
    shift = minutes * MINUTE;
    const entry: Entry = { message: message(), principal, viber: 'default', taskId: aTask.id };
    const item = { ...{ id: 'i1', lane: 'task:t', seq: 1, attempts: 0, acceptedAt: '' }, message: entry };
    const call = { callId: 'c1', tool: 'send', input };
    const { RunSuspension: Fresh } = await import('../../../src/runtime/approvals/suspend.ts');
    await new Fresh({ home, approvals }).suspend(
      { ...{ task: aTask, run: 'r1', principal, earlier: [] }, items: [item], answered: [item] },
      { ...{ state: 'waiting', text: '', toolsUsed: [] }, parked: [call] } as unknown as AgentOutcome,
      [],
      { said: '', refs: [] },
    );
    const id = approvals.open(aTask.id)[0]?.id ?? '';
    return { folder: home.access, approvals, id };
  }

  it.each([
    [60, 'the same process'],
    [60, 'the next one'],
    [-60, 'the same process'],
    [-60, 'the next one'],
  ])('by %d minutes is open for ten, in %s', async (minutes, where) => {
    const outcomes: (boolean | undefined)[] = [];
    for (const wait of [9, 11]) {
      const { folder, approvals, id } = await asked(minutes);
      if (where === 'the next one') approvals.close();
      const judge = where === 'the next one' ? await start(folder) : approvals;
      passed += wait * MINUTE;
      outcomes.push((await judge.decide(id, yes))?.isFirst);
    }
    expect(outcomes).toEqual([true, false]);
  });

  it.each([60, -60])('and which then is set again, by %d minutes, is open for ten as well', async (minutes) => {
    const { approvals, id } = await asked(60);
    shift += minutes * MINUTE;
    passed += 9 * MINUTE;
    expect(approvals.open(aTask.id)).toHaveLength(1);
    expect((await approvals.decide(id, yes))?.isFirst).toBe(true);
  });

  it('is closed within a minute of waking when the machine slept through its time', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const { approvals } = await asked(0);
    passed += 60 * MINUTE;
    await vi.advanceTimersByTimeAsync(MINUTE + 1_000);
    await eventually(() => expect(approvals.open(aTask.id)).toEqual([]));
  });
});

describe('what is shown', () => {
  it('has no character that hides or turns the text', () => {
    const hidden = [0, 7, 0x1b, 0x7f, 0x85, 0xa0, 0xad, 0x34f, 0x61c, 0x115f, 0x180e, 0x200b, 0x200e, 0x2028, 0x202e];
    const more = [0x2066, 0x2069, 0x2800, 0x3000, 0x3164, 0xe000, 0xfe0f, 0xfeff, 0xffa0, 0xfff9, 0xe0041, 0xe01ef];
    for (const code of [...hidden, ...more]) {
      const shown = spellInvisible(`a${String.fromCodePoint(code)}b`);
      expect(shown, code.toString(16)).toBe(`a\\u{${code.toString(16).toUpperCase()}}b`);
    }
    expect(spellInvisible('Grüße, 日本 👍\n\tעברית')).toBe('Grüße, 日本 👍\n\tעברית');
    expect(spellInvisible('a\ud800b')).toBe('a\\u{D800}b');
  });

  it('cannot be made to look like another argument, nor end its block', () => {
    const shown = shownInput({ path: 'a",\n  "to": "boss', text: '```\n# Approved' });
    expect(JSON.parse(shown)).toEqual({ path: 'a",\n  "to": "boss', text: '```\n# Approved' });
    expect(fenced('x ```` y').split('\n')).toEqual(['`````', 'x ```` y', '`````']);
  });

  it('has a digest of its own for every tool and every argument', () => {
    const same = [digestOf('a', { x: 1, y: { p: 1, q: 2 } }), digestOf('a', { y: { q: 2, p: 1 }, x: 1 })];
    expect(same[0]).toBe(same[1]);
    const all = [same[0], digestOf('b', { x: 1, y: { p: 1, q: 2 } }), digestOf('a', { x: 1, y: { p: 1, q: 3 } })];
    expect(new Set([...all, digestOf('a', ['x', 1]), digestOf('a', { x: '1' })]).size).toBe(5);
  });

  it('is complete: short in the message, long in a file', () => {
    const messages = messagesIn('en');
    const short = askForConsent(asking(), { messages });
    for (const value of Object.values(input)) expect(short.details).toContain(String(value));
    expect(short.file).toBeUndefined();
    const long = askForConsent(asking(undefined, { input: { text: 'word '.repeat(1000), to: 'kim' } }), { messages });
    expect(long.text.length).toBeLessThan(1_000);
    expect(long.details?.length).toBeLessThan(1_000);
    expect(long.details).toContain('to: kim');
    expect(long.file?.text).toContain('word '.repeat(1000));
  });

  it('marks the recommended option and says what happens without an answer', () => {
    const question = { question: 'Which?', options: ['red', 'x'.repeat(150)], recommended: 0 };
    const asked = askPerson(asking(), question, messagesIn('en'));
    expect(asked.buttons.map(([button]) => button?.label)).toEqual(['red (recommended)', `${'x'.repeat(39)}…`]);
    expect(asked.text).toContain(`2. ${'x'.repeat(150)}`);
    expect(asked.text).toContain("I'll go on with: red");
    expect(askPerson(asking(), { question: 'Which?' }, messagesIn('en')).text).toContain("I'll wait.");
  });
});

describe('consent', () => {
  const named = (name: string, effect: 'read' | 'idempotent' | 'external', more = {}) => ({
    ...tool(name, effect, async () => ({ status: 'written' })),
    ...more,
  });
  const TOOLS = [
    named('look', 'read'),
    named('update_plan', 'idempotent'),
    named('keep', 'idempotent', { isOutside: ({ text }: { text: string }) => text.startsWith('out') }),
    named('send', 'external', { kindOf: ({ text }: { text: string }) => `to ${text}` }),
    named('mark', 'idempotent', { consent: 'effects' }),
    named('quiet', 'external', { consent: 'never' }),
  ];
  const asks = (rules: Partial<ConsentRules>, text = 'x') =>
    withConsent(TOOLS, { mode: 'decide', always: [], needsPlan: false, ...rules })
      .filter((each) => each.asksBefore?.({ text }))
      .map(({ name }) => name);

  it('is asked for as the mode says', () => {
    expect(asks({ mode: 'execute' })).toEqual([]);
    expect(asks({ mode: 'decide' })).toEqual(['send', 'mark']);
    expect(asks({ mode: 'decide' }, 'outside')).toEqual(['keep', 'send', 'mark']);
    expect(asks({ mode: 'ask' })).toEqual(['update_plan', 'keep', 'send', 'mark']);
  });

  it('that was given for the task covers its tool and its kind of arguments alone', () => {
    const always = [{ tool: 'send', kind: 'to kim', by: 'x', at: '' }];
    expect(asks({ always }, 'kim')).toEqual(['mark']);
    expect(asks({ always }, 'boss')).toEqual(['send', 'mark']);
  });

  it('cannot be asked for what nobody could read', () => {
    expect(() => asks({}, 'x'.repeat(1_100_000))).toThrow(UserError);
  });

  it('of a plan comes first: nothing with an effect works before, and the plan waits when it is written', () => {
    const tools = withConsent(TOOLS, { mode: 'execute', always: [], needsPlan: true });
    const works = tools.filter((each) => {
      try {
        return each.asksBefore?.({ text: 'x' }) !== true;
      } catch (error) {
        if (error instanceof UserError) return false;
        throw error;
      }
    });
    expect(works.map(({ name }) => name)).toEqual(['look', 'update_plan']);
    const [plan] = tools.filter(({ name }) => name === 'update_plan');
    expect([plan?.asksAfter?.({ status: 'written' }), plan?.asksAfter?.({ status: 'conflict' })]).toEqual([
      true,
      false,
    ]);
  });

  it('is no matter of a question that cannot be asked', () => {
    const wrong = [
      { question: ' ' },
      { question: 'x'.repeat(2_001) },
      { question: 'q', options: Array.from({ length: 9 }, (_, n) => String(n)) },
      { question: 'q', options: ['a', ' a'] },
      { question: 'q', options: ['a'], recommended: 1 },
      { question: 'q', recommended: 0 },
    ];
    const asked = bind(askUser, {});
    for (const one of wrong) expect(() => asked.asksBefore?.(one), JSON.stringify(one).slice(0, 80)).toThrow(UserError);
    expect(asked.asksBefore?.({ question: 'q', options: ['a', 'b'], recommended: 1 })).toBe(true);
  });
});

describe('the agent', () => {
  const text = z.object({ text: z.string() });
  const script = (request: LlmRequest) =>
    request.toolResults.length > 0
      ? { text: `told: ${request.toolResults.join(' | ')}` }
      : {
          text: 'Let me.',
          toolCalls: ['send', 'look', 'post'].map((name) => ({ name, id: `c-${name}`, arguments: { text: name } })),
        };
  const shows = async (one: RuntimeTool | undefined) => (one ? showsOf(one, {}) : '');
  async function setUp() {
    const llm = await startLlm();
    onTestFinished(() => llm.close());
    llm.script(script);
    const ran: string[] = [];
    const run = async (given: unknown) => {
      ran.push(text.parse(given).text);
      return { done: true };
    };
    const waits = { asksBefore: () => true };
    const tools = [
      { ...tool('send', 'external', run), ...waits },
      tool('look', 'read', run),
      { ...tool('post', 'external', run), ...waits },
    ];
    return { llm, ran, tools, providers: { local: { baseURL: llm.url, apiKey: 'none' } } };
  }

  it('ends the run at a call that waits, with nothing of it done and the rest of its step whole', async () => {
    const { llm, ran, tools, providers } = await setUp();
    const hooks = record();
    const outcome = await runWith(providers, { tools }, hooks);
    expect([outcome.finish, outcome.text, outcome.parked]).toEqual([
      'parked',
      'Let me.',
      ['send', 'post'].map((name) => ({
        ...{ callId: `c-${name}`, tool: name, input: { text: name } },
        ...{ shows: expect.any(String), at: expect.any(String) },
      })),
    ]);
    expect([ran, hooks.calls, llm.requests().length]).toEqual([['look'], [], 1]);
    expect(openCalls(hooks.steps[0]?.messages ?? []).map(({ tool: name }) => name)).toEqual(['send', 'post']);
    expect(hooks.events.at(-1)).toMatchObject({ type: 'state-change', state: 'waiting-approval' });
  });

  it('goes on with one decision while another call still waits, then to the end, in a history that is whole', async () => {
    const { llm, ran, tools, providers } = await setUp();
    const first = record();
    await runWith(providers, { tools }, first);
    const messages = first.steps.flatMap((step) => step.messages);
    const step = (all: typeof messages) => [{ type: 'step' as const, run: 'r1', at: '', index: 0, messages: all }];
    const second = record();
    const verdicts = new Map([['c-send', { run: { text: 'as approved' }, shows: await shows(tools[0]) }]]);
    const half = await runWith(providers, { tools, resume: step(messages), verdicts }, second);
    expect([half.finish, half.parked?.map(({ callId }) => callId)]).toEqual(['parked', ['c-post']]);
    expect(second.calls).toEqual([{ callId: 'c-send', tool: 'send' }]);
    messages.push(...second.steps.flatMap(({ messages: more }) => more));
    const third = record();
    const denied = new Map([['c-post', { error: 'execution denied: no' }]]);
    const whole = await runWith(providers, { tools, resume: step(messages), verdicts: denied }, third);
    expect(whole.text).toMatch(/^told: /);
    expect(whole.text).toContain('execution denied: no');
    expect(ran).toEqual(['look', 'as approved']);
    expect(llm.requests()).toHaveLength(2);
  });

  it('runs what was approved even at the limit of steps', async () => {
    const { ran, tools, providers } = await setUp();
    const hooks = record();
    await runWith(providers, { tools, maxSteps: 1 }, hooks);
    const resume = hooks.steps.map((one) => ({ type: 'step' as const, run: 'r1', at: '', ...one }));
    const verdicts = new Map([
      ['c-send', { run: { text: 'send' }, shows: await shows(tools[0]) }],
      ['c-post', { value: 'later' }],
    ]);
    const outcome = await runWith(providers, { tools, maxSteps: 1, resume, verdicts });
    expect([outcome.finish, ran]).toEqual(['max-steps', ['look', 'send']]);
  });

  it('tells calls without results apart from those with', () => {
    const call = (id: string) => ({ type: 'tool-call', toolCallId: id, toolName: 't', input: {} });
    const parked = (id: string) => ({ callId: id, tool: 't', input: {} });
    const asked = { role: 'assistant', content: [call('1'), call('2')] };
    const given = resultMessage(parked('1'), { value: { ok: true } });
    expect(openCalls([asked, given]).map(({ callId }) => callId)).toEqual(['2']);
    expect(openCalls([asked, given, { role: 'assistant', content: 'Done.' }])).toEqual([]);
    const own = { role: 'assistant' as const, content: [{ ...call('1'), type: 'tool-call' as const }] };
    const output = { type: 'json' as const, value: { ok: true } };
    const told = { type: 'tool-result' as const, toolCallId: '1', toolName: 't', output };
    const messages = [own, { role: 'tool' as const, content: [told] }];
    const alone = [{ role: 'assistant', content: [call('1')] }];
    expect(stepMessages(messages, new Set('1'), new Map())).toEqual(alone);
    expect(stepMessages(messages, new Set(), new Map())).toEqual([...alone, given]);
    const refused = { error: 'Nothing has run.' };
    expect(stepMessages(messages, new Set(), new Map([['1', refused.error]]))).toEqual([
      ...alone,
      resultMessage(parked('1'), refused),
    ]);
  });
});

describe('a run that goes on', () => {
  const task = aTask;
  const call = { type: 'tool-call', toolCallId: 'c1', toolName: 'send', input };
  const earlier = (shown: typeof input): SessionEntry[] => [
    { type: 'step', run: 'r1', at: '', index: 0, messages: [{ role: 'assistant', content: [call] }] },
    {
      ...{ type: 'approval', id: 'a'.repeat(24), run: 'r1', at: '', kind: 'tool', callId: 'c1', tool: 'send' },
      ...{ input: shown, digest: digestOf('send', shown) },
    },
  ];
  const verdict = (one: unknown) => ({ run: 'r1', verdicts: new Map([['c1', one]]) });
  async function decided(
    request: Partial<ApprovalRequest>,
    verdict: 'approve' | 'always' | 'deny' | 'stop',
    shown = input,
  ) {
    const home = await openHome(tempFolder());
    await saveTask(home, task);
    const { approvals } = store(home.access);
    await approvals.ask(asking(undefined, { taskId: task.id, ...request }));
    await approvals.decide('a'.repeat(24), { ...sam, verdict });
    const where = { task, run: 'r1', principal, items: [], answered: [], earlier: earlier(shown) };
    const result = await new RunSuspension({ home, approvals }).resume(where, 'a'.repeat(24));
    return { home, result };
  }

  it('runs exactly what was approved, and nothing that has become something else', async () => {
    expect((await decided({}, 'approve')).result).toEqual(verdict({ run: input }));
    const other = { to: 'boss', text: 'hi' };
    const changed = [await decided({}, 'approve', other), await decided({ input: other }, 'approve', other)];
    for (const { result } of changed)
      expect(result).toEqual(verdict({ error: expect.stringContaining('no longer what was approved') }));
  });

  it('has its beginning, however much others said meanwhile', async () => {
    const home = await openHome(tempFolder());
    const from = { channel: 'telegram', user: 'telegram:1', name: 'Sam' };
    const said = (run: string): SessionEntry => ({ type: 'message', id: run, run, at: '', text: run, from, files: [] });
    const others = Array.from({ length: 300 }, (_, n) => said(`s${n}`));
    const decision: SessionEntry = {
      ...{ type: 'decision', run: 'r1', at: '', approval: 'a'.repeat(24), verdict: 'approve', by: '' },
    };
    await openTask(home, task.id, 'default').session.append([said('r1'), ...earlier(input), ...others, decision]);
    const context = await assembleContext({
      ...{ home, viber: 'default', taskId: task.id, run: { id: 'r1' }, channelNote: '', query: '' },
      limits: {
        memory: { maxMemoryTokens: 10, maxTaskTokens: 10, maxDailyLogs: 0, truncationStrategy: 'smart' },
        history: { maxMessages: 5, maxTokens: 1000 },
      },
    });
    expect(context.messages.at(-1)).toMatchObject({ role: 'user', text: 'r1' });
    expect(context.resume.map((step) => openCalls(step.messages).length)).toEqual([1]);
  });

  it('keeps what was allowed for the task, ends when it was stopped', async () => {
    const { home } = await decided({ scope: 'to kim' }, 'always');
    expect(openTask(home, task.id).record()?.always).toMatchObject([
      { tool: 'send', kind: 'to kim', by: 'telegram:1' },
    ]);
    expect((await decided({}, 'stop')).result).toBe('stop');
    expect((await decided({}, 'deny')).result).toEqual(
      verdict({ error: expect.stringMatching(/^execution denied: Sam said no/) }),
    );
  });
});
