/** On Slack a message is more than its text: what stands in tables, blocks, canvases and behind links reaches the model. */
import { expect, it } from 'vitest';
import { slackPlatform } from '../platforms/slack.ts';
import { openPlatforms } from '../platforms/world.ts';

const raw = (words: string) => ({ type: 'raw_text', text: words });
const TABLE = {
  type: 'table',
  rows: [
    [raw('Region'), raw('Sales')],
    [raw('North'), raw('4711')],
  ],
};
const LINK = 'https://acme.slack.com/archives/C0RANDOM01/p1700000000000100';

async function open() {
  const slack = await slackPlatform();
  const world = await openPlatforms({ given: { slack }, on: ['slack'], channel: { live: 'off' } });
  const { emulator } = slack;
  const dm = slack.dm('alex').chat;
  const answered = (text: string) => emulator.wait({ channel: dm, from: 'bot', text });
  return { world, emulator, dm, answered };
}

it('a table, in blocks or in an attachment, is Markdown for the model, and an edit of it alone is told', async () => {
  const { world, emulator, dm, answered } = await open();
  world.llm.script((request) => ({ text: `best: ${/\| North \| (\d+) \|/.exec(request.lastUser)?.[1]}` }));
  const said = emulator.say(dm, 'which region is best?', {
    attachments: [{ id: 1, fallback: '[no preview available]', blocks: [TABLE] }],
  });
  await answered('best: 4711');
  const changed = {
    ...TABLE,
    rows: [
      [raw('Region'), raw('Sales')],
      [raw('North'), raw('12')],
    ],
  };
  emulator.edit(dm, said.ts, 'which region is best?', { attachments: [{ id: 1, blocks: [changed] }] });
  await answered('best: 12');
  emulator.say(dm, '', { blocks: [{ ...TABLE, rows: [[raw('North'), raw('8822')]] }] });
  await answered('best: 8822');
});

it('a canvas is read', async () => {
  const { world, emulator, dm, answered } = await open();
  world.llm.script((request) => ({ text: `on: ${/fourth of May/.exec(request.lastUser)?.[0]}` }));
  const page = '<!DOCTYPE html><html><body><h1>Launch</h1><p>on the fourth of May</p></body></html>';
  const extra = { mode: 'quip', filetype: 'quip', pretty_type: 'Canvas' };
  const canvas = { name: 'Launch_plan', mimeType: 'application/vnd.slack-docs', bytes: Buffer.from(page), extra };
  emulator.shareFile(dm, [canvas], { text: 'when do we launch?' });
  await answered('on: fourth of May');
});

it('what a link shows a moment later is part of the message', async () => {
  const { world, emulator, dm, answered } = await open();
  world.llm.script((request) => ({ text: `it says: ${/latency is high/.exec(request.lastUser)?.[0]}` }));
  const said = emulator.say(dm, `what is this about? <${LINK}>`);
  emulator.unfurl(dm, said.ts, [
    {
      is_msg_unfurl: true,
      from_url: LINK,
      author_name: 'Monitor',
      text: 'latency is high',
      fallback: 'latency is high',
    },
  ]);
  await answered('it says: latency is high');
  expect(world.llm.requests()).toHaveLength(1);
});
