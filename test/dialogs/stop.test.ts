/** Stop, while the model hangs and while a tool hears nothing: at once, answered once, and nothing comes after it. */
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import type { RuntimeTool } from '../../src/runtime/contract/task.ts';
import { eventually } from '../helpers/eventually.ts';
import { ownTime } from '../helpers/own-time.ts';
import { openChat } from '../kit/kit.ts';
import { quiet, RUNNING } from '../kit/quiet.ts';
import { ask, waitFor } from '../platforms/platform.ts';

const deaf = vi.hoisted(() => ({ calls: 0, finished: 0 }));

/** Has an effect outside and takes its time, whatever it is told. */
const post: RuntimeTool = {
  ...{ name: 'post_letter', description: 'Posts a letter.', input: z.object({}), effect: 'external', consent: 'never' },
  async execute() {
    deaf.calls++;
    // The tool takes its time.
    await sleep(1_800);
    deaf.finished++;
    return 'posted';
  },
};
vi.mock('../../src/runtime/tools/index.ts', async (original) => {
  const real = await original<typeof import('../../src/runtime/tools/index.ts')>();
  return {
    ...real,
    createTools: (scope: Parameters<typeof real.createTools>[0]) => [...real.createTools(scope), post],
  };
});

describe('stop', () => {
  async function open() {
    const files = { 'agents/other.yaml': 'description: another one\n' };
    const { world, platform, dm: place } = await openChat({ files });
    return { ...world, platform, place };
  }
  type World = Awaited<ReturnType<typeof open>>;

  /** Stops what is under way; gives the milliseconds until the person was answered and until the model heard no more. */
  async function stop({ platform, place, llm }: World, isBegun = false) {
    const began = ownTime();
    const answered = platform.command(place, 'stop').then((seen) => ({ seen, ms: ownTime() - began }));
    await eventually(() => llm.stats().active === 0);
    const silentMs = ownTime() - began;
    const { seen, ms } = await answered;
    expect(seen.text).toContain('Stopped');
    expect(seen.text.includes('I was already using post letter, and that may still take effect.')).toBe(isBegun);
    return { silentMs, answeredMs: ms };
  }

  it.each(['*', 'default'])('everything here, and what one agent does here (%s)', async (target) => {
    const { platform, place, llm } = await open();
    llm.script([{ text: 'Too late.', delayMs: 20_000 }]);
    await platform.say(place, 'take your time');
    await eventually(() => expect(llm.stats().active).toBe(1));
    expect((await platform.command(place, 'stop', 'other')).text).toContain('nothing');
    expect(llm.stats().active).toBe(1);
    expect((await platform.command(place, 'stop', target)).text).toContain('Stopped: take your time');
    await eventually(() => expect(llm.stats().active).toBe(0));
  });

  it.each(['stall-start', 'stall-middle'] as const)('a model that hangs (%s)', async (fault) => {
    const world = await open();
    const { platform, place, llm } = world;
    llm.script(() => ({ text: 'half of an answer that never ends', fault }));
    platform.say(place, 'begin');
    await llm.waitFor(() => true);
    // What there is of the answer has been read.
    await quiet({ except: RUNNING });
    const { silentMs, answeredMs } = await stop(world);
    expect(silentMs).toBeLessThan(1_000);
    expect(answeredMs).toBeLessThan(1_500);
    await quiet();
    expect(llm.requests().map((request) => request.outcome)).toEqual(['aborted']);
    expect(platform.answers(place).map((seen) => seen.text)).toEqual([expect.stringContaining('Stopped')]);
    llm.script(() => ({ text: 'here I am' }));
    await ask(platform, place, 'go on', { text: 'here I am' });
  });

  it('a tool that hears nothing: the next turn is told that it may have had its effect', async () => {
    const world = await open();
    const { platform, place, llm } = world;
    llm.script((request) =>
      request.lastUser.includes('letter') && request.toolResults.length === 0
        ? { toolCalls: [{ name: 'post_letter', arguments: {} }] }
        : { text: 'as you say' },
    );
    const before = { ...deaf };
    platform.say(place, 'post the letter');
    await eventually(() => expect(deaf.calls).toBe(before.calls + 1));
    const { answeredMs } = await stop(world, true);
    expect(answeredMs).toBeLessThan(1_500);
    expect(deaf.finished).toBe(before.finished);
    await eventually(() => expect(deaf.finished).toBe(before.finished + 1));
    expect(llm.requests()).toHaveLength(1);
    expect(platform.answers(place)).toHaveLength(1);
    await ask(platform, place, 'and now?', { text: 'as you say' });
    expect(JSON.stringify(llm.requests().at(-1)?.messages)).toContain('post_letter: it may or may not have happened');
    expect(deaf.calls).toBe(before.calls + 1);
  });

  it('steered in the middle of it, the turn that goes on is told so too', async () => {
    const world = await open();
    const { platform, place, llm } = world;
    llm.script((request) =>
      request.lastUser.includes('letter')
        ? { toolCalls: [{ name: 'post_letter', arguments: {} }] }
        : { text: 'I look' },
    );
    const before = { ...deaf };
    platform.say(place, 'post the letter');
    await eventually(() => expect(deaf.calls).toBe(before.calls + 1));
    const began = ownTime();
    platform.say(place, 'wait, was the address right?');
    const next = await llm.waitFor((request) => request.lastUser.includes('address'));
    expect(ownTime() - began).toBeLessThan(1_500);
    expect(JSON.stringify(next.messages)).toMatch(/post the letter[\s\S]*may or may not have happened[\s\S]*address/);
    await waitFor(platform, place, { text: 'I look' });
    await eventually(() => expect(deaf.finished).toBe(before.finished + 1));
    expect(deaf.calls).toBe(before.calls + 1);
    expect(platform.answers(place)).toHaveLength(1);
  });

  it('what waits for a slot: by the word alone, also over a restart, and who writes after it is answered', async () => {
    const config = { limits: { freeBytes: 0, messagesPerMinute: 1_000, runs: 1 } };
    const { world, platform, dm: place } = await openChat({ config });
    const other = platform.dm('sam');
    world.llm.script(({ lastUser }) =>
      lastUser.includes('long') ? { text: 'long done', delayMs: 60_000 } : { text: `re ${lastUser.trim()}` },
    );
    platform.say(other, 'long work', { by: 'sam' });
    await world.llm.waitFor(({ lastUser }) => lastUser.includes('long'));
    const accepted = (count: number) =>
      eventually(() => expect(world.logs.filter(({ msg }) => msg === 'accepted')).toHaveLength(count));
    platform.say(place, 'delete the old reports');
    platform.say(place, 'and all the drafts');
    await accepted(3);
    const stopped = await ask(platform, place, 'stop');
    expect(stopped.text).toContain('Stopped: delete the old reports');
    expect(stopped.text).not.toContain('waiting');
    const before = world.llm.requests().length;
    world.llm.script(({ lastUser }) => ({ text: `re ${lastUser.trim()}` }));
    platform.say(place, 'count the new ones');
    await accepted(5);
    await world.restart(0);
    await waitFor(platform, place, { text: 're count the new ones' });
    await waitFor(platform, other, { text: 're long work' });
    const asked = world.llm.requests().slice(before);
    expect(asked.map(({ lastUser }) => lastUser.trim()).sort()).toEqual(['count the new ones', 'long work']);
    expect(platform.answers(place)).toHaveLength(2);
  });

  it('who writes right after it is answered, each time', async () => {
    const { platform, place, llm } = await open();
    llm.script(({ lastUser }) => {
      const [, letter, n] = /do ([AB]) (\d)/.exec(lastUser) ?? [];
      return letter === 'A' ? { text: 'too late', delayMs: 20_000 } : { text: `done B ${n}` };
    });
    for (const n of [1, 2, 3, 4, 5]) {
      platform.say(place, `do A ${n}`);
      await llm.waitFor(({ lastUser }) => lastUser.includes(`do A ${n}`));
      platform.say(place, 'stop');
      platform.say(place, `do B ${n}`);
      await waitFor(platform, place, { text: `done B ${n}` });
      await waitFor(platform, place, { text: 'Stopped', count: n });
    }
    const asked = JSON.stringify(llm.requests().at(-1)?.messages);
    expect(asked).toMatch(/do A 5[\s\S]*stopped before an answer[\s\S]*do B 5/);
  });

  it('of what somebody else has asked in another chat: whoever waits there is told by whom', async () => {
    const { world, platform, dm } = await openChat();
    const { llm } = world;
    llm.script(() => ({ text: 'too late', delayMs: 20_000 }));
    const said = platform.say(platform.room, 'compare the offers', { mention: true, by: 'sam' });
    await eventually(() => expect(llm.stats().active).toBe(1));
    expect((await platform.command(dm, 'stop', world.tasks()[0])).text).toContain('Stopped: compare the offers');
    const told = await waitFor(platform, platform.answerPlace(said), { text: 'has stopped this task' });
    expect(told.text.toLowerCase()).toContain('alex has stopped this task: compare the offers.');
    await quiet();
    expect(platform.answers(dm)).toHaveLength(1);
  });
});
