/** A reply while it is being written: what is shown is always a beginning of what will be seen, never a block. */
import { describe, expect, it } from 'vitest';
import { addSecret } from '../../../src/log.ts';
import { createLiveText } from '../../../src/runtime/live/text.ts';
import { knowElements, parseReply } from '../../../src/runtime/reply/reply.ts';
import { ownTime } from '../../helpers/own-time.ts';

knowElements(['memory_suggestion']);

const DELTAS = '```artifact_deltas\n[{"title":"data.csv","type":"text/csv","content":"a,b"}]\n```';
const MEMORY = '<memory_suggestion>\nAdd to MEMORY.md under "Facts":\n- Kim\n</memory_suggestion>';

/** What has been shown after each piece. */
function written(text: string, size = 1): string[] {
  const live = createLiveText();
  let all = '';
  const states: string[] = [];
  for (let at = 0; at < text.length; at += size) {
    all += live.add(text.slice(at, at + size));
    states.push(all);
  }
  return states;
}

const squeezed = (text: string) => text.replace(/\s+/g, ' ').trim();

describe('blocks', () => {
  it.each([
    ['a block of artifacts', `Here it is.\n\n${DELTAS}\n\nThat is all of it.\n`],
    ['one with more marks, in a list and in a quote', `- ${DELTAS}\n> ~~~~artifact_deltas\n> []\n> ~~~~\nEnd \n`],
    ['a suggestion on lines of its own', `Noted.\n${MEMORY}\nBye now \n`],
    ['a suggestion within a line', 'One <memory_suggestion>two</memory_suggestion> three \n'],
    ['a suggestion within which a block stands', `A <memory_suggestion>\n${DELTAS}\n</memory_suggestion> b \n`],
  ])('%s is never shown, in whatever pieces it comes', (_what, text) => {
    for (const size of [1, 2, 3, 7, 1000]) {
      for (const state of written(text, size))
        expect(state).not.toMatch(/artifact_deltas|memory_sug|<\/?mem|data\.csv|Kim|two/);
      expect(squeezed(written(text, size).at(-1) ?? '')).toBe(squeezed(parseReply(text).visible));
    }
  });

  it('what only looks like one is shown', () => {
    const text =
      'a < b, `x`, <b>bold</b>, 3 > 2.\n```js\nlet a = "<memory_suggestion>";\n```\n- one\n1. two\n---\n> said \n';
    expect(written(text).at(-1)).toBe(text);
  });

  it.each([
    ['<think>', '</think>'],
    ['<thought>', '</thought>'],
    ['<seed:think>', '</seed:think>'],
    ['[THINK]', '[/THINK]'],
    ['◁think▷', '◁/think▷'],
    ['<|channel>thought\n', '<channel|>'],
  ])('a thought between %s and %s stays hidden', (begin, end) => {
    for (const size of [1, 2, 3, 7, 1000])
      expect(
        new Set(written(`${begin}secret ways\nof it${end}Hello <b>there</b> [now] `, size).join('\n')),
      ).not.toContain('y');
    for (const size of [1, 3, 1000])
      expect(written(`${begin}secret ways\nof it${end}Hello [now] you `, size).at(-1)).toBe('Hello [now] you ');
  });

  it.each([
    '<tool_call>\n{"name": "send"}\n</tool_call>',
    '<|tool_calls_section_begin|><|tool_call_begin|>functions.send:0',
    '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>send',
    '[TOOL_CALLS]send{"to": 1}',
    '<invoke name="send">',
    '<function=send>{"to": 1}</function>',
    '<|channel|>commentary to=functions.send <|message|>{}',
  ])('a call of a tool written as text stays hidden: %s', (call) => {
    for (const size of [1, 2, 3, 7, 1000])
      for (const state of written(`I will <b>send</b> it [now].\n${call}`, size))
        expect(state).not.toMatch(/send[^<]|TOOL|[|｜]/);
    expect(written(`I do it.\n${call}`).at(-1)).toBe('I do it.\n');
    expect(written(`Say \`${call.split('\n')[0]}\` to it. \n`, 1000).at(-1)).toContain('to it');
  });

  it('a thought stays hidden, and what follows it does not', () => {
    for (const size of [1, 3, 1000])
      expect(written('<think>\nHm, send.\n</think>\nHello you ', size).at(-1)).toBe('Hello you ');
  });

  it('a block that is not finished stays hidden', () => {
    expect(written(`Yes:\n${DELTAS.slice(0, -4)}`).at(-1)).toBe('Yes:\n');
    expect(written('Yes <memory_suggestion>never ended\nat all ').at(-1)).toBe('Yes ');
  });
});

describe('words', () => {
  it('the one being written waits for its end', () => {
    expect(written('Hello wor')).toContain('Hello ');
    expect(written('Hello wor').at(-1)).toBe('Hello ');
    expect(written('こんにちは、世界').at(-1)).toBe('こんにちは、世界');
  });

  it('that is a secret is not shown, nor a part of it', () => {
    addSecret('sk-live-abcdefghijkl');
    for (const state of written('The key is sk-live-abcdefghijkl, keep it. ')) expect(state).not.toContain('sk-live');
    expect(written('The key is sk-live-abcdefghijkl, keep it. ').at(-1)).toBe('The key is [secret], keep it. ');
  });
});

it('takes hostile text in linear time', () => {
  const start = ownTime();
  for (const piece of ['<', '`', '> ', 'a', '<memory_suggestion ', '- ', '1. ', '[](', '\n```artifact_deltas\n', '~'])
    written(piece.repeat(Math.ceil(100_000 / piece.length)), 50);
  expect(ownTime() - start).toBeLessThan(4000);
});
