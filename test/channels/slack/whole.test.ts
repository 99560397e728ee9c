/** All that a message says: its text, its blocks, its attachments, each told once; and what links show a moment later. */
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { InboundMessage } from '../../../src/channels/channel.ts';
import { isSignIn } from '../../../src/channels/slack/connect/sign-in-page.ts';
import { decodeBody, type Self } from '../../../src/channels/slack/decode/decode.ts';
import { tempFolder } from '../../helpers/temp.ts';
import { eventually, startBench } from './harness.ts';

const self: Self = {
  ...{ userId: 'U0BOT', botId: 'B0BOT', teamId: 'T01', commands: new Map(), command: '/viber' },
  languageOf: () => undefined,
  zoneOf: () => undefined,
  nameOf: (user) => ({ U1: 'Alex | Sales', U2: 'Sam' })[user],
};
const TS = '1718000000.000100';

function message(event: object): InboundMessage {
  const decoded = decodeBody({ event: { type: 'message', channel: 'D1', user: 'U1', ts: TS, ...event } }, self);
  if (decoded.kind !== 'message') throw new Error(JSON.stringify(decoded));
  return decoded.message;
}

const rich = (...elements: object[]) => ({ type: 'rich_text', elements });
const section = (...elements: object[]) => ({ type: 'rich_text_section', elements });
const text = (words: string, style?: object) => ({ type: 'text', text: words, ...(style && { style }) });
const plain = (words: string) => ({ type: 'plain_text', text: words });
const mrkdwn = (words: string) => ({ type: 'mrkdwn', text: words });
const raw = (words: string) => ({ type: 'raw_text', text: words });
const sales = {
  type: 'table',
  rows: [
    [raw('Region'), raw('Sales')],
    [raw('North'), raw('4711')],
  ],
};
const SALES = '| Region | Sales |\n| --- | --- |\n| North | 4711 |';

