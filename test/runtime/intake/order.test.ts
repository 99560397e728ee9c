/** What makes the order of a chat, so that several ingresses may store its messages out of order. */
import { expect, it } from 'vitest';
import type { InboundMessage } from '../../../src/channels/channel.ts';
import { orderOf } from '../../../src/runtime/contract/entry.ts';

const message = (thread?: string, sequence?: number): InboundMessage => ({
  address: { channel: 'slack', account: 'b', workspace: 't', chat: 'C1', ...(thread === undefined ? {} : { thread }) },
  ...{ id: 'm', kind: 'message', sender: { user: 'u', name: 'U', isBot: false }, text: '', files: [], facts: [] },
  ...{ quotes: [], messageId: 'm', isDirect: false, isMention: true, sentAt: 0 },
  ...(sequence === undefined ? {} : { sequence }),
});

it('counts all threads of a chat as one source, and nothing that the platform does not count', () => {
  const { orderKey } = orderOf(message(undefined, 1_700_000_000.0002));
  expect(orderKey?.at).toBe(1_700_000_000.0002);
  expect(orderOf(message('1.2', 1_700_000_001)).orderKey?.source).toBe(orderKey?.source);
  expect(orderOf(message())).toEqual({});
});
