/** People steer, queue, stop and begin anew while the gateway stops and crashes: whatever the order, the rules hold. */
import fs from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import type { InboundMessage } from '../../src/channels/channel.ts';
import type { CrashPoint } from '../../src/crash-points.ts';
import { openTask } from '../../src/workspace/tasks/index.ts';
import { eventually } from '../helpers/eventually.ts';
import { broken, lines, word } from './injection-model.ts';
import { openWorld, type Plan, type World } from './injection-world.ts';

const faults = vi.hoisted(() => ({ pass: (_point: CrashPoint): void => undefined }));
vi.mock('../../src/crash-points.ts', () => ({ crashPoint: (point: CrashPoint) => faults.pass(point) }));
const { passPoint } = await import('./injection-world.ts');
faults.pass = passPoint;

const RUNS = Number(process.env.INJECTION_RUNS ?? 40);
/** A run is repeated by its seed. */
const SEED = process.env.INJECTION_SEED;

/** Pia begins the group's task as a rule, Olga is the owner, Kim is neither. */
const USERS = { pia: '1', olga: '2', kim: '3' } as const;
type Who = keyof typeof USERS;
type Place = 'group' | 'direct' | 'thread';
interface Say {
  who: Who;
  place: Place;
  text?: string;
  command?: { name: string; args: string };
  edits?: string;
  file?: boolean;
}

/** What people send, as the platform tells it. */
function talk(world: World) {
  const sending: Promise<void>[] = [];
  const said: InboundMessage[] = [];
  const send = (message: InboundMessage) => {
    const sent = world.deliver(message);
    sent.catch(() => 'seen by whoever waits for it');
    sending.push(sent);
    return sent;
  };
  return {
    said,
    again: (n: number) => void (said.length > 0 && send(said[n % said.length] as InboundMessage)),
    say({ who, place, text, command, edits, file }: Say): Promise<void> {
      const id = `m${said.length}`;
      const opensThread = place === 'thread' && !said.some((one) => one.address.thread !== undefined);
      const chat = place === 'direct' ? USERS[who] : place === 'group' ? '-100' : '-200';
      // biome-ignore format: a row is a line
      const message: InboundMessage = {
        ...{ id, kind: edits ? 'edit' : 'message', messageId: id, files: [], facts: [], quotes: [], sentAt: Date.now() },
        address: { channel: 'telegram', account: 'bot', chat, ...(place === 'thread' ? { thread: '7' } : {}) },
        sender: { user: USERS[who], name: who, isBot: false },
        text: text ?? word(id),
        ...{ isDirect: place === 'direct', isMention: true },
      };
      if (command) message.command = { ...command, args: command.args.replace('WORD', word(id)) };
      if (edits) message.editOf = edits;
      if (opensThread) message.opensThread = true;
      if (file) message.files.push({ id: `file-${id}`, name: `${id}.txt`, mimeType: 'text/plain', kind: 'document' });
      said.push(message);
      return send(message);
    },
    all: () => Promise.all(sending),
  };
}

async function settle(world: World, people: ReturnType<typeof talk>): Promise<string[]> {
  world.onPoint = () => false;
  await people.all();
  await world.idle();
  const problems = broken({ home: world.home(), happened: world.happened, sent: world.sent });
  await world.close();
  return problems;
}

const plan: fc.Arbitrary<Plan> = fc.record({
  steps: fc.nat(3),
  stepMs: fc.nat(8),
  external: fc.boolean(),
  deafMs: fc.constantFrom(0, 0, 3, 10),
  end: fc.constantFrom('answer', 'answer', 'answer', 'answer', 'run-error', 'throw'),
});