describe('the words of blocks', () => {
  test.each<[string, object, string]>(
    // biome-ignore format: a row is a line
    [
      ['a section', rich(section(text('look '), text('here', { bold: true }), text(' now '))), 'look *here* now'],
      ['marks', rich(section(text('a', { code: true }), text(' b ', { italic: true }), text('c', { strike: true }))), '`a` _b_ ~c~'],
      ['a list', rich({ type: 'rich_text_list', style: 'bullet', elements: [section(text('one')), section(text('two'))] }), '- one\n- two'],
      [
        'a list in a list',
        rich(
          { type: 'rich_text_list', style: 'ordered', offset: 2, elements: [section(text('c'))] },
          { type: 'rich_text_list', style: 'bullet', indent: 1, elements: [section(text('d'))] },
        ),
        '3. c\n    - d',
      ],
      ['a quote', rich({ type: 'rich_text_quote', elements: [text('x\ny < z')] }), '> x\n> y < z'],
      ['code in a language', rich({ type: 'rich_text_preformatted', language: 'python', elements: [text('print(1)')] }), '```python\nprint(1)\n```'],
      ['code in what is no language', rich({ type: 'rich_text_preformatted', language: 'a`\n<b', elements: [text('x')] }), '```\nx\n```'],
      ['code', rich({ type: 'rich_text_preformatted', elements: [text('```\n<@U1>')] }), '````\n```\n<@U1>\n````'],
      ['people', rich(section({ type: 'user', user_id: 'U2' }, text(', '), { type: 'usergroup', usergroup_id: 'S1' })), '@Sam, @group'],
      ['everybody', rich(section({ type: 'broadcast', range: 'here' }, text(' see '), { type: 'channel', channel_id: 'C2' })), '@here see #C2'],
      [
        'links',
        rich(section({ type: 'link', url: 'https://a.example/?a=1&b=2' }, text(' '), { type: 'link', url: 'https://b.example', text: 'b' })),
        'https://a.example/?a=1&b=2 [b](https://b.example)',
      ],
      ['emoji', rich(section({ type: 'emoji', name: 'wave', skin_tone: 2 })), ':wave::skin-tone-2:'],
      ['a date', rich(section({ type: 'date', timestamp: 1, format: '{date}', fallback: '1 January' })), '1 January'],
      ['a date without words', rich(section({ type: 'date', timestamp: 1 })), '1970-01-01T00:00:01.000Z'],
      ['a colour', rich(section({ type: 'color', value: '#F405B3' })), '#F405B3'],
      ['a header', { type: 'header', text: plain('Deploy & <go>') }, 'Deploy & <go>'],
      ['fields', { type: 'section', text: mrkdwn('*A* &amp; <https://a.example|b>'), fields: [plain('c'), mrkdwn('d')] }, '*A* & [b](https://a.example)\nc\nd'],
      ['an accessory', { type: 'section', text: plain('a'), accessory: { type: 'button', text: plain('Open'), url: 'https://a.example' } }, 'a\n[Open](https://a.example)'],
      ['a context', { type: 'context', elements: [{ type: 'image', alt_text: 'logo' }, mrkdwn('by ci')] }, '[image: logo] by ci'],
      ['Markdown', { type: 'markdown', text: '# Title\n**bold**' }, '# Title\n**bold**'],
      ['an image', { type: 'image', title: plain('Growth'), alt_text: 'a chart', image_url: 'https://a.example/x' }, '[image: Growth, a chart]'],
      ['a video', { type: 'video', title: plain('Demo'), description: plain('of it'), alt_text: 'Demo', title_url: 'https://a.example' }, '[video: Demo, of it] https://a.example'],
      ['a call', { type: 'call', call_id: 'R1', call: { v1: { name: 'Standup', join_url: 'https://a.example' } } }, '[call: Standup] https://a.example'],
      ['buttons', { type: 'actions', elements: [{ type: 'button', text: plain('Yes') }, { type: 'button', text: plain('No') }] }, '[Yes] [No]'],
      ['a form', { type: 'input', label: plain('Name'), element: { type: 'plain_text_input', placeholder: plain('yours') } }, 'Name\nyours'],
      ['a kind to come', { type: 'task_card', title: 'Build', details: rich(section(text('red'))), sources: [{ title: 'log' }] }, 'Build\nred\nlog'],
      ['a table', sales, SALES],
      [
        'a table of rich text',
        { type: 'table', rows: [[rich(section(text('a|b'))), rich(section({ type: 'user', user_id: 'U1' }))], [raw('1\n2')]] },
        '| a\\|b | @Alex \\| Sales |\n| --- | --- |\n| 1 2 |  |',
      ],
      ['numbers', { type: 'table', rows: [[raw('n')], [{ type: 'raw_number', value: 5 }]] }, '| n |\n| --- |\n| 5 |'],
    ],
  )('%s, in blocks alone, in an attachment, passed on, and from another app', (_name, block, words) => {
    expect(message({ text: '', blocks: [block] }).text).toBe(words);
    const held = { id: 1, fallback: '[no preview available]', blocks: [block] };
    expect(message({ text: 'x1', attachments: [held] }).text).toBe(`x1\n${words}`);
    expect(message({ text: '', bot_id: 'B9', attachments: [held] }).text).toBe(words);
    const passedOn = { is_share: true, fallback: 'no', message_blocks: [{ message: { blocks: [block] } }] };
    expect(message({ text: 'x1', attachments: [passedOn] })).toMatchObject({ text: 'x1', quotes: [{ text: words }] });
    const deep = { is_share: true, message_blocks: [{ message: { attachments: [held] } }] };
    expect(message({ text: 'x1', attachments: [deep] }).quotes).toMatchObject([{ text: words }]);
    const linked = { is_msg_unfurl: true, from_url: 'https://a.example', text: 'x2', blocks: [block] };
    expect(message({ text: 'x1', attachments: [linked] }).quotes).toMatchObject([{ text: `x2\n${words}` }]);
  });

  test('a message passed on that passes on another tells both, with the files of each', () => {
    const share = (n: number, inner: object[] = []) => ({
      ...{ is_share: true, author_id: `U${n}`, text: `words ${n}` },
      files: [{ id: `F00${n}`, name: `${n}.pdf`, mimetype: 'application/pdf' }],
      message_blocks: [
        {
          message: {
            blocks: [rich(section(text(`words ${n}`)))],
            files: [{ id: `F10${n}`, name: `${n}.png`, mimetype: 'image/png' }],
            attachments: inner,
          },
        },
      ],
    });
    const { quotes, files } = message({ text: 'see', attachments: [share(1, [share(2, [share(3)])])] });
    expect(files).toEqual([]);
    expect(quotes.map((quote) => [quote.from, quote.text, quote.files?.map(({ key }) => key)])).toEqual([
      ['Alex | Sales', 'words 1\n[document 1.pdf]\n[photo 1.png]', ['F001', 'F101']],
      ['Sam', 'words 2\n[document 2.pdf]\n[photo 2.png]', ['F002', 'F102']],
      ['U3', 'words 3\n[document 3.pdf]\n[photo 3.png]', ['F003', 'F103']],
    ]);
    let nested: object[] = [];
    for (let n = 0; n < 1000; n++) nested = [share(1, nested)];
    expect(message({ text: 'x', attachments: nested }).quotes).toHaveLength(5);
  });

  test.each<[string, string, object[], string]>(
    // biome-ignore format: a row is a line
    [
      [
        'what people type',
        'see *this* &amp; <@U2|sam>',
        [rich(section(text('see '), text('this', { bold: true }), text(' & '), { type: 'user', user_id: 'U2' }))],
        'see *this* & @Sam',
      ],
      [
        'a list as Slack writes it',
        '• one\n    a. two :tada:',
        [
          rich(
            { type: 'rich_text_list', style: 'bullet', elements: [section(text('one'))] },
            { type: 'rich_text_list', style: 'ordered', indent: 1, elements: [section(text('two '), { type: 'emoji', name: 'tada' })] },
          ),
        ],
        '• one\n    a. two :tada:',
      ],
      ['emoji alone', ':tada:', [rich(section({ type: 'emoji', name: 'tada' }))], ':tada:'],
      ['a table below', 'which is best?', [rich(section(text('which is best?'))), sales], `which is best?\n${SALES}`],
      ['a table in between', 'first\nlast', [rich(section(text('first'))), sales, rich(section(text('last')))], `first\nlast\n${SALES}`],
      ['a short form of the blocks', 'Build failed', [{ type: 'header', text: plain('Build failed') }, { type: 'section', text: mrkdwn('on main') }], 'Build failed\non main'],
      ['other words than the blocks', 'You have news', [{ type: 'section', text: mrkdwn('disk full') }], 'You have news\ndisk full'],
      ['a part of a word', 'nothing', [{ type: 'section', text: mrkdwn('no') }], 'nothing\nno'],
    ],
  )('%s: told once', (_name, said, blocks, words) => {
    expect(message({ text: said, blocks }).text).toBe(words);
  });

  test('a mention in blocks alone, or in a cell, is one; a preview of anybody’s page is nothing', () => {
    const mention = { type: 'user', user_id: 'U0BOT' };
    const found = message({ channel: 'C1', text: '', blocks: [rich(section(mention, text(' do it')))] });
    expect(found).toMatchObject({ text: 'do it', isMention: true });
    const table = { type: 'table', rows: [[rich(section(mention))]] };
    expect(message({ channel: 'C1', text: 'x', blocks: [table] }).isMention).toBe(true);
    const page = { from_url: 'https://a.example', blocks: [{ type: 'section', text: mrkdwn('<@U0BOT> hi') }] };
    const card = { is_app_unfurl: true, app_unfurl_url: 'https://a.example', text: 'hi' };
    expect(message({ channel: 'C1', text: 'x', attachments: [page, card] })).toMatchObject({
      text: 'x',
      isMention: false,
    });
  });

  test('what another app writes in fields comes along', () => {
    const fields = [{ title: 'Host', value: 'db-3', short: true }];
    const alert = { pretext: 'Alert', title: 'Disk', text: 'full', fields, fallback: 'Alert: disk' };
    expect(message({ bot_id: 'B9', text: 'Firing', attachments: [alert] }).text).toBe(
      'Firing\nAlert\nDisk\nfull\nHost: db-3',
    );
  });

  test('an edit of blocks alone is an edit; a block with a new id is none', () => {
    const edit = (now: object, before: object) =>
      decodeBody(
        {
          event: {
            ...{ type: 'message', subtype: 'message_changed', channel: 'C1', ts: '1718000009.000200' },
            message: { user: 'U1', ts: TS, text: 'x', edited: { user: 'U1', ts: '1718000009.000000' }, ...now },
            previous_message: { user: 'U1', ts: TS, text: 'x', ...before },
          },
        },
        self,
      );
    const other = {
      type: 'table',
      rows: [
        [raw('Region'), raw('Sales')],
        [raw('North'), raw('42')],
      ],
    };
    for (const at of ['blocks', 'attachments']) {
      const inside = (block: object) => ({ [at]: at === 'blocks' ? [block] : [{ blocks: [block] }] });
      expect(edit(inside(other), inside(sales))).toMatchObject({
        message: { kind: 'edit', text: 'x\n| Region | Sales |\n| --- | --- |\n| North | 42 |' },
      });
      expect(edit(inside({ ...sales, block_id: 'b' }), inside(sales))).toMatchObject({ kind: 'dropped' });
    }
  });

  test.each([
    ['-5 degrees', '5 degrees'],
    ['5 < 3', '5 > 3'],
    ['is it done?', 'is it done!'],
    ['cost: €40', 'cost: $40'],
    ['a != b', 'a = b'],
  ])('an edit of a sign in blocks alone is an edit: %s was %s', (now, was) => {
    for (const fallback of [was, now].map((said) => said.replaceAll('<', '&lt;').replaceAll('>', '&gt;'))) {
      const said = (words: string) => ({ user: 'U1', ts: TS, text: fallback, blocks: [rich(section(text(words)))] });
      const edited = { user: 'U1', ts: '1718000009.000000' };
      const change = { message: { ...said(now), edited }, previous_message: said(was) };
      const event = { type: 'message', subtype: 'message_changed', channel: 'C1', ts: '1718000009.000200', ...change };
      expect(decodeBody({ event }, self)).toMatchObject({ message: { kind: 'edit', text: now } });
    }
  });

  test.each<[string, string, object[], string]>(
    // biome-ignore format: a row is a line
    [
      [
        'the language of code',
        'see ```print(1)``` in <#C5|ops>',
        [
          rich(
            section(text('see ')),
            { type: 'rich_text_preformatted', language: 'python', elements: [text('print(1)')] },
            section(text(' in '), { type: 'channel', channel_id: 'C5' }),
          ),
        ],
        'see \n```python\nprint(1)\n```\n in #ops',
      ],
      ['a list', '• one\n• two', [rich({ type: 'rich_text_list', style: 'bullet', elements: [section(text('one')), section(text('two'))] })], '• one\n• two'],
      ['a quote', '&gt; so be it\nyes', [rich({ type: 'rich_text_quote', elements: [text('so be it')] }, section(text('yes')))], '> so be it\nyes'],
      ['a link', 'at <https://a.example/?q=1&amp;r=2>', [rich(section(text('at '), { type: 'link', url: 'https://a.example/?q=1&r=2' }))], 'at https://a.example/?q=1&r=2'],
    ],
  )('what people write is told once, with %s', (_what, said, blocks, told) => {
    expect(message({ text: said, blocks }).text).toBe(told);
  });

  test('what is nested without end, or larger than Slack allows, costs a bounded time and a bounded text', () => {
    let nested: object = section(text('deep'));
    for (let n = 0; n < 2000; n++) nested = { type: 'rich_text_quote', elements: Array(3).fill(nested) };
    const rows = Array(3000).fill(Array(300).fill(raw('cell')));
    const long = rich(section(text('<'.repeat(200_000))));
    for (const block of [nested, { type: 'table', rows }, long]) {
      const got = message({ text: 'x', blocks: [block, block, sales] });
      expect(got.text.length).toBeLessThan(1_000_000);
    }
  });

  test('nothing that JSON can hold breaks it', () => {
    const keys = fc.constantFrom(
      // biome-ignore format: a list is filled
      ...[
        'type', 'text', 'elements', 'rows', 'fields', 'accessory', 'title', 'url', 'style', 'indent', 'offset', 'value',
      ],
      ...['user_id', 'blocks', 'attachments', 'message', 'message_blocks', 'is_share', 'is_msg_unfurl', 'timestamp'],
    );
    const words = fc.constantFrom(
      // biome-ignore format: a list is filled
      ...[
        'rich_text', 'rich_text_section', 'rich_text_list', 'table', 'text', 'link', 'date', 'emoji', 'section',
        'mrkdwn',
      ],
      ...['image', 'video', 'actions', 'button', 'ordered', 'raw_number', '<@U0BOT>', '|', '\n', 'U1'],
    );
    const { tree } = fc.letrec((tie) => ({
      tree: fc.oneof(
        { maxDepth: 6 },
        words,
        fc.jsonValue({ maxDepth: 1 }),
        tie('object'),
        fc.array(tie('tree'), { maxLength: 3 }),
      ),
      object: fc.dictionary(keys, tie('tree'), { maxKeys: 6 }),
    }));
    fc.assert(
      fc.property(fc.array(tree, { maxLength: 3 }), fc.array(tree, { maxLength: 3 }), (blocks, attachments) => {
        const decoded = decodeBody(
          { event: { type: 'message', channel: 'D1', user: 'U1', ts: TS, text: 'x', blocks, attachments } },
          self,
        );
        expect(decoded).toMatchObject({ kind: 'message', message: { text: expect.any(String) } });
      }),
      { numRuns: 500 },
    );
  });
});

