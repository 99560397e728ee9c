import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { RemoteFile } from '../../../src/channels/channel.ts';
import { createApi } from '../../../src/channels/telegram/connect/api.ts';
import { createDownload } from '../../../src/channels/telegram/connect/download.ts';
import { UserError } from '../../../src/errors.ts';
import { TEST_TOKEN } from '../../emulators/telegram.ts';
import { serve } from '../../helpers/serve.ts';
import { ALEX, type Bench, startBench } from './harness.ts';

const MB = 1024 * 1024;
const never = new AbortController().signal;

async function received(bench: Bench, sent: Parameters<Bench['telegram']['sendFile']>[1]): Promise<RemoteFile> {
  bench.telegram.sendFile(ALEX, sent);
  await bench.connect();
  await bench.eventually(() => bench.got.some(({ message }) => message.files.length > 0));
  const file = bench.got.flatMap(({ message }) => message.files)[0];
  if (!file) throw new Error('no file');
  return file;
}

function target(): string {
  return path.join(mkdtempSync(path.join(tmpdir(), 'telegram-')), 'file');
}

function fetched(bench: Bench, file: RemoteFile, to: string, maxBytes = 20 * MB, signal = never): Promise<unknown> {
  return bench.channel.download?.(file, to, maxBytes, signal).catch((error: unknown) => error) ?? Promise.resolve();
}

describe('a file of a message', () => {
  it('comes to disk with its hash, readable by nobody else', async () => {
    const bench = await startBench();
    const bytes = Buffer.from('# Plan\n'.repeat(10_000));
    const file = await received(bench, { name: 'plan.md', mimeType: 'text/markdown', bytes });
    const to = target();
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    expect(await fetched(bench, file, to)).toEqual({
      path: to,
      name: 'plan.md',
      mimeType: 'text/markdown',
      size: bytes.length,
      sha256,
    });
    expect(readFileSync(to).equals(bytes)).toBe(true);
    expect(statSync(to).mode & 0o777).toBe(0o600);
  });

  it('larger than the limit is not asked for', async () => {
    const bench = await startBench();
    const file = await received(bench, { name: 'big.bin', size: 3 * MB });
    const to = target();
    expect(await fetched(bench, file, to, 2 * MB)).toEqual(
      new UserError('The file big.bin is too large: the limit is 2 MB.'),
    );
    expect([existsSync(to), bench.telegram.requests('getFile')]).toEqual([false, []]);
  });

  it('larger than what Telegram gives is refused in its words', async () => {
    const bench = await startBench();
    const file = await received(bench, { name: 'big.bin', size: 25 * MB });
    expect(await fetched(bench, file, target(), 100 * MB)).toEqual(
      new UserError('The file big.bin is too large: Telegram gives bots files of up to 20 MB.'),
    );
  });

  it('declared as smaller than it is stops at the limit and leaves nothing', async () => {
    const bench = await startBench();
    const { size: _declared, ...file } = await received(bench, {
      name: 'liar.bin',
      bytes: Buffer.alloc(2 * MB),
      size: 10,
    });
    const to = target();
    expect(await fetched(bench, { ...file, size: 10 }, to, MB)).toEqual(
      new UserError('The file liar.bin is too large: the limit is 1 MB.'),
    );
    expect(existsSync(to)).toBe(false);
  });

  it('does not overwrite what is there, nor remove it', async () => {
    const bench = await startBench();
    const file = await received(bench, { name: 'a.txt', text: 'new' });
    const to = target();
    writeFileSync(to, 'old');
    expect(await fetched(bench, file, to)).toMatchObject({ code: 'EEXIST' });
    expect(readFileSync(to, 'utf8')).toBe('old');
  });

  it.each([
    ['the connection breaks', { method: 'file', kind: 'reset-before' as const }],
    ['the server fails', { method: 'file', kind: 'status' as const, status: 500 }],
    ['Telegram cannot say where it is', { method: 'getFile', kind: 'status' as const, status: 502, html: true }],
    ['the answer is lost', { method: 'getFile', kind: 'reset-after' as const }],
  ])('may be tried again when %s', async (_what, fault) => {
    const bench = await startBench();
    const file = await received(bench, { name: 'a.txt', text: 'hello' });
    bench.telegram.fault(fault);
    const to = target();
    const error = await fetched(bench, file, to);
    expect(error).toBeInstanceOf(Error);
    expect(error).not.toBeInstanceOf(UserError);
    expect(`${error} ${error instanceof Error ? `${error.stack} ${error.cause}` : ''}`).not.toContain(TEST_TOKEN);
    expect(existsSync(to)).toBe(false);
    expect(await fetched(bench, file, to)).toMatchObject({ size: 5 });
  });

  it('that Telegram has no more is refused for good', async () => {
    const bench = await startBench();
    const error = await fetched(
      bench,
      { id: 'gone', name: 'a.txt', mimeType: 'text/plain', kind: 'document' },
      target(),
    );
    expect(error).toEqual(new UserError('Telegram no longer has the file a.txt; please send it again.'));
  });

  it('stops with its signal', async () => {
    const bench = await startBench();
    const file = await received(bench, { name: 'a.txt', text: 'hello' });
    bench.telegram.fault({ method: 'file', kind: 'hang' });
    const to = target();
    expect(await fetched(bench, file, to, MB, AbortSignal.timeout(50))).toBeInstanceOf(Error);
    expect(existsSync(to)).toBe(false);
  });
});

