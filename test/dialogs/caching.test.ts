/** What providers may cache: from one request to the next nearly all of the prompt is the same, also while a plan goes on. */
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
});
