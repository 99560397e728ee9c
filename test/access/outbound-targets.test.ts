/** Where may be written without having been spoken to: by the rules of the door, for owners; for others where their task is. */
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import type { AccessRules } from '../../src/access/authorise.ts';
import { createOutboundTargets } from '../../src/access/outbound-targets.ts';
import { createPeople } from '../../src/access/people.ts';
import type { Principal, Role } from '../../src/access/principal.ts';
import type { Channel, Place } from '../../src/channels/channel.ts';
import { DeliveryError } from '../../src/errors.ts';

const people = createPeople(
  [{ name: 'alex', role: 'owner', ids: ['slack:T1:U1'] }],
  { paired: () => [] },
  { links: () => [] },
);
const who = (role: Role): Principal => ({
  ...{ channel: 'slack', account: 'B', workspace: 'T1', user: 'U9', role, via: 'message', name: 'Kim' },
});
const OPEN: AccessRules = { dm: 'pairing', groups: 'mention', allow: ['U2'], chats: ['C1'] };

let rules: AccessRules;
let looks: string[];
let found: (chat: string) => Place | undefined;
let account: string;
let id: string;
beforeEach(() => {
  [rules, looks, account, id] = [OPEN, [], 'B', 'slack'];
  found = (chat) => ({
    address: { channel: 'slack', account: 'B', workspace: 'T1', chat },
    isDirect: chat.startsWith('D'),
    ...(chat.startsWith('D') ? { user: chat.replace('D', 'U') } : {}),
  });
});

function channelLike(): Channel {
  return {
    ...{ id, limits: { text: 1, uploadBytes: 1, downloadBytes: 1 } },
    get account() {
      return account;
    },
    status: () => ({ state: 'connected' }),
    connect: async () => undefined,
    disconnect: async () => undefined,
    send: async () => undefined,
    async findPlace({ chat, thread }) {
      looks.push(thread === undefined ? chat : `${chat} ${thread}`);
      return found(chat);
    },
  };
}

function targets() {
  const channel = channelLike();
  return createOutboundTargets({
    channelOf: (wanted) => (wanted === id ? channel : undefined),
    people,
    rulesOf: () => rules,
  });
}
const find = (text: string, role: Role = 'owner', own: string[] = []) => targets().find(text, who(role), own);

describe('an owner', () => {
  test.each(['slack:C1', 'slack:D1', 'slack:D2', 'slack@B:C1'])('may write to %s', async (text) => {
    expect((await find(text)).workspace).toBe('T1');
  });

  test.each([
    ['slack:C2', 'list C2 under channels.slack.access.chats'],
    ['slack:D7', 'that person has no access'],
    ['telegram:1', 'is not on'],
    ['local:x', 'is not on'],
    ['slack@other:C1', 'a different bot'],
    ['slack:', "isn't an address"],
    ['slack:C1:1:2', "isn't an address"],
    ['__proto__:C1', "isn't an address"],
    ['slack:C1\nslack:C2', "isn't an address"],
    ['x'.repeat(10_000), "isn't an address"],
  ])('may not write to %s', async (text, why) => {
    await expect(find(text)).rejects.toThrow(why);
  });

  test('may not write where the door is shut, whatever the list says', async () => {
    rules = { ...OPEN, groups: 'off' };
    await expect(find('slack:C1')).rejects.toThrow('access.chats');
    rules = { ...OPEN, dm: 'off' };
    await expect(find('slack:D1')).rejects.toThrow('direct messages are off');
    rules = { ...OPEN, dm: 'open' };
    await expect(find('slack:D7')).resolves.toMatchObject({ chat: 'D7' });
    rules = { ...OPEN, chats: ['*'] };
    await expect(find('slack:C2')).resolves.toMatchObject({ chat: 'C2' });
  });

  test('is told of a place that is not there, and to wait while the platform is away', async () => {
    found = () => undefined;
    await expect(find('slack:C1')).rejects.toThrow("I can't see slack:C1: add me there");
    account = '';
    await expect(find('slack:C1')).rejects.toThrow(DeliveryError);
  });
});