const who = fc.constantFrom<Who>('pia', 'pia', 'olga', 'kim');
const place = fc.constantFrom<Place>('group', 'group', 'group', 'direct', 'thread');
const POINTS: readonly CrashPoint[] = [
  ...([
    'accept:before-commit',
    'accept:after-commit',
    'run:claimed',
    'run:message-written',
    'run:step-written',
  ] as const),
  // biome-ignore format: a list is filled
  ...([
    'run:answered', 'run:result-written', 'run:out-written', 'send:intent', 'send:posted', 'send:recorded',
  ] as const),
];
/** @param crashes how often they are among the rest: where the machine is busy, each finds more at work */
const actionOf = (crashes: number) =>
  fc.oneof(
    {
      weight: 12,
      arbitrary: fc.record({ do: fc.constant('say' as const), who, place, file: fc.nat(5).map((n) => n === 0) }),
    },
    {
      weight: 5,
      arbitrary: fc.record({ do: fc.constant('say' as const), who, place, name: fc.constantFrom('steer', 'followup') }),
    },
    { weight: 1, arbitrary: fc.record({ do: fc.constantFrom('edit' as const, 'again' as const), n: fc.nat(20) }) },
    {
      weight: 3,
      arbitrary: fc.record({
        do: fc.constant('command' as const),
        who,
        place,
        name: fc.constantFrom('stop', 'stop', 'word'),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({ do: fc.constant('command' as const), who, place, name: fc.constantFrom('new', 'open') }),
    },
    {
      weight: 2,
      arbitrary: fc.record({ do: fc.constant('mode' as const), mode: fc.constantFrom('steer', 'collect', 'followup') }),
    },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('restart' as const), graceMs: fc.nat(15) }) },
    { weight: crashes, arbitrary: fc.record({ do: fc.constant('crash' as const) }) },
    {
      weight: crashes,
      arbitrary: fc.record({ do: fc.constant('crash-at' as const), point: fc.constantFrom(...POINTS), n: fc.nat(2) }),
    },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('fail-sends' as const) }) },
  );
const actionsOf = (crashes: number) =>
  fc.array(fc.record({ action: actionOf(crashes), waitMs: fc.constantFrom(0, 0, 0, 1, 3, 8, 15) }), {
    minLength: 6,
    maxLength: 24,
  });
const actions = fc.oneof({ weight: 3, arbitrary: actionsOf(1) }, { weight: 1, arbitrary: actionsOf(8) });

type Action = ReturnType<typeof actionOf> extends fc.Arbitrary<infer T> ? T : never;

async function act(world: World, people: ReturnType<typeof talk>, one: Action): Promise<void> {
  const { said } = people;
  switch (one.do) {
    case 'say': {
      const command = 'name' in one ? { command: { name: one.name, args: 'WORD' } } : { file: one.file };
      return void people.say({ who: one.who, place: one.place, ...command });
    }
    case 'edit': {
      const old = said[one.n % Math.max(1, said.length)];
      const by = (Object.keys(USERS) as Who[]).find((name) => USERS[name] === old?.sender.user);
      if (!old || !by || old.command || old.address.chat !== '-100') return;
      return void people.say({ who: by, place: 'group', edits: old.id });
    }
    case 'again':
      return people.again(one.n);
    case 'command': {
      if (one.name === 'word') return void people.say({ who: one.who, place: one.place, text: `stop` });
      const args = one.name === 'open' ? 'group' : '';
      return void people.say({ who: one.who, place: one.place, command: { name: one.name, args } });
    }
    case 'mode':
      world.mode = one.mode as World['mode'];
      return;
    case 'restart':
      return world.restart(one.graceMs);
    case 'crash':
      return world.crash();
    case 'crash-at': {
      let left = one.n;
      world.onPoint = (point) => point === one.point && left-- === 0;
      return;
    }
    case 'fail-sends':
      world.failSends = 2;
  }
}

describe('whatever comes between', () => {
  it(
    'no message is lost, none answered twice, order and rights are kept',
    async () => {
      await fc.assert(
        fc.asyncProperty(
          actions,
          fc.array(plan, { minLength: 3, maxLength: 6 }),
          fc.constantFrom(1, 4),
          fc.constantFrom(0, 0, 20),
          async (all, plans, maxRuns, noticeMs) => {
            const world = await openWorld({ plans, maxRuns, noticeMs });
            const people = talk(world);
            for (const { action: one, waitMs } of all) {
              await act(world, people, one);
              // People write at any moment.
              if (waitMs > 0) await sleep(waitMs);
            }
            expect(await settle(world, people)).toEqual([]);
          },
        ),
        // A machine that is slow tries fewer.
        {
          numRuns: RUNS,
          ...(SEED !== undefined && { seed: Number(SEED) }),
          endOnFailure: true,
          interruptAfterTimeLimit: 30_000 + RUNS * 500,
        },
      );
    },
    60_000 + RUNS * 1_000,
  );
});

