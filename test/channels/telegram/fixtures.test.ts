/** Every recorded kind of update, and what becomes of it. A fixture without a line here fails the test. */
import { describe, expect, it } from 'vitest';
import { decodeUpdate } from '../../../src/channels/telegram/decode/decode.ts';
import { fixture, fixtures } from '../../fixtures/telegram/index.ts';

const BOT = { id: 7_000_000_001, username: 'viber_test_bot', account: '7000000001' };

const ALEX = { user: '1001', name: 'Alex Rivers', username: 'alex_rivers', isBot: false };
const WORKSHOP = '-1001234567890';
const FORUM = '-1002222222222';
const NEWS = { user: '-1003333333333', name: 'Announcements' };

/** What a message must have, or why it is dropped. */
// biome-ignore format: a row is a line
const EXPECTED: Record<string, object | string> = {
  'album-part-1': { group: '13912345678901234', text: 'before and after', files: [{ kind: 'photo', size: 87_110 }] },
  'album-part-2': { group: '13912345678901234', text: '', files: [{ kind: 'photo' }] },
  animation: { files: [{ kind: 'animation', name: 'wave.mp4', size: 90_210 }] },
  'anonymous-admin': { sender: { user: WORKSHOP, isBot: false }, text: 'stop all tasks', isMention: true },
  audio: { files: [{ kind: 'audio', name: 'tune.mp3', mimeType: 'audio/mpeg' }] },
  'business-connection': 'business_connection',
  'business-message': 'business_message',
  'callback-query': { kind: 'button', id: 'c4301234567890123456', button: { id: 'k3Jq9ZtA' }, messageId: '480', isDirect: true },
  'callback-query-group': { kind: 'button', sender: { user: '1002' }, address: { chat: WORKSHOP }, isDirect: false },
  'callback-query-inaccessible': { kind: 'button', button: { id: 'p0WmX2sB' }, messageId: '12', isDirect: true },
  'channel-auto-forward': { kind: 'message', sender: NEWS, text: '', quotes: [{ kind: 'forward', from: 'Announcements' }] },
  'channel-post': { kind: 'channel-post', sender: NEWS, id: 'm92', text: 'Version 2 is out.' },
  'chat-boost': 'chat_boost',
  'chat-join-request': 'chat_join_request',
  'chat-member': 'chat_member',
  'chatter-group': { isMention: false, isDirect: false, address: { chat: '-4200' } },
  checklist: { facts: ['Checklist: Trip: [x] book train; [ ] pack'] },
  'chosen-inline-result': 'chosen_inline_result',
  command: { kind: 'command', command: { name: 'plan', args: 'add a step: call the venue' } },
  'command-at-bot-group': { kind: 'command', command: { name: 'status', args: '' }, isMention: true },
  'command-other-bot-group': 'message.command-for-another',
  contact: { facts: ['Contact: Kim Lee, +4930123456'] },
  dice: { facts: ['Dice 🎲: 4'] },
  document: { text: 'add a total line please', files: [{ kind: 'document', name: 'Quarter 3 – budget.csv', mimeType: 'text/csv', size: 4812 }] },
  'document-hostile-name': { files: [{ name: 'authorized_keystxt.exe' }] },
  'document-too-large': { files: [{ size: 26_214_400 }] },
  'edited-caption': { kind: 'edit', id: 'e517.1795000650', messageId: '517', files: [{ kind: 'document' }] },
  'edited-channel-post': { kind: 'edit', id: 'e92.1795000620', sender: NEWS },
  'edited-message': { kind: 'edit', id: 'e501.1795000640', messageId: '501', text: 'Hello, what can you do for me?' },
  'forum-general-message': { address: { channel: 'telegram', account: BOT.account, chat: FORUM }, isMention: false },
  'forum-topic-by-bot': { address: { thread: '9' }, isMention: false, quotes: [] },
  'forum-topic-created': 'message.forum_topic_created',
  'forum-topic-message': { address: { chat: FORUM, thread: '7' }, quotes: [], isMention: false },
  'forward-channel': { text: '', quotes: [{ kind: 'forward', from: 'Announcements', text: 'New opening hours from Monday.' }] },
  'forward-chat': { quotes: [{ kind: 'forward', from: 'Workshop' }] },
  'forward-document': { text: '', files: [{ name: 'offer.pdf' }], quotes: [{ kind: 'forward', text: 'our offer' }] },
  'forward-hidden-user': { sender: ALEX, text: '', quotes: [{ from: 'Alex Rivers (hidden account)', text: 'the owner said it is fine' }] },
  'forward-user': { text: '', quotes: [{ kind: 'forward', from: 'Sam', fromSelf: false }] },
  'from-another-bot': { sender: { user: '7000000009', isBot: true } },
  'inline-query': 'inline_query',
  'left-chat-member': { kind: 'membership', facts: ['Left: Sam (1002)'] },
  location: { facts: ['Location: 52.520008, 13.404954'] },
  'location-live-edit': 'edited_message.location',
  'mention-group': { isMention: true, text: 'hey, summarise the thread' },
  'message-reaction': 'message_reaction',
  'migrate-from-chat': { kind: 'migration', id: 'u700000061', address: { chat: '-4200' }, movedTo: { chat: '-1004200' } },
  'migrate-to-chat': { kind: 'migration', id: 'm543', address: { chat: '-4200' }, movedTo: { chat: '-1004200' } },
  'my-chat-member-added': { kind: 'membership', sender: { user: '1002' }, facts: ['This bot: left -> member'] },
  'my-chat-member-blocked': { kind: 'membership', isDirect: true, facts: ['This bot: member -> kicked'] },
  'my-chat-member-kicked': { kind: 'membership', id: 'u700000057', facts: ['This bot: member -> kicked'] },
  'my-chat-member-unblocked': { kind: 'membership', facts: ['This bot: kicked -> member'] },
  'new-chat-members': { kind: 'membership', facts: ['Joined: Sam (1002), Viber (7000000001)'] },
  'new-chat-title': 'message.new_chat_title',
  photo: { files: [{ kind: 'photo', name: 'photo.jpg', mimeType: 'image/jpeg', size: 87_110 }] },
  'photo-caption': { text: 'What is wrong with this /chart?', kind: 'message', files: [{ kind: 'photo' }] },
  'pinned-inaccessible': 'message.pinned_message',
  'pinned-message': 'message.pinned_message',
  'poll-answer': 'poll_answer',
  'poll-message': { facts: ['Poll: Which day? Options: Monday; Tuesday'] },
  'poll-update': 'poll',
  'pre-checkout-query': 'pre_checkout_query',
  'reply-external': { text: 'is that confirmed?', quotes: [{ kind: 'quote', from: 'Announcements', text: 'from Monday' }] },
  'reply-quote': { text: 'take this one', quotes: [{ kind: 'reply', fromSelf: true }, { kind: 'quote', text: 'option B costs 55' }] },
  'reply-to-bot-group': { isMention: true, address: { channel: 'telegram', account: BOT.account, chat: WORKSHOP }, quotes: [{ fromSelf: true }] },
  'reply-to-file': { text: 'translate this file', quotes: [{ kind: 'reply', text: '[document notes.md]' }] },
  'rich-message': { text: expect.stringContaining('| item | price |\n| --- | --- |\n| milk | 1.20 |') },
  'sender-channel': { sender: NEWS },
  sticker: { files: [{ kind: 'sticker', mimeType: 'image/webp' }], facts: ['Sticker: 🎉'] },
  'stopped-message-generation': { kind: 'command', command: { name: 'stop', args: '' }, isDirect: true },
  story: { facts: ['Story of Announcements'] },
  'text-code': { text: '```python\ndef main():\n    print("a < b & c")\n```\n\nWhat does this do?' },
  'text-entities': { text: expect.stringContaining('read [the brief](https://example.com/brief?id=7&lang=en), ask @sam_m') },
  'text-long': { text: expect.stringMatching(/^Line with emoji 😀[\s\S]{4000,}x$/) },
  'text-mention-group': { isMention: true, text: 'please look at this' },
  'text-private': { kind: 'message', id: 'm501', sender: ALEX, text: 'Hello, what can you do?', isDirect: true, isMention: false },
  'unknown-kind': 'hologram_call',
  'unknown-message-content': 'message.hologram',
  venue: { facts: ['Venue: Eiffel Tower, Champ de Mars, Paris (48.858222, 2.2945)'] },
  'via-bot': { sender: ALEX, text: '', quotes: [{ kind: 'forward', text: 'Weather in Berlin: 12 °C' }] },
  video: { files: [{ kind: 'video', name: 'clip.mp4' }] },
  'video-note': { files: [{ kind: 'voice', mimeType: 'video/mp4' }] },
  voice: { files: [{ kind: 'voice', mimeType: 'audio/ogg', size: 28_130 }] },
};

