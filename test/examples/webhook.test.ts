/** The channel of `examples/webhook-channel`, loaded by the configuration, through the suite of every channel, in a whole gateway. */
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createWebhookChannel } from '../../examples/webhook-channel/channel.ts';
import { decode } from '../../examples/webhook-channel/decode.ts';
import { createLog } from '../../src/log.ts';
import { contract } from '../channels/contract.ts';
import { waitFor } from '../platforms/platform.ts';
import { openPlatforms } from '../platforms/world.ts';
import { type WebhookPlatform, webhookPlatform } from './webhook-platform.ts';

async function plugIn(): Promise<WebhookPlatform> {
  const platform = await webhookPlatform();
  onTestFinished(() => expect(platform.problems).toEqual([]));
  return platform;
}

contract('webhook', plugIn);

describe('webhook: what is its own', () => {
  it('takes nothing without the secret, too large or unreadable, and keeps to its protocol', async () => {
    const platform = await plugIn();
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
    const platform = await plugIn();
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
