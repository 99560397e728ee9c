/** Whole calls of a model that speaks Chat Completions: what is told on the way, and what is said to have been used. */
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { startLlm, type Turn } from '../../emulators/llm.ts';
import { record, runWith, tool } from '../agent/fixtures.ts';

const llm = await startLlm();
afterAll(() => llm.close());
beforeEach(() => llm.reset());
const local = () => ({ local: { baseURL: llm.url } });

describe('a whole call', () => {
  it('asks once for text that ends in tool calls, and runs them all', async () => {
    const ran: unknown[] = [];
    const tools = [
      tool('look', 'read', async (input) => {
        ran.push(input);
        return 'seen';
      }),
    ];
    const calls = ['a', 'b'].map((text) => ({ name: 'look', arguments: { text } }));
    llm.script([{ reasoning: 'Hm.', text: 'I look.', toolCalls: calls, chunkDelayMs: 2 }, { text: 'Done.' }]);
    const hooks = record();
    const outcome = await runWith(local(), { tools }, hooks);
    expect([outcome.text, outcome.steps, llm.stats().requests]).toEqual(['Done.', 2, 2]);
    expect(ran).toEqual([{ text: 'a' }, { text: 'b' }]);
    expect(JSON.stringify(hooks.steps[0])).toContain('I look.');
    expect(outcome.usage.outputTokens).toBeGreaterThan(0);
  });

  it('takes each piece of text on its way', async () => {
    llm.script([{ chunks: ['one ', 'two ', 'three'], chunkDelayMs: 200 }]);
    const times: number[] = [];
    const hooks = record();
    const outcome = await runWith(
      local(),
      {},
      {
        ...hooks,
        onEvent(event) {
          if (event.type === 'text-delta') times.push(performance.now());
        },
      },
    );
    expect(outcome.text).toBe('one two three');
    expect(times).toHaveLength(3);
    expect((times[2] ?? 0) - (times[0] ?? 0)).toBeGreaterThan(100);
  });
});

describe('what an answer is said to have used', () => {
  const TEXT = 'Hello there, this is an answer.';
  /** Counted from the length of the texts, when nobody says it. */
  const guessed = { inputTokens: 5, outputTokens: 15, isEstimate: true };
  const told = { inputTokens: 12, outputTokens: 3 };
  it.each<[string, unknown, object]>(
    // biome-ignore format: a row is a line
    [
      ['nothing', null, guessed],
      ['an empty object', {}, guessed],
      ['a word', 'x', guessed],
      ['a list', [1, 2], guessed],
      ['numbers', { prompt_tokens: 12, completion_tokens: 3 }, told],
      ['numbers as text', { prompt_tokens: '12', completion_tokens: ' 3 ' }, told],
      ['the names of another interface', { input_tokens: 12, output_tokens: 3 }, told],
      ['nulls', { prompt_tokens: null, completion_tokens: null, prompt_tokens_details: null }, guessed],
      ['NaN', { prompt_tokens: 'NaN', completion_tokens: 'Infinity' }, guessed],
      ['less than nothing', { prompt_tokens: -5, completion_tokens: -1 }, guessed],
      ['more than there are', { prompt_tokens: 1e300, completion_tokens: 2e9 }, guessed],
      ['parts of tokens', { prompt_tokens: 11.5, completion_tokens: 2.1 }, told],
      ['a sum alone', { total_tokens: 30 }, guessed],
      ['nothing read', { prompt_tokens: 0, completion_tokens: 3 }, { ...guessed, outputTokens: 3 }],
      ['nothing written', { prompt_tokens: 12, completion_tokens: 0 }, { ...guessed, inputTokens: 12 }],
      ['more from the cache than was read', { prompt_tokens: 12, completion_tokens: 3, prompt_tokens_details: { cached_tokens: 500 } }, { ...told, cachedInputTokens: 12 }],
      ['a cache in text', { prompt_tokens: 12, completion_tokens: 3, prompt_tokens_details: { cached_tokens: '4', x: {} } }, { ...told, cachedInputTokens: 4 }],
      ['details that are none', { prompt_tokens: 12, completion_tokens: 3, prompt_tokens_details: 'x' }, told],
      ['a cache as DeepSeek has it', { prompt_tokens: 12, completion_tokens: 3, prompt_cache_hit_tokens: 8 }, { ...told, cachedInputTokens: 8 }],
      ['a cache as Moonshot has it', { prompt_tokens: 12, completion_tokens: 3, cached_tokens: 8 }, { ...told, cachedInputTokens: 8 }],
    ],
  )('by %s never costs the answer, nor counts what cannot be', async (_what, rawUsage, expected) => {
    const spent: object[] = [];
    const ask = async (turns: Turn[], tools = [tool('look', 'read', async () => 'seen')]) => {
      llm.reset();
      llm.script(turns);
      const hooks = record({ onUsage: (_model, usage) => void spent.push(usage) });
      return (await runWith(local(), { tools }, hooks)).text;
    };
    expect(await ask([{ text: TEXT, rawUsage }])).toBe(TEXT);
    expect(spent).toEqual([expected]);
    // And beside a call, which the provider reads by itself.
    const call = { name: 'look', arguments: { text: 'a' } };
    expect(
      await ask([
        { toolCalls: [call], rawUsage },
        { text: 'Done.', rawUsage },
      ]),
    ).toBe('Done.');
    expect([spent.length, llm.stats().requests]).toEqual([3, 2]);
  });
});
