/** Files of people: fetched whole from the CDN, never more than allowed, and from nowhere else. */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { RemoteFile } from '../../../src/channels/channel.ts';
import type { DiscordApi } from '../../../src/channels/discord/connect/api.ts';
import { createDownload } from '../../../src/channels/discord/connect/download.ts';
import { UserError } from '../../../src/errors.ts';
import { serve } from '../../helpers/serve.ts';
import { ALEX, type Bench, startBench } from './harness.ts';

const MB = 1024 * 1024;

async function sent(
  content: string,
  options: Parameters<typeof startBench>[1] = {},
): Promise<{ bench: Bench; file: RemoteFile; target: string }> {
  const bench = await startBench({}, options);
  await bench.connect();
  bench.discord.dm(ALEX, 'look', {
    attachments: [{ name: 'notes.txt', text: content, contentType: 'text/plain; charset=utf-8' }],
  });
  const [file] = (await bench.takes(({ files }) => files.length > 0)).files;
  if (!file) throw new Error('no file');
  return { bench, file, target: path.join(await mkdtemp(path.join(tmpdir(), 'discord-')), 'file') };
}

const fetched = ({ bench, file, target }: Awaited<ReturnType<typeof sent>>, maxBytes = 20 * MB) =>
  bench.channel.download?.(file, target, maxBytes, AbortSignal.timeout(5000));

describe('a download', () => {
  it('gives the bytes, their hash and a private file', async () => {
    const all = await sent('milk and honey');
    expect(await fetched(all)).toEqual({
      path: all.target,
      name: 'notes.txt',
      mimeType: 'text/plain',
      size: 14,
      sha256: createHash('sha256').update('milk and honey').digest('hex'),
    });
    expect([readFileSync(all.target, 'utf8'), statSync(all.target).mode & 0o777]).toEqual(['milk and honey', 0o600]);
  });

  it('is refused by the declared size, and by what really comes', async () => {
    const all = await sent('x'.repeat(3000));
    await expect(fetched(all, 1000)).rejects.toBeInstanceOf(UserError);
    expect(all.bench.discord.requests().filter(({ path }) => path.includes('attachments/'))).toEqual([]);
    all.file.size = 10;
    await expect(fetched(all, 1000)).rejects.toThrow('too large');
    expect(existsSync(all.target)).toBe(false);
  });

  it('has its address signed anew when that has run out', async () => {
    const all = await sent('still here');
    const { url, cdn } = { url: all.file.id, cdn: all.bench.discord.cdn };
    const asked: unknown[] = [];
    const api: DiscordApi = {
      async call(...call) {
        asked.push(call);
        return { refreshed_urls: [{ original: '', refreshed: url }] };
      },
      close: () => undefined,
    };
    const expired = url.replace(/ex=\w+/, 'ex=65000000');
    const get = (id: string) =>
      createDownload(api, cdn)({ ...all.file, id }, all.target, MB, AbortSignal.timeout(5000));
    expect(await get(expired)).toMatchObject({ size: 10 });
    expect(asked).toMatchObject([['POST', '/attachments/refresh-urls', { body: { attachment_urls: [expired] } }]]);
  });

  it('leaves nothing behind when it breaks off', async () => {
    const all = await sent('y'.repeat(300_000));
    all.bench.discord.fault({ path: 'attachments/', kind: 'lostAnswer' });
    await expect(fetched(all)).rejects.toMatchObject({
      name: 'DownloadError',
      message: expect.stringContaining('notes.txt'),
    });
    expect(existsSync(all.target)).toBe(false);
  });

  it('never goes anywhere but to the CDN', async () => {
    const all = await sent('z');
    let visits = 0;
    const other = await serve((_request, response) => {
      visits++;
      response.end('secret');
    });
    for (const id of [
      `${other}/attachments/1/2/a.txt`,
      'file:///etc/passwd',
      'nonsense',
      `${all.bench.discord.cdn}@${new URL(other).host}/a`,
    ])
      await expect(fetched({ ...all, file: { ...all.file, id } })).rejects.toBeInstanceOf(UserError);
    expect(visits).toBe(0);
  });
});
