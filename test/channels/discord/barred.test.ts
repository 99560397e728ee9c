/** Where the bot may speak, by what Discord has told of roles, channels and threads. */
import { expect, test } from 'vitest';
import { Places } from '../../../src/channels/discord/decode/places.ts';

const ME = '99';
const SEND = String((1n << 10n) | (1n << 11n) | (1n << 38n));
const NOW = Date.parse('2026-01-01T00:00:00Z');

function world(change: { roles?: object[]; own?: object; overwrites?: object[]; thread?: object } = {}) {
  const places = new Places();
  const guild = {
    ...{ id: '1', owner_id: '2', roles: change.roles ?? [{ id: '1', permissions: SEND }] },
    members: [{ user: { id: ME }, roles: ['7'], ...change.own }],
    channels: [{ id: '10', type: 0, permission_overwrites: change.overwrites ?? [] }],
    threads: [{ id: '11', type: 11, parent_id: '10', thread_metadata: { locked: false }, ...change.thread }],
  };
  places.take('GUILD_CREATE', guild, ME);
  return places;
}

const at = (thread?: string) => ({
  channel: 'discord',
  account: ME,
  workspace: '1',
  chat: '10',
  ...(thread && { thread }),
});
const deny = (id: string) => ({ id, type: 0, allow: '0', deny: SEND });
const allow = (id: string) => ({ id, type: 0, allow: SEND, deny: '0' });

test.each(
  // biome-ignore format: a row is a line
  [
    ['everybody may', {}, undefined, undefined],
    ['everybody may not', { roles: [{ id: '1', permissions: '0' }] }, 'rights', 'rights'],
    ['a role of ours may', { roles: [{ id: '1', permissions: '0' }, { id: '7', permissions: SEND }] }, undefined, undefined],
    ['an administrator may', { roles: [{ id: '1', permissions: '8' }], overwrites: [deny('1')] }, undefined, undefined],
    ['the channel takes it from everybody', { overwrites: [deny('1')] }, 'rights', 'rights'],
    ['and gives it to our role', { overwrites: [deny('1'), allow('7')] }, undefined, undefined],
    ['and takes it from us', { overwrites: [allow('7'), deny(ME)] }, 'rights', 'rights'],
    ['the thread is locked', { thread: { thread_metadata: { locked: true } } }, undefined, 'locked'],
    ['we are in a time-out', { own: { communication_disabled_until: '2026-01-02T00:00:00Z' } }, 'muted', 'muted'],
    ['a time-out is over', { own: { communication_disabled_until: '2025-12-01T00:00:00Z' } }, undefined, undefined],
    ['nothing is known of the roles', { roles: [] }, undefined, undefined],
  ],
)('%s', (_name, change, inChannel, inThread) => {
  const places = world(change);
  for (const [thread, expected] of [
    [undefined, inChannel],
    ['11', inThread],
  ] as const) {
    expect(places.barred(at(thread), ME, NOW)).toBe(expected);
  }
});

test('what changes is known at once', () => {
  const places = world();
  places.take('CHANNEL_UPDATE', { id: '10', type: 0, guild_id: '1', permission_overwrites: [deny('1')] }, ME);
  expect(places.barred(at(), ME, NOW)).toBeDefined();
  places.take('CHANNEL_UPDATE', { id: '10', type: 0, guild_id: '1', permission_overwrites: [] }, ME);
  expect(places.barred(at(), ME, NOW)).toBeUndefined();
  places.take(
    'GUILD_MEMBER_UPDATE',
    { guild_id: '1', user: { id: ME }, roles: [], communication_disabled_until: '2026-02-01T00:00:00Z' },
    ME,
  );
  expect(places.barred(at(), ME, NOW)).toBeDefined();
  expect(places.barred({ channel: 'discord', account: ME, chat: '55' }, ME, NOW)).toBeUndefined();
});
