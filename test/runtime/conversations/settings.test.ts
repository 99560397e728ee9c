/** What people choose for a conversation: at once, for good, and no more than what there is to choose. */
import fs from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { openConversationSettings } from '../../../src/runtime/conversations/conversations.ts';
import { tempFolder } from '../../helpers/temp.ts';

const HERE = { channel: 'discord', account: '7', workspace: '1', chat: '2' };
const THREAD = { ...HERE, thread: '3' };
const configured = () => ({ live: 'status', queue: 'steer' }) as const;

it('a choice holds at once and after a restart; a thread has its own or its chat’s', async () => {
  const folder = path.join(tempFolder(), 'settings');
  const settings = openConversationSettings(folder, configured);
  expect(settings.get(THREAD)).toEqual({ live: 'status', queue: 'steer' });
  const written = Promise.all([settings.set(HERE, { live: 'off' }), settings.set(THREAD, { queue: 'collect' })]);
  expect(settings.get(THREAD)).toEqual({ live: 'off', queue: 'collect' });
  await written;
  await settings.set(THREAD, { live: 'text' });
  const again = openConversationSettings(folder, configured);
  expect(again.get(HERE)).toEqual({ live: 'off', queue: 'steer' });
  expect(again.get(THREAD)).toEqual({ live: 'text', queue: 'collect' });
  expect(again.get({ ...THREAD, account: '8' })).toEqual({ live: 'status', queue: 'steer' });
});

it('the last of many choices made at once is the one that stays', async () => {
  const folder = tempFolder();
  const settings = openConversationSettings(folder, configured);
  const modes = ['off', 'status', 'text'] as const;
  await Promise.all(Array.from({ length: 30 }, (_, n) => settings.set(HERE, { live: modes[n % 3] ?? 'off' })));
  expect(openConversationSettings(folder, configured).get(HERE).live).toBe('text');
});

it.each(['', '{"live":', 'null', '{"live":"loud","queue":7}', '[]'])(
  'a file that holds %j chooses nothing',
  async (text) => {
    const folder = tempFolder();
    await openConversationSettings(folder, configured).set(HERE, { live: 'off' });
    const [file = ''] = fs.readdirSync(folder);
    fs.writeFileSync(path.join(folder, file), text);
    expect(openConversationSettings(folder, configured).get(HERE)).toEqual({ live: 'status', queue: 'steer' });
  },
);
