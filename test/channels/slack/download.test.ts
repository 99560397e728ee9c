/** Files of people: where the token may go, how much is written, and what is said when Slack does not give them. */
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import type { RemoteFile } from '../../../src/channels/channel.ts';
import { createHosts } from '../../../src/channels/slack/connect/hosts.ts';
import { UserError } from '../../../src/errors.ts';
import { serve } from '../../helpers/serve.ts';
import { type Bench, startBench } from './harness.ts';

const folder = mkdtempSync(join(tmpdir(), 'slack-files-'));
afterAll(() => rmSync(folder, { recursive: true }));
let count = 0;
const target = () => join(folder, `f${count++}`);
const MB = 1024 * 1024;

async function shared(bench: Bench, bytes: Buffer, name = 'data.bin'): Promise<RemoteFile> {
  bench.slack.shareFile(bench.slack.dmChannel('U0ALEX000'), [{ name, bytes, mimeType: 'application/octet-stream' }]);
  await bench.slack.settled();
  const file = bench.got.at(-1)?.message.files[0];
  if (!file) throw new Error('no file came');
  return file;
}

function fetchTo(bench: Bench, file: RemoteFile, path: string, max = 20 * MB) {
  if (!bench.channel.download) throw new Error('cannot download');
  return bench.channel.download(file, path, max, new AbortController().signal);
}

test('a shared file comes whole, private to us', async () => {
  const bench = await startBench();
  await bench.connect();
  const bytes = Buffer.alloc(300_000, 'abc');
  const path = target();
  const got = await fetchTo(bench, await shared(bench, bytes), path);
  expect(got).toMatchObject({ path, name: 'data.bin', size: bytes.length });
  expect(got.sha256).toBe(createHash('sha256').update(bytes).digest('hex'));
  expect(readFileSync(path).equals(bytes)).toBe(true);
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

test('what an event does not tell of a file from another workspace is learnt when it is fetched', async () => {
  const bench = await startBench();
  await bench.connect();
  const extra = { subtype: 'slack_audio', duration_ms: 4000 };
  const clip = { name: 'audio_message.m4a', bytes: Buffer.from('abc'), mimeType: 'audio/mp4', extra };
  bench.slack.shareFile(bench.slack.dmChannel('U0ALEX000'), [clip]);
  await bench.slack.settled();
  const { id = '' } = bench.got.at(-1)?.message.files[0] ?? {};
  const [told = ''] = id.split(' ');
  const untold: RemoteFile = { id: told, name: 'file', mimeType: 'application/octet-stream', kind: 'document' };
  expect(await fetchTo(bench, untold, target())).toMatchObject({
    ...{ name: 'audio_message.m4a', mimeType: 'audio/mp4', size: 3 },
    remote: { kind: 'voice', name: 'audio_message.m4a', mimeType: 'audio/mp4', seconds: 4 },
  });
});

test('too large: as declared, and as it comes', async () => {
  const bench = await startBench();
  await bench.connect();
  const file = await shared(bench, Buffer.alloc(200_000));
  const path = target();
  await expect(fetchTo(bench, file, path, 100_000)).rejects.toBeInstanceOf(UserError);
  const { size: _declared, ...lying } = file;
  await expect(fetchTo(bench, lying, path, 100_000)).rejects.toThrow(/too large/);
  expect(existsSync(path)).toBe(false);
});

test('a page to log in on, instead of the file, names the scope', async () => {
  const bench = await startBench();
  await bench.connect();
  const file = await shared(bench, Buffer.from('x'));
  bench.slack.setScopes(['chat:write']);
  await expect(fetchTo(bench, file, target())).rejects.toThrow(/files:read/);
});

test('a file whose address is not known is asked for', async () => {
  const bench = await startBench();
  await bench.connect();
  const file = await shared(bench, Buffer.from('hello'));
  const [id = ''] = file.id.split(' ');
  expect(await fetchTo(bench, { ...file, id }, target())).toMatchObject({ size: 5 });
  await expect(fetchTo(bench, { ...file, id: 'F0NONE' }, target())).rejects.toThrow(/no longer has/);
});

test('a connection that breaks leaves no file behind', async () => {
  const bench = await startBench();
  await bench.connect();
  const file = await shared(bench, Buffer.from('hello'));
  bench.slack.fault({ method: 'file', kind: 'reset' });
  const path = target();
  await expect(fetchTo(bench, file, path)).rejects.toThrow(/could not be fetched/);
  bench.slack.fault({ method: 'file', kind: 'status', status: 503 });
  await expect(fetchTo(bench, file, path)).rejects.toThrow(/status 503/);
  expect(existsSync(path)).toBe(false);
  expect(await fetchTo(bench, file, path)).toMatchObject({ size: 5 });
});

test('the token goes to Slack alone: not to another host, and not after a redirect', async () => {
  const seen: IncomingMessage[] = [];
  const other = await serve((request, response) => {
    seen.push(request);
    response.end('stolen');
  });
  const elsewhere = `${other}/x`;
  const bench = await startBench();
  await bench.connect();
  const file = await shared(bench, Buffer.from('x'));
  await expect(fetchTo(bench, { ...file, id: `F1 ${elsewhere}` }, target())).rejects.toThrow(/outside Slack/);
  expect(seen).toEqual([]);
});

test('hosts are exact', () => {
  const real = createHosts('https://slack.com/api/');
  expect(real.isFiles('https://files.slack.com/files-pri/T1-F1/x')).toBe(true);
  for (const url of [
    ...[
      'http://files.slack.com/x',
      'https://files.slack.com.evil.example/x',
      'https://slack.com/x',
      'https://evil.example/x',
    ],
    ...[
      'https://files.slack.com:444/x',
      'https://files.slack.com@evil.example/x',
      'https://u:p@files.slack.com/x',
      'nonsense',
    ],
    ...['http://127.0.0.1/x', 'file:///etc/passwd'],
  ])
    expect(real.isFiles(url), url).toBe(false);
  expect(real.isHooks('https://hooks.slack.com/commands/T1/1/x')).toBe(true);
  expect(real.isHooks('https://files.slack.com/x')).toBe(false);
  const test = createHosts('http://127.0.0.1:4000/api/');
  expect(test.isFiles('http://127.0.0.1:4000/files/x')).toBe(true);
  expect(test.isFiles('http://127.0.0.1:4001/files/x')).toBe(false);
});
