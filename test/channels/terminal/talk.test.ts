/** What a conversation in a terminal does with lines, answers and Ctrl-C, without a terminal and without a gateway. */

import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { LinesFace } from '../../../src/channels/terminal/lines-face.ts';
import { lookOf } from '../../../src/channels/terminal/look.ts';
import type { Output } from '../../../src/channels/terminal/screen.ts';
import type { Face, ShownMessage } from '../../../src/channels/terminal/seam.ts';
import { Talk } from '../../../src/channels/terminal/talk.ts';
import { messagesIn } from '../../../src/messages/messages.ts';
import { quiet } from '../../kit/quiet.ts';

function talk(say: (text: string) => Promise<void> = async () => undefined) {
  const log: string[] = [];
  const face: Face = {
    open: () => undefined,
    close: async () => undefined,
    answer: async ({ text, isRest, buttons }: ShownMessage) => {
      log.push(`${isRest ? 'rest' : 'answer'}: ${text}${buttons.map(({ n, label }) => ` [${n}] ${label}`).join('')}`);
    },
    named: () => undefined,
    note: (text) => void log.push(`note: ${text}`),
    live: {
      log: () => undefined,
      pressed: (label) => void log.push(`pressed: ${label}`),
      working: () => undefined,
      hint: (text) => void log.push(`hint: ${text}`),
      finished: (text) => void log.push(`finished: ${text.trim()}`),
      growing: () => undefined,
    },
  };
  const door = {
    say: async (text: string) => {
      log.push(`said: ${text}`);
      await say(text);
    },
    press: async (id: string) => void log.push(`press: ${id}`),
    suggest: async () => [],
  };
  return { log, talk: new Talk({ door, face, messages: messagesIn('en'), onLeave: () => log.push('left') }) };
}

const drawn = () => quiet();
const answer = (text: string, ...labels: string[]) => ({
  ...{ text, files: [] },
  buttons: [labels.map((label) => ({ id: `id-${label}`, label }))],
});

test('Ctrl-C stops what is at work; the next one leaves, once; any other key in between makes it the first again', async () => {
  const { log, talk: one } = talk();
  one.enter('work');
  one.interrupt();
  await one.answer(answer('Stopped.'));
  one.touched();
  one.interrupt();
  one.touched();
  one.interrupt();
  one.interrupt();
  one.interrupt();
  expect(log).toEqual([
    ...['said: work', 'hint: Stopping … Press Ctrl-C again to leave.', 'said: /stop'],
    ...['hint: Press Ctrl-C again to leave.', 'answer: Stopped.', 'hint: undefined'],
    ...['hint: Press Ctrl-C again to leave.', 'hint: undefined', 'hint: Press Ctrl-C again to leave.', 'left'],
  ]);
});

test('a number presses a button of the last answer; one of an older answer is asked about', async () => {
  const { log, talk: one } = talk();
  await one.answer(answer('Save?', 'Yes', 'No'));
  one.enter(' 2 ');
  await one.answer(answer('How many?'));
  for (const line of ['2', '!2', '3', '!3', '2 cups']) one.enter(line);
  expect(log).toEqual([
    ...['answer: Save? [1] Yes [2] No', 'pressed: No', 'press: id-No', 'answer: How many?'],
    ...[expect.stringContaining('note: Did you mean the button "No" further up?'), 'pressed: No', 'press: id-No'],
    ...['said: 3', 'note: There is no button 3.', 'said: 2 cups'],
  ]);
});

test('the number of a decided question presses nothing any more, and says so; with ! it asks what was decided', async () => {
  const { log, talk: one } = talk();
  const [yes, no] = [
    { id: 'id-Yes', label: 'Yes' },
    { id: 'id-No', label: 'No' },
  ];
  const more = { id: 'id-More', label: 'More' };
  await one.answer({ text: 'Save?', files: [], buttons: [[yes, no], [more]], messageId: 'm1' });
  await one.answer({ text: 'Save?\n\nApproved.', files: [], buttons: [[more]], messageId: 'm2', edits: 'm1' });
  for (const line of ['1', '!2', '!3', '4']) one.enter(line);
  expect(log).toEqual([
    ...['answer: Save? [1] Yes [2] No [3] More', 'answer: Save?\n\nApproved. [4] More'],
    ...['note: That is already decided, so 1 does nothing now.', 'pressed: No', 'press: id-No'],
    ...['pressed: More', 'press: id-More', 'pressed: More', 'press: id-More'],
  ]);
});

