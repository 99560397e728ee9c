/** The decoder over events as apps send them, and over anything else. */
import { expect, it } from 'vitest';
import { type Around, decode } from '../decode.ts';

const SELF = '@viber:example.org';
const around = (more: Partial<Around> = {}): Around => ({
  ...{ self: SELF, selfName: 'Viber', room: '!a:example.org', isDirect: false, nameOf: () => undefined },
  ...more,
});
const event = (content: object, more: object = {}) => ({
  ...{ type: 'm.room.message', event_id: '$e1', sender: '@alex:example.org', origin_server_ts: 5 },
  content: { msgtype: 'm.text', ...content },
  ...more,
});
const messageOf = (content: object, more: Partial<Around> = {}) => {
  const decoded = decode(event(content), around(more));
  return 'message' in decoded ? decoded.message : decoded;
};

it.each([
  ['m.mentions', { body: 'Viber: go', 'm.mentions': { user_ids: [SELF] } }, true, 'go'],
  ['m.mentions of others', { body: 'Viber: go', 'm.mentions': { user_ids: ['@sam:example.org'] } }, false, 'Viber: go'],
  ['m.mentions of nobody', { body: `${SELF} go`, 'm.mentions': {} }, false, `${SELF} go`],
  ['everybody', { body: '@room go', 'm.mentions': { room: true } }, false, '@room go'],
  [
    'a link',
    { body: 'Viber: go', formatted_body: '<a href="https://matrix.to/#/@viber:example.org">V</a>: go' },
    true,
    'go',
  ],
  ['an encoded link', { body: 'V go', formatted_body: 'https://matrix.to/#/%40viber%3Aexample.org' }, true, 'V go'],
  ['the ID', { body: `${SELF}, go` }, true, 'go'],
  ['the name at the start', { body: 'viber: go' }, true, 'go'],
  ['the name elsewhere', { body: 'ask viber to go' }, false, 'ask viber to go'],
  ['a longer name', { body: 'viberation rules' }, false, 'viberation rules'],
])('knows when it is called: %s', (_what, content, isMention, text) => {
  expect(messageOf(content)).toMatchObject({ isMention, text });
});

it('begins a thread where it is called in a room, and none elsewhere', () => {
  const called = { body: 'go', 'm.mentions': { user_ids: [SELF] } };
  expect(messageOf(called)).toMatchObject({ address: { thread: '$e1' }, isThread: true });
  expect(messageOf(called, { isDirect: true })).not.toHaveProperty('isThread');
  expect(messageOf({ body: 'chatter' })).not.toHaveProperty('isThread');
  const relation = {
    rel_type: 'm.thread',
    event_id: '$root',
    is_falling_back: true,
    'm.in_reply_to': { event_id: '$x' },
  };
  const within = messageOf({ body: 'more', 'm.relates_to': relation });
  expect(within).toMatchObject({ address: { thread: '$root' }, isThread: true });
  expect(within).not.toHaveProperty('repliesTo');
});

it.each([
  ['!status', 'status', ''],
  ['/status', 'status', ''],
  ['!open 7k2', 'open', '7k2'],
  ['!memory search a\nb', 'memory', 'search a\nb'],
])('reads the command %s', (body, name, args) => {
  expect(messageOf({ body })).toMatchObject({ kind: 'command', command: { name, args }, opensThread: true });
  expect(messageOf({ body }, { isDirect: true })).not.toHaveProperty('opensThread');
});

it.each(['!', '!!!', '! help', '/ help', '//x', 'a !b', '!1'])('reads no command in %s', (body) => {
  expect(messageOf({ body })).not.toHaveProperty('command');
});

it('reads a goal behind `task`', () => {
  const body = '!task plan a trip';
  expect(messageOf({ body }, { isDirect: true })).toMatchObject({ command: { name: 'new', args: 'plan a trip' } });
});

it('reads files, with a caption or without, and tells of those it cannot read', () => {
  const info = { mimetype: 'image/png', size: 7 };
  const picture = { msgtype: 'm.image', body: 'a.png', url: 'mxc://example.org/abc', info };
  expect(messageOf(picture)).toMatchObject({ text: '', files: [{ name: 'a.png', kind: 'photo', size: 7 }] });
  const captioned = { ...picture, body: 'look', filename: 'a.png' };
  expect(messageOf(captioned)).toMatchObject({ text: 'look', files: [{ name: 'a.png' }] });
  for (const url of [undefined, 'https://example.org/a', 'mxc://example.org/../../etc', 'mxc:///a', 7])
    expect(messageOf({ ...picture, url })).toMatchObject({ files: [], facts: [expect.stringContaining('a.png')] });
  const voice = { ...picture, msgtype: 'm.audio', 'org.matrix.msc3245.voice': {}, info: { duration: 1_500 } };
  expect(messageOf(voice)).toMatchObject({ files: [{ kind: 'voice', seconds: 2 }] });
});

