/** The proxy of the environment: what is far is asked through it, what runs on this machine directly. */
import { once } from 'node:events';
import fs from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { startLlm } from '../emulators/llm.ts';
import { runProgram } from '../helpers/process.ts';
import { tempFolder } from '../helpers/temp.ts';

/** Lets nobody through, and remembers who was asked for. */

async function startProxy(): Promise<{ url: string; asked: string[] }> {
  const asked: string[] = [];
  const server = http.createServer((request, response) => {
    asked.push(request.url ?? '');
    response.writeHead(502).end();
  });
  server.on('connect', (request, socket) => {
    asked.push(request.url ?? '');
    socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n');
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void server.close());
  const address: AddressInfo | string | null = server.address();
  if (address === null || typeof address === 'string') throw new Error('the proxy has no port');
  return { url: `http://127.0.0.1:${address.port}`, asked };
}

async function doctor(env: Record<string, string>): Promise<{ out: string; err: string }> {
  const llm = await startLlm();
  onTestFinished(() => llm.close());
  const home = tempFolder();
  const slack = { botToken: 'xoxb-1-2-abc', appToken: 'xapp-1-A-1-abc' };
  const discord = { token: `${Buffer.from('123456789012345678').toString('base64')}.GabcdE.${'x'.repeat(38)}` };
  const config = {
    ...{ model: 'local/m', providers: { local: { baseURL: llm.url, apiKey: 'k' } }, limits: { freeBytes: 0 } },
    channels: { telegram: { token: `123456789:${'A'.repeat(35)}` }, discord, slack },
  };
  fs.writeFileSync(path.join(home, 'config.json'), JSON.stringify(config));
  return runProgram(['doctor'], { PATH: process.env.PATH, HOME: home, OPENVIBER_HOME: home, ...env });
}

test('is used for the platforms, not for a model on this machine', async () => {
  const { url, asked } = await startProxy();
  const { out, err } = await doctor({ HTTPS_PROXY: url, HTTP_PROXY: url });
  expect(err).toBe('');
  expect(out).toMatch(/✓ model {10}local\/m answers/);
  expect([...new Set(asked)].sort()).toEqual(['api.telegram.org:443', 'discord.com:443', 'slack.com:443']);
});

test('one of another kind is named and left out', async () => {
  const { out, err } = await doctor({ HTTPS_PROXY: 'socks5://127.0.0.1:9' });
  expect(err).toContain("HTTPS_PROXY isn't used: it must be http://HOST:PORT");
  expect(out).toMatch(/✓ model {10}local\/m answers/);
});
