/**
 * The channel of `examples/webhook-channel` through the suite of every channel, in a whole gateway. The program builds the
 * channels that its configuration knows and has no way to take one from outside; so what a channel in the tree would write into
 * four files stands here in their place: its entry in the table of channels, its access rules, its settings, its people.
 */
import path from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createWebhookChannel } from '../../examples/webhook-channel/channel.ts';
import { decode } from '../../examples/webhook-channel/decode.ts';
import type { AccessConfig } from '../../src/channels/kind.ts';
import { createLog } from '../../src/log.ts';
import { contract } from '../channels/contract.ts';
import { waitFor } from '../platforms/platform.ts';
import { openPlatforms, type PlatformWorldOptions } from '../platforms/world.ts';
import { PATH, type WebhookPlatform, webhookPlatform } from './webhook-platform.ts';

const plug = vi.hoisted(() => ({
  platform: undefined as WebhookPlatform | undefined,
  access: undefined as AccessConfig | undefined,
}));

vi.mock('../../src/app/channels.ts', async (original) => {
  const module = await original<typeof import('../../src/app/channels.ts')>();
  return {
    ...module,
    async buildChannels(...[open, options]: Parameters<typeof module.buildChannels>) {
      await module.buildChannels(open, options);
      if (!plug.platform) return;
      const { channels, mounts } = open.host.built;
      const channel = createWebhookChannel({ ...plug.platform.settings, log: open.gw.log });
      channels.set(channel.id, channel);
      mounts.set(PATH, channel.webhook);
      plug.platform.gatewayFile = path.join(open.gw.home.run, 'gateway.json');
    },
  };
});

vi.mock('../../src/config/access-rules.ts', async (original) => {
  const module = await original<typeof import('../../src/config/access-rules.ts')>();
  return {
    ...module,
    accessRulesOf: (...[config, place]: Parameters<typeof module.accessRulesOf>) =>
      place.channel === 'webhook' && plug.access ? plug.access : module.accessRulesOf(config, place),
  };
});

vi.mock('../../src/app/live.ts', async (original) => {
  const module = await original<typeof import('../../src/app/live.ts')>();
  return {
    ...module,
    openLive(options: Parameters<typeof module.openLive>[0]) {
      const { live, settings } = module.openLive(options);
      const get: typeof settings.get = (address) => ({ queue: 'followup', ...settings.get(address) });
      return { live, settings: { ...settings, get } };
    },
  };
});

async function plugIn({ sections = {} }: PlatformWorldOptions): Promise<WebhookPlatform> {
  const platform = await webhookPlatform();
  onTestFinished(() => expect(platform.problems).toEqual([]));
  const [own] = Object.values(sections);
  const given = own?.access as Partial<AccessConfig> | undefined;
  plug.access = {
    ...{ dm: 'pairing', groups: 'mention', allow: [], memory: 'direct' },
    ...(given ? { chats: [], ...given } : { chats: [platform.room.chat] }),
  };
  plug.platform = platform;
  return platform;
}

contract('webhook', plugIn);

describe('webhook: what is its own', () => {
  it('takes nothing without the secret, too large or unreadable, and keeps to its protocol', async () => {
    const platform = await plugIn({});
    const { llm } = await openPlatforms({ on: [], plugged: platform });
    const event = JSON.stringify({ id: 'e1', chat: 'dm-alex', direct: true, from: { id: 'alex' }, text: 'hello' });
    expect(await platform.post(event, { 'x-webhook-secret': 'a-secret-of-others' })).toBe(401);
    expect(await platform.post('x'.repeat(300_000))).toBe(413);
    expect(await platform.post('{"id":')).toBe(400);
    expect(await platform.post('{"id":"../x","chat":"a","from":{"id":"alex"}}')).toBe(400);
    expect(llm.requests()).toHaveLength(0);
    expect(await platform.post(event)).toBe(200);
    expect(await platform.post(event)).toBe(200);
    await waitFor(platform, platform.dm('alex'));
    expect(llm.requests()).toHaveLength(1);
    expect(platform.problems).toEqual([]);
  });

  it('writes out where links lead', async () => {
    const platform = await plugIn({});
    const { llm } = await openPlatforms({ on: [], plugged: platform });
    llm.script(() => ({ text: 'see [the page](https://example.org/a) and <https://example.org/b>' }));
    platform.say(platform.dm('alex'), 'where?');
    const answer = await waitFor(platform, platform.dm('alex'), { text: 'see' });
    expect(answer.text).toBe('see the page (https://example.org/a) and https://example.org/b');
  });

  it('refuses settings that cannot work, by name', async () => {
    const log = createLog({ level: 'fatal', pretty: false, write: vi.fn() });
    const channel = createWebhookChannel({ secret: 'short', callback: 'https://example.org/', log });
    const callbacks = {
      onMessage: vi.fn(),
      onInterrupt: vi.fn(),
      onSuggest: vi.fn(),
      onDropped: vi.fn(),
      onStatus: vi.fn(),
    };
    await expect(channel.connect(callbacks)).rejects.toThrow(/webhook\.secret[\s\S]*webhook\.callback/);
  });

  it('reads whatever it is given', () => {
    for (const event of [null, [], 7, {}, { id: 1 }, { id: 'a', chat: 'b' }, { id: 'a', chat: 'b', from: [] }])
      expect(decode(event)).toBeUndefined();
    const files = [{}, { id: '../../etc' }, { id: 'f', name: 'a\u202eb\n.txt', size: -1 }];
    const read = decode({ id: 'a', chat: 'b', from: { id: 'c' }, text: '\ud800', files });
    expect(read).toMatchObject({ text: '\ufffd', files: [{ id: 'f', name: 'ab .txt' }], isMention: false });
  });
});
