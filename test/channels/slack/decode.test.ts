/** Bodies of events as Slack documents them, and what they become. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { InboundMessage } from '../../../src/channels/channel.ts';
import { commandOf } from '../../../src/channels/shared/written-command.ts';
import { decodeBody, type Self } from '../../../src/channels/slack/decode/decode.ts';
import { readWords } from '../../../src/channels/slack/decode/text.ts';

const self: Self = {
  userId: 'U0BOT',
  botId: 'B0BOT',
  teamId: 'T01',
  commands: new Map(
    [
      { name: 'help' },
      { name: 'stop' },
      { name: 'new', argument: { name: 'goal', description: 'a goal' } },
      { name: 'status', argument: { name: 'task', description: 'a task', pattern: '^\\S*\\d\\S*$' } },
      { name: 'open', argument: { name: 'task', description: 'a task', pattern: '^\\S+$' } },
    ].map((command) => [command.name, { description: '', ...command }]),
  ),
  command: '/viber',
  languageOf: (user) => ({ U1: 'de-DE' })[user],
  zoneOf: () => undefined,
  nameOf: (user) => ({ U1: 'Alex', U2: 'Sam' })[user],
};
const TS = '1718000000.000100';

function message(event: object): InboundMessage {
  const decoded = decodeBody(
    { type: 'event_callback', event: { type: 'message', channel: 'C1', user: 'U1', ts: TS, ...event } },
    self,
  );
  if (decoded.kind !== 'message') throw new Error(JSON.stringify(decoded));
  return decoded.message;
}

const dropped = (body: unknown) => {
  const decoded = decodeBody(body, self);
  return decoded.kind === 'dropped' ? decoded.reason : decoded;
};

describe('words', () => {
  test.each([
    ['help', 'help', ''],
    ['help me write a letter', 'help', 'me write a letter'],
    ['status', 'status', ''],
    ['status 20261121-abcd', 'status', '20261121-abcd'],
    ['status quo of the project', 'status', 'quo of the project'],
    ['status please', 'status', 'please'],
    ['task plan a trip', 'task', 'plan a trip'],
    ['tasklist for May', undefined, ''],
    ['write a plan', undefined, ''],
    ['open abcde', 'open', 'abcde'],
    ['open the door', 'open', 'the door'],
    ['NEW plan a trip', 'new', 'plan a trip'],
  ])('"%s" is the command %s with "%s", else a goal', (text, name, args) => {
    expect(commandOf(text, self.commands)).toEqual(name === undefined ? undefined : { name, args });
  });

  test.each([
    ['<@U0BOT> do it', 'do it', true],
    ['  <@U0BOT|viber>: do it', 'do it', true],
    ['ask <@U0BOT> and <@U1> and <@U9|nine> and <@U8>', 'ask @U0BOT and @Alex and @nine and @U8', true],
    ['see <#C1|general> and <#C2> and <#C3|>', 'see #general and #C2 and #C3', false],
    ['<https://a.example/x?a=1&amp;b=2>', 'https://a.example/x?a=1&b=2', false],
    [
      '<https://a.example|here> <http://b.example|b.example> <mailto:x@y.example|x@y.example>',
      '[here](https://a.example) b.example x@y.example',
      false,
    ],
    [
      '<!here> <!channel|channel> <!subteam^S1|@team> <!subteam^S1> <!date^1^{date}|today>',
      '@here channel @team @group today',
      false,
    ],
    ['a &lt;b&gt; &amp;amp; c &lt;@U0BOT&gt;', 'a <b> &amp; c <@U0BOT>', false],
    ['<not markup> < > <>', '<not markup> < > <>', false],
  ])('%s', (source, text, mentioned) => {
    expect(readWords(source, self)).toMatchObject({ text, mentioned });
  });

  test.each([
    ['/stop', { name: 'stop', args: '' }],
    ['/viber open t-1 ', { name: 'open', args: 't-1' }],
    ['<@U0BOT> /Status', { name: 'status', args: '' }],
    ['/unknown thing', undefined],
    ['stop', undefined],
    ['see /stop', undefined],
  ])('%s is the command %j', (source, command) => {
    expect(readWords(source, self).command).toEqual(command);
  });
});

describe('messages', () => {
  test('at the top of a channel: a mention begins a thread, other words do not', () => {
    expect(message({ text: '<@U0BOT> hi' })).toMatchObject({
      address: { thread: TS },
      isThread: true,
      isMention: true,
    });
    const plain = message({ text: 'hi' });
    expect(plain.address).toEqual({ channel: 'slack', account: 'U0BOT', workspace: 'T01', chat: 'C1' });
    expect(plain.isThread).toBeUndefined();
  });

  test('in a thread: its address, with or without a mention, and broadcast to the channel as well', () => {
    const root = '1717000000.000001';
    for (const event of [{}, { subtype: 'thread_broadcast' }, { subtype: 'file_share' }])
      expect(message({ text: 'more', thread_ts: root, ...event })).toMatchObject({
        address: { thread: root },
        isThread: true,
        isMention: false,
      });
  });

  test('the first message of a thread is the same from history, where it names itself as its thread', () => {
    const live = message({ text: '<@U0BOT> hi' });
    expect(message({ text: '<@U0BOT> hi', thread_ts: TS, reply_count: 2 })).toEqual(live);
    const dm = message({ channel: 'D1', text: 'hi', thread_ts: TS });
    expect(dm.address.thread).toBeUndefined();
  });

  test('direct messages: no thread at the top, the assistant’s thread where there is one', () => {
    expect(message({ channel: 'D1', channel_type: 'im', text: 'hi' })).toMatchObject({
      isDirect: true,
      isMention: false,
    });
    const inPane = message({ channel: 'D1', text: 'hi', thread_ts: '1717000000.000001' });
    expect(inPane).toMatchObject({ isDirect: true, isThread: true, address: { thread: '1717000000.000001' } });
  });

  test('a group’s direct messages are a group’s', () => {
    expect(message({ channel: 'G1', channel_type: 'mpim', text: '<@U0BOT> hi' })).toMatchObject({
      isDirect: false,
      isThread: true,
    });
  });

  test('of a mention’s two events both give the same', () => {
    const mention = { text: '<@U0BOT> hi', team: 'T01', event_ts: TS };
    const second = decodeBody({ event: { type: 'app_mention', channel: 'C1', user: 'U1', ts: TS, ...mention } }, self);
    expect(second).toEqual({ kind: 'message', message: message({ ...mention, channel_type: 'channel' }) });
  });

  test('files, and what has no bytes', () => {
    const files = [
      {
        id: 'F1',
        name: '../../etc/x.png',
        mimetype: 'image/png',
        size: 12,
        url_private_download: 'https://files.slack.com/x',
      },
      {
        id: 'F2',
        name: 'v.m4a',
        mimetype: 'audio/mp4',
        subtype: 'slack_audio',
        size: 3,
        url_private: 'https://files.slack.com/v',
      },
      { id: 'F3', mode: 'external', title: 'Doc', external_url: 'https://docs.example/1' },
      { id: 'F4', mode: 'tombstone', name: 'old' },
      { id: 'F5', file_access: 'check_file_info' },
      { name: 'no id' },
    ];
    const got = message({ text: '', subtype: 'file_share', files });
    expect(got.files).toEqual([
      { key: 'F1', id: 'F1 https://files.slack.com/x', name: 'x.png', mimeType: 'image/png', size: 12, kind: 'photo' },
      { key: 'F2', id: 'F2 https://files.slack.com/v', name: 'v.m4a', mimeType: 'audio/mp4', size: 3, kind: 'voice' },
      { key: 'F5', id: 'F5', name: 'file', mimeType: 'application/octet-stream', kind: 'document' },
    ]);
    expect(got.facts).toEqual(['Linked document: Doc, https://docs.example/1', 'A file that was deleted: old']);
  });

  test('passed on and linked messages are quotes; previews of pages are nothing', () => {
    const attachments = [
      { is_share: true, author_id: 'U2', text: 'ignore <@U0BOT> /stop' },
      { is_msg_unfurl: true, author_id: 'U0BOT', author_name: 'viber', text: 'mine' },
      { title: 'A page', text: 'preview', from_url: 'https://a.example' },
    ];
    const got = message({ text: 'look', attachments });
    expect(got.quotes).toEqual([
      { kind: 'forward', from: 'Sam', text: 'ignore @U0BOT /stop', fromSelf: false },
      { kind: 'quote', from: 'viber', text: 'mine', fromSelf: true },
    ]);
    expect(got).toMatchObject({ text: 'look', isMention: false });
    expect(got.command).toBeUndefined();
  });

  test('files of what is passed on belong to it; those whose words change have no lasting key', () => {
    const files = [
      { id: 'F1', mode: 'hosted', name: 'x.pdf' },
      { id: 'F2', mode: 'canvas', name: 'notes' },
      { id: 'F3', mode: 'tombstone', name: 'old' },
    ];
    const got = message({ text: 'look', attachments: [{ is_share: true, author_name: 'Sam', files }] });
    expect(got.files).toEqual([]);
    expect(got.quotes[0]).toMatchObject({ from: 'Sam', files: [{ id: 'F1', key: 'F1' }, { id: 'F2' }] });
    expect(got.quotes[0]?.files).toHaveLength(2);
    expect(got.quotes[0]?.files?.[1]).not.toHaveProperty('key');
  });

  test('what an app has written in blocks is quoted, and of blocks without end a part', () => {
    const section = { type: 'section', text: { type: 'mrkdwn', text: '*Disk full* on <#C1|ops> &amp; more' } };
    const facts = { type: 'section', fields: [{ type: 'plain_text', text: 'a < b' }] };
    const elements = [
      { type: 'text', text: 'ask <@U1> ' },
      { type: 'user', user_id: 'U2' },
      { type: 'link', url: 'https://a.example', text: ' here' },
    ];
    const rich = { type: 'rich_text', elements: [{ type: 'rich_text_section', elements }] };
    const table = {
      type: 'table',
      rows: [
        [
          { type: 'raw_text', text: 'db-3' },
          { type: 'raw_text', text: '98 %' },
        ],
      ],
    };
    const blocks = [{ type: 'header', text: { type: 'plain_text', text: 'Firing' } }, section, facts, rich, table];
    const share = { is_share: true, author_subname: 'Grafana', text: '', fallback: '[no preview available]' };
    const passedOn = (all: object[]) => ({ ...share, message_blocks: [{ message: { blocks: all } }] });
    expect(message({ text: 'what is this?', attachments: [passedOn(blocks)] }).quotes).toEqual([
      {
        ...{ kind: 'forward', from: 'Grafana', fromSelf: false },
        text: 'Firing\n*Disk full* on #ops & more\na < b\nask <@U1> @Sam[ here](https://a.example)\n| db-3 | 98 % |\n| --- | --- |',
      },
    ]);
    expect(message({ text: 'x', attachments: [passedOn([]), { ...share, fallback: 'Kim: hi' }] }).quotes).toMatchObject(
      [{ text: 'Kim: hi' }],
    );
    let nested: object = section;
    for (let n = 0; n < 1000; n++) nested = { type: 'rich_text', elements: Array(3).fill(nested) };
    expect(message({ text: 'x', attachments: [passedOn([section, nested])] }).quotes).toHaveLength(1);
  });

  test('other apps are bots; their old attachments are their words', () => {
    expect(
      message({ user: undefined, subtype: 'bot_message', bot_id: 'B9', username: 'ci', text: 'built' }),
    ).toMatchObject({
      sender: { user: 'B9', name: 'ci', isBot: true },
    });
    const alert = message({ bot_id: 'B9', text: '', attachments: [{ title: 'Alert', text: 'disk full' }] });
    expect(alert).toMatchObject({ text: 'Alert\ndisk full', sender: { isBot: true } });
  });

  test('an edit', () => {
    const edited = { user: 'U1', ts: '1718000009.000000' };
    const event = (now: object, before: object) => ({
      event: {
        ...{ type: 'message', subtype: 'message_changed', channel: 'C1', ts: '1718000009.000200' },
        message: { user: 'U1', ts: TS, edited, ...now },
        previous_message: { user: 'U1', ts: TS, ...before },
      },
    });
    expect(decodeBody(event({ text: 'hello' }, { text: '<@U0BOT> helo' }), self)).toMatchObject({
      message: {
        ...{ id: `e:${TS}:1718000009.000000`, kind: 'edit', editOf: `m:${TS}`, text: 'hello', isMention: false },
        ...{ messageId: TS, address: { thread: TS }, sentAt: 1718000009000 },
      },
    });
    expect(decodeBody(event({ text: '/stop' }, { text: 'no' }), self)).not.toMatchObject({
      message: { command: expect.anything() },
    });
    expect(dropped(event({ text: 'same' }, { text: 'same' }))).toBe('message_changed.unchanged');
    expect(dropped(event({ text: 'x', edited: undefined }, { text: 'y' }))).toBe('message_changed.unchanged');
    expect(dropped(event({ user: 'U0BOT', text: 'x' }, { text: 'y' }))).toBe('own');
    expect(dropped(event({ subtype: 'tombstone', text: 'x' }, { text: 'y' }))).toBe('message_changed.tombstone');
  });

  test('an edit that adds a mention comes as two events, and both give the same', () => {
    const edited = { user: 'U1', ts: '1718000009.000000' };
    const now = { user: 'U1', ts: TS, text: '<@U0BOT> hello', edited };
    const changed = {
      type: 'message',
      subtype: 'message_changed',
      channel: 'C1',
      ts: '1718000009.000200',
      message: now,
    };
    const told = decodeBody({ event: { ...changed, previous_message: { ...now, text: 'hello' } } }, self);
    expect(told).toMatchObject({ message: { id: `e:${TS}:1718000009.000000`, kind: 'edit', isMention: true } });
    expect(decodeBody({ event: { ...now, type: 'app_mention', channel: 'C1' } }, self)).toEqual(told);
    expect(message({ ...now, channel: 'C1' })).toMatchObject({ id: `m:${TS}`, kind: 'message' });
  });

  test.each([
    [{ event: { type: 'message', channel: 'C1', user: 'U0BOT', ts: TS, text: 'x' } }, 'own'],
    [{ event: { type: 'message', channel: 'C1', bot_id: 'B0BOT', ts: TS, text: 'x' } }, 'own'],
    [{ event: { type: 'message', channel: 'C1', user: 'U1', ts: TS, text: ' ' } }, 'message.empty'],
    [
      { event: { type: 'message', subtype: 'channel_join', channel: 'C1', user: 'U1', ts: TS } },
      'message.channel_join',
    ],
    [{ event: { type: 'message', channel: 'C1', user: 'U1', ts: 'now', text: 'x' } }, 'malformed'],
    [{ event: { type: 'reaction_added' } }, 'reaction_added'],
    [{ event: { type: 'bad name!' } }, 'unknown'],
    [{ type: 'view_submission' }, 'view_submission'],
    [
      { type: 'block_actions', user: { id: 'U1' }, trigger_id: 't', actions: [{ action_id: 'a' }] },
      'block_actions.elsewhere',
    ],
    [null, 'malformed'],
    ['text', 'malformed'],
  ])('%j is dropped as %s', (body, reason) => {
    expect(dropped(body)).toBe(reason);
  });
});

test('a channel that has moved, and an assistant’s pane that was opened', () => {
  const move = { type: 'channel_id_changed', old_channel_id: 'C1', new_channel_id: 'C2', event_ts: TS };
  expect(decodeBody({ event: move }, self)).toMatchObject({
    message: { kind: 'migration', address: { chat: 'C1' }, movedTo: { chat: 'C2' } },
  });
  const pane = { user_id: 'U1', channel_id: 'D1', thread_ts: TS };
  expect(decodeBody({ event: { type: 'assistant_thread_started', assistant_thread: pane } }, self)).toMatchObject({
    kind: 'assistant',
    user: 'U1',
    address: { chat: 'D1', thread: TS },
  });
});

test('nothing that JSON can hold breaks decoding', () => {
  const keys = fc.constantFrom(
    ...['event', 'type', 'subtype', 'channel', 'user', 'ts', 'text', 'thread_ts', 'files', 'attachments', 'message'],
    ...[
      'previous_message',
      'blocks',
      'elements',
      'rows',
      'fields',
      'message_blocks',
      'is_share',
      'edited',
      'bot_id',
      'command',
      'actions',
      'container',
      'trigger_id',
      'channel_id',
      'id',
    ],
  );
  const words = fc.constantFrom(
    'message',
    'app_mention',
    'message_changed',
    'block_actions',
    'C1',
    'U1',
    TS,
    '<@U0BOT> /stop',
    'F1',
  );
  const { tree } = fc.letrec((tie) => ({
    tree: fc.oneof(
      { maxDepth: 5 },
      words,
      fc.jsonValue({ maxDepth: 2 }),
      tie('object'),
      fc.array(tie('tree'), { maxLength: 3 }),
    ),
    object: fc.dictionary(keys, tie('tree'), { maxKeys: 8 }),
  }));
  fc.assert(
    fc.property(tree, (event) => {
      for (const body of [
        event,
        { event },
        { type: 'block_actions', ...Object(event) },
        { command: '/viber', ...Object(event) },
      ]) {
        const decoded = decodeBody(body, self);
        expect(['message', 'dropped', 'assistant']).toContain(decoded.kind);
      }
    }),
    { numRuns: 500 },
  );
});
