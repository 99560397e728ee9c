/** A model that writes its calls as text: those it means are run as calls with all their checks, those it shows are not. */
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { AgentRequest } from '../../../src/runtime/contract/agent.ts';
import type { RuntimeTool } from '../../../src/runtime/contract/task.ts';
import { createLiveText } from '../../../src/runtime/live/text.ts';
import { startLlm } from '../../emulators/llm.ts';
import { record, runWith, tool } from './fixtures.ts';

const llm = await startLlm();
afterAll(() => llm.close());
beforeEach(() => llm.reset());

const local = () => ({ local: { baseURL: llm.url } });
const written = (input: object, name = 'send') =>
  `<tool_call>\n${JSON.stringify({ name, arguments: input })}\n</tool_call>`;

/** A run with the tool `send`: what it was given, the outcome, and what was told. */
async function run(turns: string[], overrides: Partial<AgentRequest> = {}, more: Partial<RuntimeTool> = {}) {
  const sent: unknown[] = [];
  const send = tool('send', 'external', async (input) => {
    sent.push(input);
    return 'sent';
  });
  llm.script(turns.map((text) => ({ text })));
  const hooks = record();
  const outcome = await runWith(local(), { tools: [{ ...send, ...more }], ...overrides }, hooks);
  return { sent, outcome, hooks, requests: llm.requests() };
}

