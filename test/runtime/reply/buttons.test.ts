/** What a press of a button means, and where. */
import { expect, it } from 'vitest';
import type { Address } from '../../../src/channels/channel.ts';
import { words } from '../../../src/messages/messages.ts';
import { createButtons } from '../../../src/runtime/reply/buttons.ts';
import { memoryCache } from '../../helpers/memory-cache.ts';

const ROOM: Address = { channel: 'telegram', account: '1', chat: '-100', thread: '7' };

it('a button is pressed in the conversation that it was offered in, and nowhere else', async () => {
  const buttons = createButtons(memoryCache());
  const [[offered] = []] = await buttons.offer(ROOM, [
    [{ label: words('Approve'), command: 'approve', args: 'a yes' }],
  ]);
  const id = offered?.id ?? '';
  expect(await buttons.press(id, { ...ROOM })).toEqual({ label: 'Approve', command: 'approve', args: 'a yes' });
  const elsewhere: Address[] = [
    { ...ROOM, chat: '1001' },
    { ...ROOM, thread: '8' },
    { channel: 'telegram', account: '1', chat: '-100' },
    { ...ROOM, account: '2' },
    { ...ROOM, channel: 'slack' },
    { ...ROOM, workspace: 'T1' },
  ];
  for (const address of elsewhere) expect(await buttons.press(id, address), JSON.stringify(address)).toBeUndefined();
  expect(await buttons.press(`${id}x`, ROOM)).toBeUndefined();
});
