/** The record of a task through its runs: begun once, by whoever comes first, and on the disk before its first message is finished. */

import fs from 'node:fs';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Principal } from '../../../src/access/principal.ts';
import type { InboundMessage } from '../../../src/channels/channel.ts';
import { silentLog } from '../../../src/log.ts';
import type { Entry } from '../../../src/runtime/contract/entry.ts';
import { openConversations } from '../../../src/runtime/conversations/conversations.ts';
import { TaskRecords } from '../../../src/runtime/conversations/task-record.ts';
import { openTask } from '../../../src/workspace/tasks/index.ts';
import { newHome } from '../../workspace/home-helper.ts';

afterEach(() => vi.restoreAllMocks());
const taskId = '20260101-aaaaa';
const message: InboundMessage = {
  ...{ id: '1', messageId: '1', kind: 'message', text: 'Bake a cake', files: [], facts: [], quotes: [] },
  ...{ address: { channel: 'telegram', account: 'bot', chat: '7' }, sender: { user: '7', name: 'Ada', isBot: false } },
  ...{ isDirect: true, isMention: true, sentAt: 0 },
};
const principal: Principal = {
  channel: 'telegram',
  account: 'bot',
  user: '7',
  name: 'Ada',
  role: 'member',
  via: 'message',
};
const entry: Entry = { taskId, viber: 'default', message, principal };

async function world() {
  const home = await newHome();
  const conversations = openConversations(home.conversations);
  return {
    home,
    records: new TaskRecords({ home, conversations, used: () => undefined, hasOwner: () => true, log: silentLog() }),
  };
}

describe('the record of a new task', () => {
  it('is begun by the run, and what the run made of it stays when the message turns out durable later', async () => {
    const { home, records } = await world();
    await records.open(entry);
    await openTask(home, taskId).update((record) => ({ ...record, title: 'A cake', called: ['bake'] }), {
      sync: false,
    });
    await records.note(entry);
    expect(openTask(home, taskId).record()).toMatchObject({ title: 'A cake', called: ['bake'] });
  });

  it('is synced once, and before its first message is finished', async () => {
    const { home, records } = await world();
    const synced: string[] = [];
    const open = fs.openSync;
    vi.spyOn(fs, 'openSync').mockImplementation((file, flags, mode) => {
      if (flags === 'r') synced.push(String(file));
      return open(file, flags, mode);
    });
    await Promise.all([records.open(entry), records.note(entry)]);
    await records.note(entry);
    await records.setState(taskId, 'completed');
    expect(synced.filter((file) => file === home.taskDir(taskId))).toHaveLength(1);
    expect(synced.filter((file) => file === home.artifacts)).toHaveLength(1);
  });
});