describe('a message that waits alone after two crashes', () => {
  // Whether the second crash comes while the newer message is at work is a matter of milliseconds.
  it('is told nothing more when the run that it was steered into has ended', async () => {
    const slow: Plan = { steps: 1, stepMs: 7, external: true, deafMs: 3, end: 'answer' };
    const said: [Action, number][] = [
      [{ do: 'say', who: 'pia', place: 'group', name: 'followup' }, 0],
      [{ do: 'say', who: 'kim', place: 'group', file: false }, 3],
      [{ do: 'crash' }, 0],
      [{ do: 'say', who: 'olga', place: 'group', file: false }, 1],
      [{ do: 'say', who: 'pia', place: 'group', file: false }, 0],
      [{ do: 'crash' }, 3],
      [{ do: 'crash-at', point: 'run:out-written', n: 1 }, 15],
    ];
    for (let times = 0; times < 10; times++) {
      const world = await openWorld({ plans: [slow, { ...slow, steps: 2, stepMs: 1 }], maxRuns: 1 });
      const people = talk(world);
      for (const [one, waitMs] of said) {
        await act(world, people, one);
        // People write at any moment.
        if (waitMs > 0) await sleep(waitMs);
      }
      expect(await settle(world, people)).toEqual([]);
    }
  });
});

describe('what was given up', () => {
  const plan: Plan = { steps: 0, stepMs: 5, external: false, deafMs: 0, end: 'answer' };

  /** Gives the state of the only task in the end. */
  async function givenUp(world: World, people: ReturnType<typeof talk>, more: (crash: number) => void) {
    let crashes = 0;
    world.onPoint = (point) => {
      if (point !== 'run:claimed' || crashes === 3) return false;
      more(++crashes);
      return true;
    };
    people.say({ who: 'pia', place: 'direct' });
    await eventually(() => expect(crashes).toBe(3));
    await people.all();
    await world.idle();
    const [id = ''] = fs.readdirSync(world.home().artifacts);
    const state = openTask(world.home(), id).record()?.state;
    expect(await settle(world, people)).toEqual([]);
    return state;
  }

  it('has failed, whatever ended before it', async () => {
    const world = await openWorld({ plans: [plan] });
    const people = talk(world);
    await people.say({ who: 'pia', place: 'direct' });
    await world.idle();
    expect(await givenUp(world, people, () => undefined)).toBe('error');
  });

  it('leaves the task as a later run has ended it, however slow the disk is with the notice', async () => {
    const world = await openWorld({ plans: [plan], noticeMs: 100 });
    const people = talk(world);
    const more = (crash: number) => void (crash === 3 && people.say({ who: 'pia', place: 'direct', text: 'and this' }));
    expect(await givenUp(world, people, more)).toBe('completed');
  });
});

describe('three crashes', () => {
  it.each([
    ['run:claimed', 'given up with a notice', 1],
    ['run:answered', 'given up with a notice', 1],
    ['run:out-written', 'not given up, as its answer is on its way', 0],
  ] as const)('at %s: what was part of them is %s, what came later is answered', async (where, _what, notices) => {
    const plan: Plan = { steps: 0, stepMs: 5, external: false, deafMs: 0, end: 'answer' };
    const world = await openWorld({ plans: [plan] });
    const people = talk(world);
    let crashes = 0;
    world.onPoint = (point) => {
      if (point !== where || crashes === 3) return false;
      if (++crashes === 2) people.say({ who: 'pia', place: 'direct', text: 'and this' });
      return true;
    };
    people.say({ who: 'pia', place: 'direct' });
    await eventually(() => expect(crashes).toBe(3));
    expect(await settle(world, people)).toEqual([]);
    const texts = [...world.sent.values()].map(({ text }) => text);
    expect(texts.filter((text) => text.startsWith("I couldn't work on your message"))).toHaveLength(notices);
    expect(texts.filter((text) => text.startsWith('re '))).not.toHaveLength(0);
  });
});

describe.each(['run:result-written', 'run:out-written'])('three crashes, the last at %s', (last) => {
  it('give up neither of two messages that one run has heard, and it answers once', async () => {
    const plan: Plan = { steps: 0, stepMs: 60, external: false, deafMs: 0, end: 'answer' };
    const world = await openWorld({ plans: [plan], maxRuns: 1 });
    const people = talk(world);
    people.say({ who: 'kim', place: 'direct' });
    await eventually(() => expect(world.happened.some(({ what }) => what === 'start')).toBe(true));
    await people.say({ who: 'pia', place: 'direct', text: 'the first' });
    await people.say({ who: 'pia', place: 'direct', text: 'the second' });
    let crashes = 0;
    const hasBoth = () => world.happened.some((one) => one.what === 'start' && one.heard.includes('the second'));
    world.onPoint = (point) => {
      const isHere = hasBoth() && crashes < 3 && point === (crashes < 2 ? 'run:answered' : last);
      if (isHere) crashes++;
      return isHere;
    };
    await eventually(() => expect(crashes).toBe(3));
    expect(await settle(world, people)).toEqual([]);
    expect([...world.sent.values()].map(({ text }) => text.slice(0, 3))).toEqual(['re ', 're ']);
  });
});

