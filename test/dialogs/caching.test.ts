/** What providers may cache: from one request to the next nearly all of the prompt is the same, also while a plan goes on. */
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { LlmRequest } from '../emulators/llm.ts';
import { ask } from '../platforms/platform.ts';
import { openPlatforms } from '../platforms/world.ts';

const STEPS = ['Buy paint', 'Tape the edges', 'Paint the wall', 'Take the tape off', 'Clean up'];
const planAfter = (done: number): string =>
  `## Goal\nPaint the kitchen\n\n## Plan\n${STEPS.map((step, n) => `- [${n < done ? 'x' : ' '}] ${step}`).join('\n')}\n`;

/** In the order in which providers take a prompt in: tools, then what was said. */
const asRead = ({ body }: LlmRequest): string =>
  `${JSON.stringify(body.tools ?? [])}${JSON.stringify(body.messages).slice(1, -1)}`;

function share(before: string, after: string): number {
  let at = 0;
  while (at < after.length && before[at] === after[at]) at++;
  return at / after.length;
}

describe('the prompt', () => {
  it('of five turns with a step of a plan each is the same for nine tenths from one request to the next', async () => {
    const world = await openPlatforms({ on: ['telegram'], channel: { live: 'off' } });
    const platform = world.platforms.telegram;
    const dm = platform.dm('alex');
    let done = 0;
    world.llm.script((request) =>
      request.toolResults.length === 0
        ? { toolCalls: [{ name: 'update_plan', arguments: { plan: planAfter(done) } }] }
        : { text: `That is step ${done}: ${STEPS[done - 1] ?? 'the plan'}.` },
    );
    for (; done < STEPS.length; done++)
      await ask(platform, dm, `go on with number ${done}`, { text: `That is step ${done}` });
    const read = world.llm.requests().map(asRead);
    expect(read).toHaveLength(2 * STEPS.length);
    const shares = read.slice(1).map((after, n) => share(read[n] ?? '', after));
    expect(Math.min(...shares)).toBeGreaterThan(0.9);
    const last = world.llm.requests().at(-2);
    expect(last?.system).not.toContain('Buy paint');
    // What stands now is told once, before the newest words, which stand alone.
    const said = (last?.messages ?? [])
      .filter(({ role }) => role === 'user')
      .map(({ content }) => JSON.stringify(content));
    expect(said.at(-1)).toBe('"go on with number 4"');
    expect(said.filter((text) => text.includes('Buy paint'))).toEqual([said.at(-2)]);
    expect(said.at(-2)).toMatch(/<task>[\s\S]*- \[x\] Paint the wall[\s\S]*Now: /);
  });

  it.each<[string, string, number]>([
    ['short', 'seen', 2],
    ['long', `${'A line of a log that somebody wants to be read. '.repeat(100)}end`, 3],
  ])(
    'on Anthropic is read from its cache up to the turn before, while the plan goes on and what tools tell is %s',
    async (_how, told, from) => {
      const world = await openPlatforms({
        ...{ on: ['telegram'], channel: { live: 'off' }, model: 'anthropic/claude-sonnet-5-5' },
        prepare: (home) => {
          fs.mkdirSync(path.join(home, 'workspace'), { recursive: true });
          fs.writeFileSync(path.join(home, 'workspace', 'log.txt'), told);
        },
      });
      const platform = world.platforms.telegram;
      const dm = platform.dm('alex');
      let done = 0;
      world.llm.script((request) => {
        if (request.toolResults.length === 0)
          return { toolCalls: [{ name: 'read_file', arguments: { path: 'workspace/log.txt' } }] };
        if (request.toolResults.length === 1)
          return { toolCalls: [{ name: 'update_plan', arguments: { plan: planAfter(done) } }] };
        return {
          text: `That is step ${done}: ${STEPS[done - 1] ?? 'the plan'}. ${'What was done is told in some detail. '.repeat(20)}`,
        };
      });
      for (; done < STEPS.length; done++)
        await ask(platform, dm, `go on with number ${done}`, { text: `That is step ${done}` });
      expect(world.llm.refused()).toBe(0);
      // The first request of each turn: what it reads was written by the turns before it.
      const firsts = world.llm.requests().filter((_request, n) => n % 3 === 0);
      const reads = firsts.map(({ cache }) => cache?.cache_read_input_tokens ?? 0);
      expect(reads).toHaveLength(STEPS.length);
      expect(reads[0]).toBe(0);
      // Tools and the first system part are read from the second on, then each turn reads more of the conversation; where long
      // results are shortened once another run has come after them, a turn later.
      const grown = reads.slice(from).map((read, n) => read - (reads[n + from - 1] ?? 0));
      expect(Math.min(...grown)).toBeGreaterThan(100);
      // Within a turn nearly all is read.
      const last = world.llm.requests().at(-1)?.cache;
      const all =
        (last?.cache_read_input_tokens ?? 0) + (last?.cache_creation_input_tokens ?? 0) + (last?.input_tokens ?? 0);
      expect((last?.cache_read_input_tokens ?? 0) / all).toBeGreaterThan(0.9);
    },
  );
});