describe('a server that lies', () => {
  const file: RemoteFile = { id: 'F', name: 'x.bin', mimeType: 'application/octet-stream', kind: 'document' };
  const where = (filePath: string) =>
    JSON.stringify({ ok: true, result: { file_id: 'F', file_size: 1, file_path: filePath } });

  it('about the size is cut off by counting', async () => {
    let served = 0;
    const apiRoot = await serve((request, response) => {
      if (!request.url?.startsWith('/file/')) return void response.end(where('documents/x.bin'));
      const pump = () => {
        while (!response.destroyed && response.write(Buffer.alloc(65_536))) served += 65_536;
        response.once('drain', pump);
      };
      pump();
    });
    const to = target();
    await expect(createDownload(createApi({ token: TEST_TOKEN, apiRoot }))(file, to, MB, never)).rejects.toThrow(
      'too large',
    );
    expect(existsSync(to)).toBe(false);
    expect(served).toBeLessThan(20 * MB);
  });

  it('about the place is not followed', async () => {
    const asked: string[] = [];
    const apiRoot = await serve((request, response) => {
      asked.push(request.url ?? '');
      if (!request.url?.startsWith('/file/')) return void response.end(where('a/../../../etc/passwd'));
      response.end('secret');
    });
    const to = target();
    await expect(createDownload(createApi({ token: TEST_TOKEN, apiRoot }))(file, to, MB, never)).rejects.toThrow(
      UserError,
    );
    expect(asked.length).toBe(1);
  });

  it('by sending elsewhere is not followed', async () => {
    const apiRoot = await serve((request, response) => {
      if (!request.url?.startsWith('/file/')) return void response.end(where('documents/x.bin'));
      response.writeHead(302, { location: 'http://127.0.0.1:9/' }).end();
    });
    const to = target();
    await expect(createDownload(createApi({ token: TEST_TOKEN, apiRoot }))(file, to, MB, never)).rejects.toThrow(
      'could not be fetched',
    );
    expect(existsSync(to)).toBe(false);
  });
});