describe('before it is claimed', () => {
  const plan: Plan = { steps: 0, stepMs: 300, external: false, deafMs: 0, end: 'answer' };
  const heads = (world: World): string[] => world.happened.flatMap((one) => (one.what === 'start' ? [one.heard] : []));

  /** One run at a time, and that is Kim's, until it is let go. */
  async function open() {
    const held: Plan = { ...plan, stepMs: 0 };
    const world = await openWorld({ plans: [held], maxRuns: 1 });
    const people = talk(world);
    await people.say({ who: 'pia', place: 'group', text: 'the first' });
    await world.idle();
    held.stepMs = Number.POSITIVE_INFINITY;
    await people.say({ who: 'kim', place: 'direct', text: 'of Kim' });
    const letGo = () => {
      held.stepMs = 0;
    };
    return { world, people, letGo };
  }

  it('what steers goes first, and what waited has a turn of its own after it', async () => {
    const { world, people, letGo } = await open();
    await people.say({ who: 'pia', place: 'group', command: { name: 'followup', args: 'later' } });
    await people.say({ who: 'pia', place: 'group', text: 'now' });
    await people.say({ who: 'pia', place: 'group', text: 'and this' });
    letGo();
    expect(await settle(world, people)).toEqual([]);
    const [, , third, fourth, ...more] = heads(world);
    expect(third).toMatch(/now\s+and this$/);
    expect(fourth).toMatch(/later$/);
    expect(more).toEqual([]);
  });

  it('a guest cuts off nothing that was said in private, and is answered after it', async () => {
    const world = await openWorld({ plans: [plan], maxRuns: 2 });
    const people = talk(world);
    await people.say({ who: 'kim', place: 'group', text: 'the first' });
    await world.idle();
    await people.say({ who: 'olga', place: 'direct', command: { name: 'open', args: 'group' } });
    await people.say({ who: 'olga', place: 'direct', text: 'in private' });
    await eventually(() => expect(heads(world).at(-1)).toMatch(/in private$/));
    await people.say({ who: 'kim', place: 'group', command: { name: 'steer', args: 'before all' } });
    expect(await settle(world, people)).toEqual([]);
    expect(world.happened.filter((one) => one.what === 'abort')).toEqual([]);
    expect(heads(world).at(-1)).toMatch(/before all$/);
    expect(heads(world).at(-1)).not.toContain('in private');
  });

  it('a stop is kept for it (C43)', async () => {
    const { world, people, letGo } = await open();
    await people.say({ who: 'pia', place: 'group', text: 'never mind' });
    await people.say({ who: 'pia', place: 'group', command: { name: 'stop', args: '' } });
    await people.say({ who: 'pia', place: 'group', command: { name: 'followup', args: 'this then' } });
    letGo();
    expect(await settle(world, people)).toEqual([]);
    expect(heads(world).slice(2)).toEqual([expect.stringMatching(/never mind[\s\S]*stopped[\s\S]*this then$/)]);
    expect([...world.sent.values()].map(({ text }) => text)).toContainEqual(expect.stringMatching(/^Stopped/));
  });

  it.each([1, 2])(
    'a stop that waits when the gateway crashes (%i times) is carried out before anything begins again',
    async (times) => {
      const held: Plan = { ...plan, stepMs: Number.POSITIVE_INFINITY };
      const world = await openWorld({ plans: [held] });
      const people = talk(world);
      await people.say({ who: 'pia', place: 'group', text: 'the first' });
      await eventually(() => expect(heads(world)).toHaveLength(1));
      let crashes = 0;
      world.onPoint = (point) => point === 'accept:after-commit' && crashes++ < times;
      await people.say({ who: 'pia', place: 'group', command: { name: 'stop', args: '' } });
      await people.say({ who: 'pia', place: 'group', command: { name: 'steer', args: 'this then' } });
      held.stepMs = 0;
      expect(await settle(world, people)).toEqual([]);
      expect(world.happened.filter(({ what }) => what === 'crash')).toHaveLength(times);
      expect(heads(world).slice(1)).toEqual([expect.stringMatching(/the first[\s\S]*stopped[\s\S]*this then$/)]);
      expect([...world.sent.values()].map(({ text }) => text)).toContainEqual(expect.stringMatching(/^Stopped/));
    },
  );

  it('what is taken in before its sender knows that it is stored does not end the run that has heard it', async () => {
    const world = await openWorld({ plans: [{ ...plan, stepMs: 2_000 }] });
    const people = talk(world);
    await people.say({ who: 'pia', place: 'group', text: 'the first' });
    world.storedAfter = ({ sender }) => (sender.name === 'olga' ? 60 : 0);
    people.say({ who: 'olga', place: 'group', text: 'of Olga' });
    await people.say({ who: 'pia', place: 'group', text: 'of Pia' });
    expect(await settle(world, people)).toEqual([]);
    expect(heads(world)).toHaveLength(2);
    expect(heads(world).at(-1)).toMatch(/the first[\s\S]*of Olga[\s\S]*of Pia$/);
    expect(world.happened.filter(({ what }) => what === 'abort')).toHaveLength(1);
  });

  it('a /new that comes twice at once begins one task', async () => {
    const { world, people, letGo } = await open();
    people.say({ who: 'pia', place: 'group', command: { name: 'new', args: 'WORD' } });
    people.again(people.said.length - 1);
    await people.all();
    await people.say({ who: 'pia', place: 'group', text: 'more of it' });
    letGo();
    await world.idle();
    expect(fs.readdirSync(world.home().artifacts)).toHaveLength(3);
    expect(await settle(world, people)).toEqual([]);
  });
});