describe('a link to another message', () => {
  const LINK = 'https://acme.slack.com/archives/C0RANDOM01/p1700000000000100';
  const OTHER = 'https://acme.slack.com/archives/C0RANDOM01/p1700000000000200';
  const shows = (from_url: string, words: string) => ({
    ...{ is_msg_unfurl: true, from_url, author_name: 'Monitor', text: words, fallback: words },
  });

  test('its words come a moment later and are part of the message; what is said meanwhile comes after it', async () => {
    const { slack, got, connect } = await startBench({ timing: { previewMs: 60_000 } });
    await connect();
    const dm = slack.dmChannel('U0ALEX000');
    const said = slack.say(dm, `what is this about? <${LINK}>`);
    slack.say(dm, 'and who wrote it?');
    await eventually(() => slack.counters().deliveries.pending === 2);
    slack.unfurl(dm, said.ts, [shows(LINK, 'latency is high')]);
    await slack.settled();
    expect(got.map(({ message: { id, text, quotes } }) => [id, text, quotes.map((quote) => quote.text)])).toEqual([
      [`m:${said.ts}`, `what is this about? ${LINK}`, ['latency is high']],
      [expect.any(String), 'and who wrote it?', []],
    ]);
  });

  test('of two links both are waited for, and nothing is acknowledged before that is stored', async () => {
    const { slack, got, connect } = await startBench({ timing: { previewMs: 60_000 } });
    await connect();
    const dm = slack.dmChannel('U0ALEX000');
    const said = slack.say(dm, `compare <${LINK}> and <${OTHER}>`);
    slack.unfurl(dm, said.ts, [shows(LINK, 'one')]);
    await eventually(() => slack.counters().deliveries.pending === 2);
    expect(got).toEqual([]);
    expect(slack.counters().deliveries.acknowledged).toBe(0);
    slack.unfurl(dm, said.ts, [shows(OTHER, 'two')]);
    await slack.settled();
    expect(got.map(({ message }) => message.quotes.map((quote) => quote.text))).toEqual([['one', 'two']]);
  });

  test('a link that shows nothing costs a moment, and what it shows later follows as words behind it', async () => {
    const { slack, got, connect } = await startBench({ timing: { previewMs: 20 } });
    await connect();
    const dm = slack.dmChannel('U0ALEX000');
    const said = slack.say(dm, `what is this? <${LINK}>`);
    await slack.settled();
    expect(got).toMatchObject([{ message: { id: `m:${said.ts}`, quotes: [] } }]);
    slack.unfurl(dm, said.ts, [shows(LINK, 'late')]);
    await slack.settled();
    slack.redeliver();
    await slack.settled();
    expect(got.slice(1)).toMatchObject([
      { message: { id: `p:${said.ts}:1`, kind: 'message', text: '', quotes: [{ kind: 'quote', text: 'late' }] } },
    ]);
  });

  test('a change that overtakes its message brings it whole', async () => {
    const { slack, got, storing, connect } = await startBench({ timing: { previewMs: 20 } });
    await connect();
    const known = new Set<string>();
    storing(async ({ id }) => {
      const isKnown = known.has(id);
      known.add(id);
      return isKnown ? 'duplicate' : 'accepted';
    });
    const dm = slack.dmChannel('U0ALEX000');
    slack.reverseNext(2);
    const said = slack.say(dm, `what is this? <${LINK}>`);
    slack.unfurl(dm, said.ts, [shows(LINK, 'early')]);
    await slack.settled();
    expect(got[0]).toMatchObject({ message: { id: `m:${said.ts}`, quotes: [{ text: 'early' }] } });
    expect(known).toEqual(new Set([`m:${said.ts}`]));
  });

  test('words of a channel that are not for us wait for nothing', async () => {
    const { slack, got, connect } = await startBench({ timing: { previewMs: 60_000 } });
    await connect();
    slack.say(slack.general, `see <${LINK}>`);
    await slack.settled();
    expect(got).toHaveLength(1);
    slack.say(slack.general, `<${LINK}>`, { mention: true });
    await eventually(() => slack.counters().deliveries.pending === 2);
    expect(got).toHaveLength(1);
  });
});

