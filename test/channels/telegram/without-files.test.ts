/** Files that Telegram refuses take no words with them. */
import { describe, expect, it } from 'vitest';
import type { OutboundMessage } from '../../../src/channels/channel.ts';
import { DeliveryError } from '../../../src/errors.ts';
import { ALEX, answer, type Bench, createLedger, startBench, file as stored } from './harness.ts';

const GROUP = -100200;
const NOTICE = "I couldn't attach";
// A picture of one pixel.
const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

async function inGroup(
  platform: Parameters<typeof startBench>[1] = {},
): Promise<Bench & { send: (rest: Partial<OutboundMessage>) => Promise<unknown> }> {
  const bench = await startBench({}, platform);
  bench.telegram.addChat({ id: GROUP, type: 'supergroup', title: 'Team' }, { members: [ALEX] });
  bench.telegram.say(ALEX, 'hi');
  await bench.connect();
  await bench.eventually(() => bench.got.length > 0);
  const send = (rest: Partial<OutboundMessage>) =>
    bench.channel
      .send(answer(bench.channel, { chat: GROUP, ...rest }), createLedger())
      .catch((error: unknown) => error);
  return { ...bench, send };
}

const file = (name: string, content: string | Buffer, type = 'text/csv') => stored(name, content, type);
const bot = ({ telegram }: Bench) => telegram.chat(GROUP).messages.filter(({ from }) => from === 'bot');
const shown = (bench: Bench) => bot(bench).map(({ text, files }) => [text, ...files.map(({ name }) => name)].join(' '));

describe('in a group where members may send no files', () => {
  it('the caption comes as a message, as a reply, with its formatting, its buttons and a sentence', async () => {
    const bench = await inGroup();
    bench.telegram.withhold(GROUP, ['document', 'photo']);
    const question = bench.telegram.say(GROUP, 'a report?');
    await bench.send({
      text: 'Here **it** is',
      files: [await file('report.csv', 'a,b')],
      buttons: [[{ id: 'b1', label: 'Again' }]],
      replyTo: String(question.message_id),
    });
    expect(bot(bench)).toMatchObject([
      {
        text: "Here it is\n\nI couldn't attach report.csv here: this chat doesn't let me send files. Ask for it in a private chat with /get report.csv, or allow files in the permissions of this chat.",
        entities: [{ type: 'bold', offset: 5, length: 2 }, { type: 'bot_command' }],
        buttons: [[{ text: 'Again' }]],
        replyTo: question.message_id,
      },
    ]);
  });

  it('the status message becomes the answer, long words come whole and in order, one sentence names all files', async () => {
    const bench = await inGroup();
    bench.telegram.withhold(GROUP, ['document', 'photo']);
    await bench.send({ text: 'Working' });
    const placeholder = String(bot(bench)[0]?.id);
    const text = Array.from({ length: 800 }, (_, index) => `line ${index}`).join('\n');
    const files = [await file('a.csv', 'a'), await file('b.csv', 'b'), await file('c.png', PIXEL, 'image/png')];
    await bench.send({ text, files, placeholder });
    const texts = shown(bench);
    expect(texts.slice(0, -1).join('\n')).toBe(text);
    expect(String(bot(bench)[0]?.id)).toBe(placeholder);
    expect(texts.at(-1)).toContain(`${NOTICE} c.png, a.csv, b.csv here:`);
    expect(texts.at(-1)).toContain('/get all');
  });

  it('a picture goes as a file where only pictures are withheld', async () => {
    const bench = await inGroup();
    bench.telegram.withhold(GROUP, ['photo']);
    await bench.send({ text: 'Here', files: [await file('c.png', PIXEL, 'image/png')] });
    expect(shown(bench)).toEqual(['Here c.png']);
  });

  it('nothing but a file: the sentence alone', async () => {
    const bench = await inGroup();
    bench.telegram.withhold(GROUP, ['document']);
    await bench.send({ text: '', files: [await file('a.csv', 'a')] });
    expect(shown(bench)).toEqual([expect.stringContaining(`${NOTICE} a.csv`)]);
  });
});

describe('other refusals', () => {
  it.each([
    [400, 'Bad Request: CHAT_SEND_DOCS_FORBIDDEN', "doesn't let me send files"],
    [403, 'Forbidden: CHAT_SEND_MEDIA_FORBIDDEN', "doesn't let me send files"],
    [400, 'Bad Request: not enough rights to send documents to the chat', "doesn't let me send files"],
    [400, 'Bad Request: file is too big', 'more than Telegram accepts'],
    [413, 'Request Entity Too Large', 'more than Telegram accepts'],
    [400, 'Bad Request: file must be non-empty', "didn't accept it"],
    [400, 'Bad Request: wrong type of the web page content', "didn't accept it"],
  ])('%i %s', async (status, description, because) => {
    const bench = await inGroup();
    bench.telegram.fault({ method: 'sendDocument', kind: 'status', status, description });
    await bench.send({ text: 'Here', files: [await file('a.csv', 'a')] });
    expect(shown(bench)).toEqual([expect.stringMatching(new RegExp(`^Here\\n\\n${NOTICE} a\\.csv here.*${because}`))]);
  });

  it('of the chat are no fault of the file: the message is given up as it was', async () => {
    const bench = await inGroup();
    for (const [status, description] of [
      [400, 'Bad Request: chat not found'],
      [403, 'Forbidden: bot was kicked from the supergroup chat'],
    ] as const) {
      bench.telegram.fault({ method: 'sendDocument', kind: 'status', status, description });
      const error = await bench.send({ text: 'Here', files: [await file('a.csv', 'a')] });
      expect(error).toBeInstanceOf(DeliveryError);
    }
    expect(shown(bench)).toEqual([]);
  });

  it('one bad file of an album: the words, the others, and a sentence', async () => {
    const bench = await inGroup({ uploadLimit: 1000 });
    const files = [await file('a.csv', 'a'), await file('big.csv', 'b'.repeat(2000)), await file('c.csv', 'c')];
    await bench.send({ text: 'Here', files });
    expect(shown(bench)).toEqual(['Here', ' a.csv', ' c.csv', expect.stringContaining(`${NOTICE} big.csv here`)]);
  });
});