it('takes off the quotation before a reply, and nothing that the person has quoted', () => {
  const reply = { 'm.relates_to': { 'm.in_reply_to': { event_id: '$x' } } };
  const old = '> <@sam:example.org> said\n> so\n\nyes';
  expect(messageOf({ body: old, ...reply })).toMatchObject({ text: 'yes', repliesTo: '$x' });
  expect(messageOf({ body: '> a quotation\nyes', ...reply })).toMatchObject({ text: '> a quotation\nyes' });
  expect(messageOf({ body: old })).toMatchObject({ text: old });
});

it('presses a number by a reaction or a reply, and nothing by another sign', () => {
  const relation = { rel_type: 'm.annotation', event_id: '$q' };
  const reaction = (key: unknown) =>
    decode(event({ 'm.relates_to': { ...relation, key } }, { type: 'm.reaction' }), around());
  expect(reaction('2️⃣')).toMatchObject({ kind: 'number', under: '$q', number: 2 });
  expect(reaction('2\u20e3')).toMatchObject({ kind: 'number', number: 2 });
  expect(reaction('👍')).toMatchObject({ kind: 'dropped' });
  const reply = { body: ' 1 ', 'm.relates_to': { 'm.in_reply_to': { event_id: '$q' } } };
  expect(decode(event(reply), around())).toMatchObject({
    kind: 'number',
    under: '$q',
    number: 1,
    message: { text: '1' },
  });
});

it('drops its own words, what is redacted, and news of other kinds', () => {
  expect(decode(event({ body: 'x' }, { sender: SELF }), around())).toEqual({ kind: 'dropped', reason: 'own' });
  expect(decode({ ...event({}), content: {} }, around())).toEqual({ kind: 'dropped', reason: 'redacted' });
  expect(decode(event({}, { type: 'm.room.topic' }), around())).toEqual({ kind: 'dropped', reason: 'm.room.topic' });
  expect(messageOf({ msgtype: 'm.notice', body: 'beep' })).toMatchObject({ sender: { isBot: true } });
});

it('believes only the state of a room that it has moved, and no ID with control characters', () => {
  const move = (next: string, more: object) =>
    decode({ ...event({}, { type: 'm.room.tombstone', ...more }), content: { replacement_room: next } }, around());
  const no = { kind: 'dropped', reason: 'm.room.tombstone' };
  expect(move('!b:example.org', { state_key: '' })).toMatchObject({ message: { movedTo: { chat: '!b:example.org' } } });
  expect([move('!b:example.org', {}), move('!b:example.org', { state_key: 'x' })]).toEqual([no, no]);
  expect(move('!b\u0000:example.org', { state_key: '' })).toEqual(no);
  for (const odd of [{ event_id: '$e\u0007' }, { sender: '@a\u0085:example.org' }])
    expect(decode(event({ body: 'x' }, odd), around())).toEqual({ kind: 'dropped', reason: 'malformed' });
});

it('reads whatever it is given', () => {
  const odd: unknown[] = [null, undefined, 7, '', [], {}, true, 'x'.repeat(300), { a: 1 }, [{}], -1, 1e300];
  const keys = ['type', 'event_id', 'sender', 'content', 'origin_server_ts', 'state_key', 'unsigned'];
  const inside = [
    'msgtype',
    'body',
    'format',
    'formatted_body',
    'url',
    'filename',
    'info',
    'm.mentions',
    'm.relates_to',
    'm.new_content',
  ];
  const relations = ['rel_type', 'event_id', 'key', 'm.in_reply_to', 'is_falling_back'];
  for (const value of odd) {
    expect(() => decode(value, around())).not.toThrow();
    for (const key of keys) expect(() => decode({ ...event({ body: 'x' }), [key]: value }, around())).not.toThrow();
    for (const msgtype of ['m.text', 'm.image', 'm.location'])
      for (const key of inside)
        expect(() => decode(event({ msgtype, body: 'x', [key]: value }), around())).not.toThrow();
    for (const rel_type of ['m.replace', 'm.thread', 'm.annotation'])
      for (const key of relations)
        expect(() =>
          decode(event({ body: 'x', 'm.relates_to': { rel_type, event_id: '$q', [key]: value } }), around()),
        ).not.toThrow();
  }
  const long = decode(event({ body: `${' '.repeat(200_000)}x` }), around());
  expect(long).toMatchObject({ kind: 'dropped' });
});