describe('documents that Slack serves as pages', () => {
  const CANVAS = '<!DOCTYPE html><html><body><h1>Launch</h1><p>on the fourth of May</p></body></html>';
  const fetched = async (page: string, extra: Record<string, unknown> = {}) => {
    const bench = await startBench();
    await bench.connect();
    const file = { name: 'Launch_plan', mimeType: 'application/vnd.slack-docs', bytes: Buffer.from(page), extra };
    bench.slack.shareFile(bench.slack.dmChannel('U0ALEX000'), [file], { text: 'when do we launch?' });
    await bench.slack.settled();
    const [remote] = bench.got[0]?.message.files ?? [];
    if (!remote || !bench.channel.download) throw new Error('no file came');
    const path = join(tempFolder(), 'file');
    return { bench, path, get: () => bench.channel.download?.(remote, path, 1_000_000, new AbortController().signal) };
  };

  test.each([
    { mode: 'quip', filetype: 'quip', pretty_type: 'Canvas' },
    { mode: 'canvas' },
    { mode: 'docs', filetype: 'docs' },
    {},
  ])('a canvas as %j is a page with its words', async (extra) => {
    const { get } = await fetched(CANVAS, extra);
    expect(await get()).toMatchObject({ name: 'Launch_plan', mimeType: 'text/html', size: CANVAS.length });
  });

  test('a page to sign in on is told apart, whatever was to come in its place', async () => {
    const { bench, get } = await fetched(CANVAS, { mode: 'quip' });
    bench.slack.setScopes(['chat:write']);
    await expect(get()).rejects.toThrow(/files:read/);
  });

  test.each([
    ['<html><head><title>Sign in | Slack</title></head></html>', true],
    ['<html><head><title>Login - Acme</title></head></html>', true],
    ['<html><body><form method="post" action="https://acme.slack.com/sign-in">', true],
    ['<div data-qa="signin_form">', true],
    ['<div id="props_node" data-props="{&quot;shouldRedirect&quot;:true}">', true],
    ['<html><body><h1>Sign in to Acme</h1></body></html>', true],
    ['<html><head><title>Sign-in flow</title></head><body>How people sign in to our shop</body></html>', false],
    ['<div class="quip-canvas-content"><h1>Log in</h1></div>', false],
    ['<h1>Launch</h1><p>Sign in to the console, then press the button.</p>', false],
    [`${'<'.repeat(65_536)}`, false],
  ])('%s', (page, isOne) => {
    expect(isSignIn(page)).toBe(isOne);
  });
});
