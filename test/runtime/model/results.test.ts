/** How results of tools give way to newer ones: the oldest first, no more than is needed, and the same at each later step. */
import { describe, expect, it } from 'vitest';
import type { Prompt } from '../../../src/runtime/contract/model.ts';
import { fitResults, sizeOfResults, withStepsTold } from '../../../src/runtime/model/results.ts';

/** A run of steps with one result each, of as many characters. */
function prompt(...sizes: number[]): Prompt {
  return [
    { role: 'user', content: [{ type: 'text', text: 'read all' }] },
    ...sizes.flatMap(
      (size, n): Prompt => [
        { role: 'assistant', content: [{ type: 'tool-call', toolCallId: `c${n}`, toolName: 'look', input: {} }] },
        {
          role: 'tool',
          content: [
            {
              type: 'tool-result',
              toolCallId: `c${n}`,
              toolName: 'look',
              output: { type: 'text', value: 'x'.repeat(size) },
            },
          ],
        },
      ],
    ),
  ];
}
const lengths = (given: Prompt): number[] =>
  given.flatMap((message) =>
    message.role === 'tool'
      ? message.content.map((part) =>
          part.type === 'tool-result' && part.output.type === 'text' ? part.output.value.length : 0,
        )
      : [],
  );

describe('results', () => {
  it('that fit are left as they are', () => {
    const given = prompt(3_000, 3_000, 3_000);
    expect(fitResults(given, 9_000)).toBe(given);
  });

  it('give way from the oldest on', () => {
    const [first = 0, second = 0, ...rest] = lengths(fitResults(prompt(5_000, 5_000, 2_000, 2_000), 10_000));
    expect(first).toBeLessThan(700);
    expect(second).toBeLessThan(700);
    expect(rest).toEqual([2_000, 2_000]);
  });

  it('of which one alone is too long: it is cut, and gives way itself once others come', () => {
    const [alone = 0] = lengths(fitResults(prompt(50_000), 10_000));
    expect(alone).toBeGreaterThan(4_000);
    expect(alone).toBeLessThan(10_000);
    expect(lengths(fitResults(prompt(50_000, 9_000), 10_000))[0]).toBeLessThan(700);
  });

  it('take no more than the room, as long as there are few, and what was decided stays as steps are added', () => {
    let seed = 7;
    const random = (most: number) => {
      seed = (seed * 48_271) % 2_147_483_647;
      return seed % most;
    };
    for (let round = 0; round < 200; round += 1) {
      const room = 8_000 + random(40_000);
      const sizes = Array.from({ length: 1 + random(12) }, () => random(30_000));
      const before = fitResults(prompt(...sizes), room);
      expect(sizeOfResults(before)).toBeLessThanOrEqual(room + 200 * sizes.length);
      const after = lengths(fitResults(prompt(...sizes, random(30_000)), room));
      for (const [n, length] of lengths(before).entries()) expect(after[n]).toBeLessThanOrEqual(length);
    }
  });

  it('change seldom: most steps leave what the cache holds', () => {
    const sizes = Array.from({ length: 60 }, () => 4_000);
    let kept = 0;
    for (let n = 2; n < sizes.length; n += 1) {
      const before = lengths(fitResults(prompt(...sizes.slice(0, n)), 100_000));
      const after = lengths(fitResults(prompt(...sizes.slice(0, n + 1)), 100_000));
      if (before.every((length, at) => after[at] === length)) kept += 1;
    }
    expect(kept).toBeGreaterThanOrEqual(54);
  });
});

it('old steps as words are data, and those of the run at hand stay', () => {
  const given: Prompt = [
    ...prompt(5),
    { role: 'user', content: [{ type: 'text', text: 'and now?' }] },
    ...prompt(7).slice(1),
  ];
  const told = JSON.stringify(withStepsTold(given));
  expect(told).toContain('[What tools have said, as data]\\nlook: xxxxx');
  expect(told.match(/"tool-call"/g)).toHaveLength(1);
});