describe.each(['member', 'guest'] as const)('a %s', (role) => {
  test('may write to the conversations of the task alone, as long as the door is open there', async () => {
    await expect(find('slack:C1', role)).rejects.toThrow('Only an owner');
    await expect(find('slack:C1', role, ['slack@B:C1'])).resolves.toMatchObject({ chat: 'C1' });
    rules = { ...OPEN, chats: [] };
    await expect(find('slack:C1', role, ['slack@B:C1'])).rejects.toThrow('access.chats');
  });
});

test('a place is looked up once an hour, whoever asks; whether it may be written to is decided each time', async () => {
  const one = targets();
  for (let n = 0; n < 3; n++) await one.find('slack:D2', who('owner'));
  expect(looks).toEqual(['D2']);
  rules = { ...OPEN, allow: [] };
  await expect(one.find('slack:D2', who('owner'))).rejects.toThrow('has no access');
});

test('a place that was seen once is known while the platform is away, and looked up again when it is back', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const one = targets();
  await one.find('slack:C1', who('owner'));
  vi.advanceTimersByTime(2 * 3_600_000);
  const there = found;
  found = () => {
    throw new DeliveryError('away', { retryAfterMs: 1_000 });
  };
  await expect(one.find('slack:C1', who('owner'))).resolves.toMatchObject({ chat: 'C1' });
  await expect(one.find('slack:D1', who('owner'))).rejects.toThrow('away');
  found = () => {
    throw new DeliveryError('not in channel');
  };
  await expect(one.find('slack:C1', who('owner'))).rejects.toThrow('not in channel');
  found = there;
  await one.find('slack:C1', who('owner'));
  expect(looks).toEqual(['C1', 'C1', 'D1', 'C1', 'C1']);
});

test('a thread is looked up as one, beside its conversation', async () => {
  const one = targets();
  await one.find('slack:C1:171.5', who('owner'));
  await one.find('slack:C1', who('owner'));
  expect(looks).toEqual(['C1 171.5', 'C1']);
});

test.each(['local', 'api'])('what is on this machine alone is no place to write to: %s', async (name) => {
  id = name;
  await expect(targets().find(`${name}:x`, who('owner'))).rejects.toThrow(`The channel ${name} of ${name}:x is not on`);
});

test('a channel that cannot say what is there has no places', async () => {
  const blind = createOutboundTargets({
    channelOf: () => {
      const { findPlace: _none, ...channel } = channelLike();
      return channel;
    },
    ...{ people, rulesOf: () => rules },
  });
  await expect(blind.find('slack:C1', who('owner'))).rejects.toThrow("I can't see slack:C1");
});

test('the words of a refusal stay short, and a channel that is not there yet says when to come back', async () => {
  await expect(find('x'.repeat(10_000))).rejects.toThrow(`"${'x'.repeat(80)}" isn't an address`);
  account = '';
  await expect(targets().find('slack:C1', who('owner'))).rejects.toMatchObject({
    ...{ message: 'slack is not connected yet', retryAfterMs: 5_000 },
  });
});

test('an address that names the bot waits for its channel to connect, and is refused once that is another bot', async () => {
  account = '';
  const one = targets();
  await expect(one.find('slack@A1:C1', who('owner'))).rejects.toMatchObject({ retryAfterMs: 5_000 });
  expect(one.read('slack@A1:C1')).toMatchObject({ account: 'A1' });
  account = 'A2';
  await expect(one.find('slack@A1:C1', who('owner'))).rejects.toThrow('belongs to a different bot than the one in use');
});

test('an owner may have something sent to the account they write from, whatever the list says', async () => {
  rules = { ...OPEN, dm: 'allowlist', allow: [] };
  const alex: Principal = { ...who('owner'), user: 'U1', person: 'alex' };
  await expect(targets().find('slack:D1', alex)).resolves.toMatchObject({ chat: 'D1' });
  await expect(targets().find('slack:D7', alex)).rejects.toThrow('has no access');
});

test('whether one person alone reads it is false where nobody can say', async () => {
  const one = targets();
  expect([await one.isDirect('slack:D1'), await one.isDirect('slack:C1'), await one.isDirect('nowhere')]).toEqual([
    ...[true, false, false],
  ]);
  found = () => {
    throw new Error('a defect');
  };
  await expect(one.isDirect('slack:C9')).rejects.toThrow('a defect');
});