describe('a call written as text', () => {
  it('is run, journaled and answered as a call, and nobody sees its marks', async () => {
    const { sent, outcome, hooks, requests } = await run([
      `I will send it.\n${written({ text: 'hi' })}`,
      'It is sent.',
    ]);
    expect(sent).toEqual([{ text: 'hi' }]);
    expect(outcome).toMatchObject({ text: 'It is sent.', steps: 2, finish: 'stop' });
    expect(hooks.calls).toMatchObject([{ tool: 'send' }]);
    expect(JSON.stringify(hooks.steps)).not.toContain('<tool_call>');
    expect(requests[1]?.toolResults).toEqual(['sent']);
    expect(requests[1]?.messages.findLast(({ role }) => role === 'assistant')).toMatchObject({
      content: 'I will send it.',
      tool_calls: [{ function: { name: 'send', arguments: '{"text":"hi"}' } }],
    });
    const live = createLiveText();
    const shown = hooks.events.flatMap((event) => (event.type === 'text-delta' ? [live.add(event.content)] : []));
    expect(shown.join('').trim()).toBe('I will send it.');
  });

  it('waits for consent as a call does, and its arguments are checked', async () => {
    const waiting = await run([written({ text: 'hi' })], {}, { asksBefore: () => true });
    expect(waiting).toMatchObject({
      sent: [],
      outcome: { finish: 'parked', parked: [{ tool: 'send', input: { text: 'hi' } }] },
    });
    llm.reset();
    const wrong = await run([written({ words: 'hi' }), 'Sorry.']);
    expect(wrong.sent).toEqual([]);
    expect(wrong.requests[1]?.toolResults[0]).toContain('The arguments do not fit');
  });

  it('has arguments of the kinds its tool takes', async () => {
    const text =
      '<function=send><parameter=text>12</parameter><parameter=times>3</parameter><parameter=quiet>True</parameter><parameter=to>["a"]</parameter><parameter=when>12</parameter></function>';
    const input = z.object({
      ...{ text: z.string(), times: z.number().int(), quiet: z.boolean(), to: z.array(z.string()) },
      when: z.union([z.string(), z.number()]),
    });
    const { sent } = await run([text, 'Done.'], {}, { input });
    expect(sent).toEqual([{ text: '12', times: 3, quiet: true, to: ['a'], when: '12' }]);
  });

  it.each([
    ['functions.send', 'send'],
    ['default_api.send', 'send'],
    ['files.send_it', 'files_send_it'],
  ])('by the name %s is one of %s', async (name, offered) => {
    const { sent } = await run([written({ text: 'hi' }, name), 'Done.'], {}, { name: offered });
    expect(sent).toEqual([{ text: 'hi' }]);
  });

  it('of a tool that is not there is answered once, and then shown', async () => {
    const text = written({ text: 'hi' }, 'post');
    const { sent, outcome, requests } = await run([text, text]);
    expect(requests[1]?.toolResults[0]).toMatch(/There is no tool post\. Available tools: send/);
    expect({ sent, text: outcome.text, steps: outcome.steps }).toEqual({ sent: [], text, steps: 2 });
  });

  it.each([
    [
      'in a fence behind words',
      `Like this:\n\`\`\`json\n${JSON.stringify({ name: 'send', arguments: { text: 'hi' } })}\n\`\`\``,
    ],
    ['of which the end is missing', '<tool_call>\n{"name": "send", "arguments": {"text": "hi"'],
  ])('%s runs nothing: the model is told once, and what it says then counts', async (_what, text) => {
    const { sent, outcome, requests } = await run([text, text]);
    expect(requests[1]?.toolResults[0]).toMatch(/^Nothing has run: you wrote this call as text/);
    expect({ sent, text: outcome.text, steps: outcome.steps }).toEqual({ sent: [], text, steps: 2 });
  });

  it.each(
    // biome-ignore format: a row is a line
    [
      ['a person has said', { messages: [{ role: 'user' as const, text: `What is ${written({ text: 'hi' })}?` }] }],
      ['a person has said in other lines', { messages: [{ role: 'user' as const, text: 'Repeat: {\n "name": "send",\n "arguments": {"text": "hi"}}' }] }],
      [
        'a file has said',
        {
          messages: [
            { role: 'user' as const, text: 'read it' },
            {
              role: 'steps' as const,
              messages: [
                { role: 'assistant', content: [{ type: 'tool-call', toolCallId: 'c1', toolName: 'read', input: {} }] },
                {
                  role: 'tool',
                  content: [{...{ type: 'tool-result', toolCallId: 'c1', toolName: 'read' }, output: { type: 'json', value: { lines: [written({ text: 'hi' })] } } }],
                },
              ],
            },
            { role: 'user' as const, text: 'what does it say?' },
          ],
        },
      ],
    ],
  )('is none when %s the same', async (_who, overrides) => {
    const text = `It says:\n${written({ text: 'hi' })}`;
    const { sent, outcome } = await run([text], overrides);
    expect({ sent, text: outcome.text, steps: outcome.steps }).toEqual({ sent: [], text, steps: 1 });
  });

  it('is none where no tool is offered, nor beside a real call', async () => {
    const text = written({ text: 'hi' });
    expect((await run([text], { tools: [] })).outcome).toMatchObject({ text, steps: 1 });
    llm.reset();
    llm.script([{ text, toolCalls: [{ name: 'look', arguments: { text: 'a' } }] }, { text: 'Done.' }]);
    const sent: unknown[] = [];
    const tools = [
      tool('look', 'read', async () => 'seen'),
      tool('send', 'external', async (one) => void sent.push(one) as never),
    ];
    await runWith(local(), { tools });
    expect(sent).toEqual([]);
  });

  it('that was cut off is neither run nor shown', async () => {
    llm.script([{ text: 'I will send it.\n<tool_call>\n{"name": "send", "arguments": {"te', finish: 'length' }]);
    const { text } = await runWith(local(), { tools: [tool('send', 'external', async () => 'sent')] });
    expect(text).toMatch(/^I will send it\.\n\n(?!.*tool_call)/);
  });
});

describe('the thoughts of a model that come as text', () => {
  it('are no part of its answer', async () => {
    const { outcome, hooks } = await run(['<think>\nThey greet.\n</think>\n\nHello!']);
    expect(outcome.text).toBe('Hello!');
    const live = createLiveText();
    expect(live.add(`${hooks.visible()} `)).toBe('Hello! ');
  });
});
