import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { conversationKey, type InboundMessage } from '../../../src/channels/channel.ts';
import { silentLog } from '../../../src/log.ts';
import { followMove, openConversations } from '../../../src/runtime/conversations/conversations.ts';
import { openReadCursors } from '../../../src/runtime/conversations/read-cursors.ts';
import { tempFolder } from '../../helpers/temp.ts';

const address = (chat: string, thread?: string) => ({
  channel: 'slack',
  account: 'U0',
  workspace: 'T0',
  chat,
  ...(thread === undefined ? {} : { thread }),
});
const bindingOf = (chat: string, taskId: string, thread?: string) => ({
  key: conversationKey(address(chat, thread)),
  taskId,
  viber: 'default',
  address: address(chat, thread),
  isDirect: false,
});

const moved = (from: string, to: string): InboundMessage => ({
  ...{ id: 'u:1', kind: 'migration', address: address(from), movedTo: address(to), text: '', files: [], facts: [] },
  ...{ sender: { user: 'U0', name: 'Slack', isBot: true }, quotes: [], messageId: '', sentAt: 0 },
  ...{ isDirect: false, isMention: false },
});

describe('conversations', () => {
  it('tell which task a chat is about and which chats a task has, also after a restart', async () => {
    const folder = tempFolder();
    const before = openConversations(folder);
    await before.bind(bindingOf('C1', 't1', '1.5'));
    await before.bind(bindingOf('C2', 't1'));
    await before.bind(bindingOf('C3', 't2'));
    for (const each of [before, openConversations(folder)]) {
      expect(each.get(conversationKey(address('C1', '1.5')))?.taskId).toBe('t1');
      expect(each.get(conversationKey(address('C1')))).toBeUndefined();
      expect(each.bound('t1').map((binding) => binding.address.chat)).toEqual(['C1', 'C2']);
      expect(each.bound('t3')).toEqual([]);
    }
  });

  it('go on where their group has a new id, those in its threads too', async () => {
    const folder = tempFolder();
    await followMove(openConversations(path.join(folder, 'none')), moved('C1', 'C9'), silentLog());
    const before = openConversations(folder);
    await before.bind(bindingOf('C1', 't1', '1.5'));
    await before.bind(bindingOf('C1', 't2'));
    await before.bind(bindingOf('C2', 't3', '1.5'));
    await before.bind({ ...bindingOf('C1', 't4'), key: 'person:alex', isDirect: true });
    const after = openConversations(folder);
    await followMove(after, moved('C1', 'C9'), silentLog());
    for (const each of [after, openConversations(folder)]) {
      expect(each.get(conversationKey(address('C9', '1.5')))).toMatchObject({ taskId: 't1', address: { chat: 'C9' } });
      expect(each.get(conversationKey(address('C9')))).toMatchObject({ taskId: 't2' });
      expect(each.get(conversationKey(address('C2', '1.5')))).toMatchObject({ taskId: 't3' });
      expect(each.get('person:alex')).toMatchObject({ taskId: 't4', address: { chat: 'C1' } });
    }
  });

  it('forget a chat that has moved on to another task', async () => {
    const folder = tempFolder();
    const conversations = openConversations(folder);
    await conversations.bind(bindingOf('C1', 't1'));
    await conversations.bind(bindingOf('C1', 't2'));
    await conversations.bind(bindingOf('C1', 't1'));
    expect(conversations.bound('t2')).toEqual([]);
    expect(openConversations(folder).bound('t1')).toHaveLength(1);
  });

  it('lose a pointer, nothing else, when a file is torn', async () => {
    const folder = tempFolder();
    await openConversations(folder).bind(bindingOf('C1', 't1'));
    for (const file of fs.readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
      if (file.endsWith('.json')) fs.writeFileSync(path.join(folder, file), '{"key":');
    }
    const after = openConversations(folder);
    expect(after.get(conversationKey(address('C1')))).toBeUndefined();
    expect(after.bound('t1')).toEqual([]);
    await after.bind(bindingOf('C1', 't1'));
    expect(after.bound('t1')).toHaveLength(1);
  });
});

describe('marks', () => {
  it('come back after a restart; those of chats silent longest go first', async () => {
    const folder = tempFolder();
    const cursors = openReadCursors(folder, 'discord', silentLog());
    for (let n = 0; n < 2_050; n++) cursors.set(`chat${n}`, String(n));
    cursors.set('chat100', 'newer');
    await cursors.close();
    const again = openReadCursors(folder, 'discord', silentLog()).all();
    expect(again.size).toBe(2_000);
    expect(again.get('chat100')).toBe('newer');
    expect(again.has('chat0')).toBe(false);
    expect(openReadCursors(folder, 'slack', silentLog()).all().size).toBe(0);
  });

  it('begin anew when the file is torn', () => {
    const folder = tempFolder();
    fs.writeFileSync(path.join(folder, 'discord.json'), '{"1": "2",');
    expect(openReadCursors(folder, 'discord', silentLog()).all().size).toBe(0);
  });
});
