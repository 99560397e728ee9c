/** Files that Discord refuses take no words with them. */
import { describe, expect, it } from 'vitest';
import { answer, type Bench, createLedger, file, startBench } from './harness.ts';

async function talking(platform: Parameters<typeof startBench>[1] = {}): Promise<Bench> {
  const bench = await startBench({}, platform);
  await bench.connect();
  await bench.discord.connected();
  return bench;
}

const ours = ({ discord }: Bench) =>
  discord.channel(discord.rooms.general).messages.filter(({ from }) => from === 'bot');
const shown = (bench: Bench) =>
  ours(bench).map(({ text, files }) => [text, ...files.map(({ name }) => name)].join(' '));

describe('where the bot may attach no files', () => {
  it('the words come with their buttons, as a reply, and a sentence names the permission', async () => {
    const bench = await talking();
    const question = bench.discord.say(bench.discord.rooms.general, 'a report?');
    bench.discord.deny(bench.discord.rooms.general, ['AttachFiles']);
    await bench.channel.send(
      answer(bench, {
        text: 'Here **it** is',
        files: [await file('report.csv', 'a'), await file('b.csv', 'b')],
        buttons: [[{ id: 'b1', label: 'Again' }]],
        replyTo: question.id,
      }),
      createLedger(),
    );
    expect(ours(bench)).toMatchObject([
      {
        text: 'Here **it** is\n\nI couldn\'t attach `report.csv`, `b.csv` here: I lack the permission "Attach Files" in this channel. Ask for them in a direct message with `/viber get all`, or give my role that permission here.',
        buttons: [[{ label: 'Again' }]],
        replyTo: question.id,
      },
    ]);
  });

  it('long words lose nothing, and take the place of the status message', async () => {
    const bench = await talking();
    const ledger = createLedger();
    await bench.channel.send(answer(bench, { id: 'o0', text: 'Working' }), createLedger('o0'));
    bench.discord.deny(bench.discord.rooms.general, ['AttachFiles']);
    const text = Array.from({ length: 398 }, (_, index) => `l ${index}`.padEnd(9, '.')).join('\n');
    const placeholder = ours(bench)[0]?.id ?? '';
    const message = answer(bench, { text, files: [await file('a.csv', 'a')], placeholder });
    await bench.channel.send(message, ledger);
    await bench.channel.send(message, ledger);
    const texts = shown(bench);
    const all = texts.join('\n');
    for (const line of text.split('\n')) expect(all.split(line)).toHaveLength(2);
    expect(ours(bench)[0]?.id).toBe(placeholder);
    expect(texts.at(-1)).toContain("couldn't attach `a.csv`");
  });
});

it('one bad file of several: the words, the others, and a sentence', async () => {
  const bench = await talking({ uploadLimit: 1000 });
  const files = [await file('a.csv', 'a'), await file('big.csv', 'b'.repeat(2000)), await file('c.csv', 'c')];
  await bench.channel.send(answer(bench, { text: 'Here', files }), createLedger());
  expect(shown(bench)).toEqual([
    'Here',
    ' a.csv',
    ' c.csv',
    expect.stringMatching(/couldn't attach `big\.csv` here: this is more/),
  ]);
});

it('no right to write at all is what it was: the message is given up, with the permission named', async () => {
  const bench = await talking();
  bench.discord.deny(bench.discord.rooms.general, ['SendMessages', 'AttachFiles']);
  const sent = bench.channel.send(answer(bench, { files: [await file('a.csv', 'a')] }), createLedger());
  await expect(sent).rejects.toMatchObject({
    retryAfterMs: undefined,
    message: expect.stringContaining('Send Messages'),
  });
});