describe('a Bot API server of our own in local mode', () => {
  const kept = () => mkdtempSync(path.join(tmpdir(), 'bot-api-'));

  it('names files by path: they are read below the configured folder, also those over 20 MB', async () => {
    const folder = kept();
    const bench = await startBench({ localFiles: [kept(), folder] });
    bench.telegram.serveLocally(folder);
    expect(bench.channel.limits).toMatchObject({ uploadBytes: 2000 * MB, downloadBytes: 2000 * MB });
    const file = await received(bench, {
      name: 'plan.md',
      mimeType: 'text/markdown',
      bytes: Buffer.alloc(21 * MB, 'x'),
    });
    const to = target();
    expect(await fetched(bench, file, to, 30 * MB)).toMatchObject({ path: to, name: 'plan.md', size: 21 * MB });
    const small = await fetched(bench, file, target(), 20 * MB);
    expect(String(small)).toMatch(/too large/);
  });

  it.each(['outside', 'beside', 'link to a file', 'link to a folder', 'folder', 'path of a folder', 'climbing'])(
    'what is not a file below it is not read: %s',
    async (kind) => {
      const [folder, other] = [kept(), kept()];
      writeFileSync(path.join(other, 'secret'), 'secret');
      mkdirSync(path.join(folder, 'photos'));
      mkdirSync(`${folder}-2`);
      writeFileSync(`${folder}-2/secret`, 'secret');
      symlinkSync(path.join(other, 'secret'), path.join(folder, 'link'));
      symlinkSync(other, path.join(folder, 'linked'));
      const named = {
        outside: path.join(other, 'secret'),
        beside: `${folder}-2/secret`,
        'link to a file': path.join(folder, 'link'),
        'link to a folder': path.join(folder, 'linked/secret'),
        folder: path.join(folder, 'photos'),
        'path of a folder': `${folder}/photos/`,
        climbing: `${folder}/photos/../../${path.basename(other)}/secret`,
      }[kind];
      const api = { call: async () => ({ file_path: named }), fileUrl: () => 'http://127.0.0.1:1/' };
      const file: RemoteFile = { id: 'x', name: 'x', mimeType: 'text/plain', kind: 'document' };
      const to = target();
      const failed = createDownload(api, [folder])(file, to, MB, never).catch((error: unknown) => error);
      expect(await failed).toBeInstanceOf(UserError);
      expect(existsSync(to)).toBe(false);
    },
  );

  it('says what is missing, and nothing of its path, which holds the token', async () => {
    const folder = kept();
    mkdirSync(path.join(folder, TEST_TOKEN));
    symlinkSync('/etc', path.join(folder, TEST_TOKEN, 'documents'));
    const api = { call: async () => ({ file_path: '' }), fileUrl: () => 'http://127.0.0.1:1/' };
    const file: RemoteFile = { id: 'x', name: 'x', mimeType: 'text/plain', kind: 'document' };
    const failure = async (named: string, folders: string[]) => {
      api.call = async () => ({ file_path: named });
      return String(await createDownload(api, folders)(file, target(), MB, never).catch((error: unknown) => error));
    };
    const linked = await failure(`${folder}/${TEST_TOKEN}/documents/passwd`, [folder]);
    expect(linked).toContain("a file that I can't read");
    expect(linked).not.toContain(TEST_TOKEN);
    expect(await failure(`${folder}-none/x/y`, [`${folder}-none`])).toContain('does not exist on this machine');
  });

  it.each(['//', '/../{}/', '/./'])('a folder that is written with %s is that folder', async (how) => {
    const folder = kept();
    const bench = await startBench({ localFiles: [folder + how.replace('{}', path.basename(folder))] });
    bench.telegram.serveLocally(folder);
    const file = await received(bench, { name: 'plan.md', mimeType: 'text/markdown', bytes: Buffer.from('x') });
    expect(await fetched(bench, file, target())).toMatchObject({ size: 1 });
  });

  it('has the time that a large file takes it before it names the place', async () => {
    const asked: unknown[] = [];
    const api = {
      async call(_method: string, _params: object, options?: { timeoutMs?: number }) {
        asked.push(options?.timeoutMs);
        return { file_path: '/none' };
      },
      fileUrl: () => 'http://127.0.0.1:1/',
    };
    const file: RemoteFile = { id: 'x', name: 'x', mimeType: 'text/plain', kind: 'document', size: 1000 * MB };
    await createDownload(api, [kept()])(file, target(), 2000 * MB, never).catch((error: unknown) => error);
    expect(asked).toEqual([60_000 + Math.ceil((1000 * MB) / 500)]);
  });

  it('without the setting a path names the setting', async () => {
    const bench = await startBench();
    bench.telegram.serveLocally(kept());
    const file = await received(bench, { name: 'plan.md', mimeType: 'text/markdown', bytes: Buffer.from('x') });
    expect(String(await fetched(bench, file, target()))).toContain('channels.telegram.localFiles');
  });
});
