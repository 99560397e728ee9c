/** People talk to a task at work: what they write steers it, is collected, or waits. */
import { describe, expect, it } from 'vitest';
import { ownTime } from '../helpers/own-time.ts';
import { openChat } from '../kit/kit.ts';
import { quiet } from '../kit/quiet.ts';
import { ask, waitFor } from '../platforms/platform.ts';

describe('words to a task at work', () => {
  async function open(injection: string) {
    const { world, platform, dm: place } = await openChat({ channel: { injection } });
    return { ...world, platform, place };
  }
  const texts = (world: Awaited<ReturnType<typeof open>>) =>
    world.platform.answers(world.place).map((seen) => seen.text);

  it('steer: the model call ends at once and the next one has the new words; one answer', async () => {
    const world = await open('steer');
    const { platform, place, llm } = world;
    llm.script((request) =>
      request.lastUser.includes('blue') ? { text: 'blue it is' } : { text: 'red it is', delayMs: 20_000 },
    );
    platform.say(place, 'paint it red');
    await llm.waitFor((request) => request.lastUser.includes('red'));
    const began = ownTime();
    platform.say(place, 'no, blue');
    const request = await llm.waitFor((each) => each.lastUser.includes('blue'));
    expect(ownTime() - began).toBeLessThan(2_000);
    expect(JSON.stringify(request.messages)).toMatch(/paint it red[\s\S]*no, blue/);
    await waitFor(platform, place, { text: 'blue it is' });
    await quiet();
    expect(texts(world)).toEqual(['blue it is']);
  });

  it('steer keeps finished steps and does not run them again', async () => {
    const world = await open('steer');
    const { platform, place, llm, tasks, read } = world;
    llm.script((request) => {
      if (request.lastUser.includes('also')) return { text: 'both done' };
      if (request.toolResults.length === 0)
        return { toolCalls: [{ name: 'write_file', arguments: { path: 'one.txt', content: 'one' } }] };
      return { text: 'only one', delayMs: 20_000 };
    });
    platform.say(place, 'write one');
    await llm.waitFor((request) => request.toolResults.length === 1);
    platform.say(place, 'also two');
    const request = await llm.waitFor((each) => each.lastUser.includes('also two'));
    expect(request.messages.filter((message) => message.role === 'tool')).toHaveLength(1);
    await waitFor(platform, place, { text: 'both done' });
    const session = read(`agents/default/sessions/${tasks()[0]}.jsonl`);
    expect(session.match(/"type":"step"/g)).toHaveLength(1);
  });

  it('collect: what is said meanwhile becomes one turn after the run', async () => {
    const world = await open('collect');
    const { platform, place, llm } = world;
    llm.script((request) => ({ text: `re ${request.lastUser}`, delayMs: request.lastUser === 'first' ? 800 : 0 }));
    platform.say(place, 'first');
    await llm.waitFor((request) => request.lastUser === 'first');
    for (const text of ['a', 'b', 'c']) platform.say(place, text);
    await waitFor(platform, place, { text: /re a\s+b\s+c/ });
    expect(llm.requests()).toHaveLength(2);
    expect(texts(world)).toHaveLength(2);
  });

  it('followup: each has its own turn, in order; /steer and "stop" do not wait', async () => {
    const world = await open('followup');
    const { platform, place, llm } = world;
    llm.script((request) => ({ text: `re ${request.lastUser}`, delayMs: request.lastUser === 'first' ? 600 : 0 }));
    platform.say(place, 'first');
    await llm.waitFor((request) => request.lastUser === 'first');
    platform.say(place, 'second');
    platform.say(place, 'third');
    await waitFor(platform, place, { text: 're third' });
    expect(texts(world)).toEqual(['re first', 're second', 're third']);
    llm.script(() => ({ text: 'too late', delayMs: 20_000 }));
    platform.say(place, 'fourth');
    await llm.waitFor((request) => request.lastUser === 'fourth');
    const stopped = await ask(platform, place, 'Stop!');
    expect(stopped.text).toContain('Stopped');
    llm.script(() => ({ text: 'fine' }));
    expect((await platform.command(place, 'queue')).text).toContain('followup');
    expect((await platform.command(place, 'queue', 'steer')).text).toContain('steer');
    await world.restart();
    expect((await platform.command(place, 'queue')).text).toContain('steer');
    expect((await ask(platform, place, 'stop')).text).toBe('fine');
  });
});
