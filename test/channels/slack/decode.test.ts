/** Bodies of events as Slack documents them, and what they become. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { commandOf } from '../../../src/channels/shared/written-command.ts';
import { decodeBody, type Self } from '../../../src/channels/slack/decode/decode.ts';
import { readWords } from '../../../src/channels/slack/decode/text.ts';
import { decodes } from '../recorded.ts';

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

describe('recorded', () => decodes(import.meta.dirname, (body) => decodeBody(body, self)));

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

test('of blocks without end a part is quoted', () => {
  let nested: object = { type: 'section', text: { type: 'mrkdwn', text: 'x' } };
  for (let n = 0; n < 1000; n++) nested = { type: 'rich_text', elements: Array(3).fill(nested) };
  const share = {
    is_share: true,
    author_subname: 'Grafana',
    text: '',
    message_blocks: [{ message: { blocks: [nested] } }],
  };
  const event = { type: 'message', channel: 'C1', user: 'U1', ts: TS, text: 'x', attachments: [share] };
  const decoded = decodeBody({ type: 'event_callback', event }, self);
  expect(decoded.kind === 'message' && decoded.message.text).toBe('x');
});

test('both events of one mention, and of an edit that adds one, are the same', () => {
  const edited = { user: 'U1', ts: '1718000009.000000' };
  const now = { user: 'U1', ts: TS, text: '<@U0BOT> hello', edited };
  const changed = { type: 'message', subtype: 'message_changed', channel: 'C1', ts: '1718000009.000200', message: now };
  const told = decodeBody({ event: { ...changed, previous_message: { ...now, text: 'hello' } } }, self);
  expect(decodeBody({ event: { ...now, type: 'app_mention', channel: 'C1' } }, self)).toEqual(told);
  const mention = { channel: 'C1', user: 'U1', ts: TS, text: '<@U0BOT> hi', team: 'T01', event_ts: TS };
  const said = decodeBody(
    { type: 'event_callback', event: { ...mention, type: 'message', channel_type: 'channel' } },
    self,
  );
  expect(decodeBody({ event: { ...mention, type: 'app_mention' } }, self)).toEqual(said);
  const [live, again] = [{}, { thread_ts: TS, reply_count: 2 }].map((more) =>
    decodeBody({ event: { ...mention, type: 'message', ...more } }, self),
  );
  expect(again).toEqual(live);
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