test('an answer goes on from what was shown of it, and one that is another stands whole', async () => {
  const { log, talk: one } = talk();
  one.wrote('r', 'first\n\nsecond part that goes on');
  await drawn();
  one.over('r', true);
  await one.answer(answer('first\n\nsecond part that goes on and on'));
  one.wrote('s', 'first\n\nsecond part that goes on');
  await drawn();
  one.over('s', true);
  await one.answer(answer('It failed.'));
  expect(log).toEqual([
    ...['finished: first', 'rest: second part that goes on and on'],
    ...['finished: first', 'answer: It failed.'],
  ]);
});

test('what is said before a tool stays, what is begun anew does not come twice, and other answers are not taken for it', async () => {
  const { log, talk: one } = talk();
  one.wrote('r', 'I look.');
  one.steps('r');
  one.wrote('r', 'half an ans');
  one.again('r');
  one.wrote('r', 'The answer.');
  await one.answer(answer('Status: fine.'));
  expect(one.isWorking).toBe(true);
  one.over('r', true);
  await one.answer(answer('The answer.'));
  expect(one.isWorking).toBe(false);
  expect(log).toEqual(['finished: I look.', 'answer: Status: fine.', 'answer: The answer.']);
});

test('words that were not taken in are told, and nothing is at work then', async () => {
  const { log, talk: one } = talk(() => Promise.reject(new Error('the disk is\u001b[2J full')));
  one.enter('hello');
  await drawn();
  expect(log).toEqual(['said: hello', "note: This wasn't accepted: the disk is full"]);
  expect(one.isWorking).toBe(false);
  for (const line of ['exit', 'QUIT', '/quit']) one.enter(line);
  expect(log.filter((line) => line === 'left')).toHaveLength(1);
});

test('a button that is shown again keeps its number, and one of another question gets a new one', async () => {
  const { log, talk: one } = talk();
  const of = (question: string, at: string) =>
    ['Accept', 'Reject'].map((label) => ({ id: `${at}-${label}-${question}`, label, decides: question }));
  await one.answer({ text: 'both', files: [], messageId: 'm1', buttons: [of('a', '1'), of('b', '1')] });
  await one.answer({ text: 'first', files: [], edits: 'm1', messageId: 'm1', buttons: [of('b', '1')] });
  await one.answer({ text: 'again', files: [], messageId: 'm2', buttons: [of('b', '2'), of('c', '2')] });
  one.enter('3');
  one.enter('1');
  expect(log.filter((line) => line.startsWith('answer'))).toEqual([
    'answer: both [1] Accept [2] Reject [3] Accept [4] Reject',
    'answer: first [3] Accept [4] Reject',
    'answer: again [3] Accept [4] Reject [5] Accept [6] Reject',
  ]);
  expect(log.filter((line) => /^(press|note)/.test(line))).toEqual([
    ...['pressed: Accept', 'press: 2-Accept-b', 'note: That is already decided, so 1 does nothing now.'],
  ]);
});

test('a line from a pipe, its end and "exit" wait until everything before is answered, or for the longest time', async () => {
  for (const rest of ['', 'exit\nnever\n']) {
    const log: string[] = [];
    const open: PromiseWithResolvers<void>[] = [];
    const settled = () => {
      open.push(Promise.withResolvers<void>());
      return open.at(-1)?.promise ?? Promise.resolve();
    };
    const [input, output] = [new PassThrough(), new PassThrough()];
    const face = new LinesFace({
      ...{ input, output: output as unknown as Output, look: lookOf({}, {}), messages: messagesIn('en') },
      ...{ isTyped: false, settled, maxWaitMs: 300 },
    });
    face.open({
      enter: async (text) => void log.push(text),
      leave: () => log.push('left'),
      ...{ interrupt: () => undefined, touched: () => undefined },
    });
    const bytes = Buffer.from(`Grüße 👩‍👩‍👧\n\n  \nzwei\n${rest}`);
    for (const byte of bytes) input.write(Buffer.of(byte));
    input.end();
    await expect.poll(() => open.length).toBe(1);
    const shown = { text: 'the first of two answers', isRest: false, files: [], buttons: [] };
    await face.answer(shown);
    expect(log).toEqual(['Grüße 👩‍👩‍👧']);
    open[0]?.resolve();
    await expect.poll(() => open.length).toBe(2);
    await face.answer(shown);
    expect(log).toEqual(['Grüße 👩‍👩‍👧', 'zwei']);
    await expect.poll(() => log.at(-1)).toBe('left');
    expect(log).toHaveLength(3);
    // A program gets each answer once and without a name, and no question again when it is decided.
    await face.answer({ ...shown, text: 'May I? Decided: yes', edits: 'm1' });
    expect(String(output.read())).toBe('the first of two answers\n'.repeat(2));
  }
});
