/** Whose prompt holds the memory: decided by who reads the answer, for jobs by where their result goes. */
import { expect, it } from 'vitest';
import type { Principal } from '../../src/access/principal.ts';
import { createTelling } from '../../src/app/telling.ts';
import type { InboundMessage } from '../../src/channels/channel.ts';
import type { Config } from '../../src/config.ts';
import type { JobOrder } from '../../src/runtime/contract/entry.ts';
import { defaults } from '../helpers/defaults.ts';

const access = { dm: 'open' as const, groups: 'all' as const, allow: [], chats: ['*'] };
const config = {
  ...defaults,
  channels: {
    telegram: { access: { ...access, memory: 'direct' } },
    slack: { access: { ...access, memory: 'group' } },
  },
} as unknown as Config;
const tells = createTelling(config, { isDirect: async (to) => !to.includes('-') });
const owner: Principal = { channel: 'job', account: 'jobs', user: 'x', role: 'owner', via: 'job', name: 'x' };
const job = (...deliver: string[]) => ({ deliver }) as unknown as JobOrder;

it('is told to a job whose result goes to no group, or to one that may be told', async () => {
  const told = (...deliver: string[]) => tells({ principal: owner, answered: [], job: job(...deliver) });
  expect(await told()).toBe(true);
  expect(await told('telegram@1:1001')).toBe(true);
  expect(await told('telegram@1:-100')).toBe(false);
  expect(await told('telegram@1:1001', 'telegram@1:-100')).toBe(false);
  expect(await told('slack@U1:C-1')).toBe(true);
});

it('is told to nobody when one of the messages that are answered came from a group, and never to a guest', async () => {
  const from = (channel: string, isDirect: boolean) =>
    ({ address: { channel, account: '1', chat: '5' }, isDirect }) as unknown as InboundMessage;
  const told = (role: Principal['role'], ...answered: InboundMessage[]) =>
    tells({ principal: { ...owner, role }, answered, job: undefined });
  expect(await told('owner', from('telegram', true))).toBe(true);
  expect(await told('owner', from('telegram', true), from('telegram', false))).toBe(false);
  expect(await told('member', from('slack', false))).toBe(true);
  expect(await told('guest', from('slack', true))).toBe(false);
});