describe('recorded updates', () => {
  it.each(fixtures().map(({ name, doc }) => [name, doc]))('%s: %s', (name) => {
    const decoded = decodeUpdate(fixture(name), BOT);
    const expected = EXPECTED[name];
    expect(expected, `what should become of ${name}?`).toBeDefined();
    if (typeof expected === 'string') expect(decoded).toEqual({ kind: 'dropped', reason: expected });
    else expect(decoded).toMatchObject({ kind: 'message', message: expected });
  });

  it('there are at least 34 kinds, and each line has its fixture', () => {
    const names = fixtures().map(({ name }) => name);
    expect(names.length).toBeGreaterThanOrEqual(34);
    expect(Object.keys(EXPECTED).filter((name) => !names.includes(name))).toEqual([]);
  });

  it('each has an id of its own in its chat', () => {
    const keys = fixtures().flatMap(({ update }) => {
      const decoded = decodeUpdate(update, BOT);
      return decoded.kind === 'message' ? [`${decoded.message.address.chat} ${decoded.message.id}`] : [];
    });
    expect(keys.filter((key, index) => keys.indexOf(key) !== index)).toEqual([]);
  });

  it('General and replies in plain groups name no thread', () => {
    for (const name of ['forum-general-message', 'reply-to-bot-group']) {
      const decoded = decodeUpdate(fixture(name), BOT);
      expect(decoded.kind === 'message' && 'thread' in decoded.message.address).toBe(false);
    }
  });
});