/** Where a newer message or a stop may find a turn. */
const GAPS = [
  ...(['thread', 'run:claimed', 'download', 'run:message-written', 'run:step-written'] as const),
  ...(['run:answered', 'run:result-written', 'run:out-written'] as const),
];
const ANSWERED: readonly string[] = ['run:answered', 'run:result-written', 'run:out-written'];

describe.each(GAPS)('at %s', (gap) => {
  async function open() {
    // What comes in the middle is durable first: the turn must last longer than a slow disk.
    const stepMs = ANSWERED.includes(gap) ? 5 : 300;
    const plan: Plan = { steps: 1, stepMs, external: false, deafMs: 0, end: 'answer' };
    const world = await openWorld({ plans: [plan] });
    const people = talk(world);
    /** Does it when the first message gets there, and gives what the session holds in the end. */
    const meet = async (then: () => void) => {
      let isFirst = true;
      world.onPoint = (point) => {
        if (point === gap && isFirst) {
          isFirst = false;
          then();
        }
        return false;
      };
      people.say({ who: 'pia', place: 'thread', file: true });
      await eventually(() => expect(isFirst).toBe(false));
      await people.all();
      await world.idle();
      const [task = ''] = fs.readdirSync(world.home().artifacts);
      const results = lines(world.home(), task).flatMap((line) => (line.type === 'result' ? [line] : []));
      return { results, problems: broken({ home: world.home(), happened: world.happened, sent: world.sent }) };
    };
    return { world, people, meet };
  }

  it('a newer message steers what has no answer, and follows what has one', async () => {
    const { world, people, meet } = await open();
    const { results, problems } = await meet(() => void people.say({ who: 'pia', place: 'thread' }));
    expect(problems).toEqual([]);
    const first = ANSWERED.includes(gap) ? ['completed', undefined] : ['stopped', 'steered'];
    expect(results.map(({ state, error }) => [state, error])).toEqual([first, ['completed', undefined]]);
    expect(world.sent.size).toBe(ANSWERED.includes(gap) ? 2 : 1);
    await world.close();
  });

  it('a stop is heard as long as it ends something, and nothing follows it', async () => {
    const { world, meet } = await open();
    let heard = Promise.resolve(false);
    const { results, problems } = await meet(() => {
      const [lane = ''] = world.lanes();
      heard = world.queue().signal(lane, 'stop');
    });
    const isHeard = await heard;
    expect(problems).toEqual([]);
    expect(isHeard).toBe(!['run:result-written', 'run:out-written'].includes(gap));
    expect(results.map(({ state }) => state)).toEqual([isHeard ? 'stopped' : 'completed']);
    expect(world.sent.size).toBe(isHeard ? 0 : 1);
    await world.close();
  });

  it('a crash loses nothing of what steers it', async () => {
    const { world, people, meet } = await open();
    const { problems } = await meet(() => {
      people.say({ who: 'pia', place: 'thread' });
      setTimeout(() => world.crash(), 2);
    });
    expect(problems).toEqual([]);
    await world.close();
  });
});
