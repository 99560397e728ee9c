/** What a script reaches: nothing without `network`, and with it the public internet through the proxy alone, never what is near. */
import { once } from 'node:events';
import { createServer as createHttp } from 'node:http';
import type net from 'node:net';
import { createServer } from 'node:net';
import os from 'node:os';
import { describe, expect, onTestFinished, test } from 'vitest';
import { isPublicAddress } from '../../src/lib/public-address.ts';
import { runScript, type ScriptOrder } from '../../src/skills/script.ts';
import { IN_SANDBOX, isSandboxed } from '../helpers/sandbox.ts';
import { folder } from './helpers.ts';

/** A service on every interface of this machine, which counts who comes. */
async function service(): Promise<{ port: number; came: () => number }> {
  let count = 0;
  const server = createServer((socket) => {
    count++;
    socket.on('error', () => undefined).end('hello\n');
  });
  server.listen(0, '0.0.0.0');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return { port: (server.address() as net.AddressInfo).port, came: () => count };
}

const bash = (text: string, order: Partial<ScriptOrder> = {}) =>
  runScript({ script: { shell: 'bash', text: `set +e\n${text}` }, variables: {}, cwd: folder(), ...order });

/** Asks the proxy as a program would, and prints what it says. */
const asked = (lines: string[]) =>
  `exec 3<>/dev/tcp/127.0.0.1/3128 && printf '%s\\r\\n' ${lines.map((line) => `'${line}'`).join(' ')} '' >&3 && timeout 20 cat <&3`;

const own = Object.values(os.networkInterfaces()).flatMap((each) => each ?? []);
const NEAR = [
  ...['127.0.0.1', 'localhost', '127.1.2.3', '0.0.0.0', '[::1]', '[::ffff:127.0.0.1]', '169.254.169.254', '10.0.0.1'],
  ...['172.16.0.1', '192.168.1.1', '100.64.0.1', '[fe80::1]', '[fc00::1]', '[64:ff9b::7f00:1]', '2130706433', '0x7f.1'],
  ...own.map(({ address, family }) => (family === 'IPv6' ? `[${address}]` : address)),
];

test("this machine's own addresses are near, whatever they are", () => {
  expect(own.filter(({ address }) => isPublicAddress(address))).toEqual([]);
  expect(isPublicAddress('1.1.1.1')).toBe(true);
});

describe(`the network ${IN_SANDBOX}`, () => {
  test.skipIf(!isSandboxed)('is not there without a word, and with it leads to nothing of this machine', async () => {
    const { port, came } = await service();
    for (const network of [false, true])
      for (const address of [
        '127.0.0.1',
        ...own.filter(({ family }) => family === 'IPv4').map((each) => each.address),
      ]) {
        const { stdout } = await bash(`cat < /dev/tcp/${address}/${port}`, { network });
        expect([network, address, stdout, came()]).toEqual([network, address, '', 0]);
      }
  });

  test.skipIf(!isSandboxed)(`leads by the proxy to none of ${NEAR.length} addresses that are near`, async () => {
    const { port, came } = await service();
    const texts = NEAR.flatMap((host) => [
      asked([`CONNECT ${host}:${port} HTTP/1.1`, `Host: ${host}:${port}`]),
      asked([`GET http://${host}:${port}/ HTTP/1.1`, `Host: ${host}:${port}`, 'Connection: close']),
    ]);
    const { stdout } = await bash(texts.map((text) => `( ${text} ); echo; echo -- end`).join('\n'), {
      network: true,
    });
    const answers = stdout.split('-- end').slice(0, -1);
    expect(answers).toHaveLength(texts.length);
    for (const [index, answer] of answers.entries())
      expect(answer.trim(), texts[index]).toMatch(/^HTTP\/1\.1 (403|502|400) /);
    expect(came()).toBe(0);
  });

  test.skipIf(!isSandboxed)('a name that leads here is refused, and none is asked twice', async () => {
    const { port, came } = await service();
    const resolve = async () => [
      { address: '1.1.1.1', family: 4 },
      { address: '127.0.0.1', family: 4 },
    ];
    const text = asked([`CONNECT rebound.example:${port} HTTP/1.1`, 'Host: x']);
    const { stdout } = await bash(text, { network: true, reach: { resolve } });
    expect(stdout).toContain('403 Forbidden');
    expect(came()).toBe(0);
  });

  test.skipIf(!isSandboxed)(
    'what is public is reached, by http and through a tunnel, and the command ends as it ended',
    async () => {
      const server = createHttp((request, response) => {
        const parts: Buffer[] = [];
        request.on('data', (part: Buffer) => parts.push(part));
        request.on('end', () =>
          response.end(`${request.method} ${request.url} ${Buffer.concat(parts)} ${request.headers.host}`),
        );
      });
      server.listen(0, '127.0.0.1');
      await once(server, 'listening');
      onTestFinished(() => void server.close());
      const host = `127.0.0.1:${(server.address() as net.AddressInfo).port}`;
      const reach = { allowed: [host] };
      const plain = asked([
        `POST http://${host}/a?b HTTP/1.1`,
        `Host: ${host}`,
        'Content-Length: 0',
        'Connection: close',
      ]);
      expect((await bash(plain, { network: true, reach })).stdout).toContain(`POST /a?b  ${host}`);
      const tunnel = asked([
        `CONNECT ${host} HTTP/1.1`,
        'Host: x',
        '',
        'GET /t HTTP/1.1',
        `Host: ${host}`,
        'Connection: close',
      ]);
      expect((await bash(tunnel, { network: true, reach })).stdout).toContain(`GET /t  ${host}`);
      const ended = await bash('echo "$https_proxy"; echo out; echo err >&2; exit 7', { network: true });
      expect(ended).toMatchObject({ code: 7, stdout: 'http://127.0.0.1:3128\nout\n', stderr: 'err\n' });
      const late = await bash('sleep 60', { network: true, timeoutMs: 3000 });
      expect(late).toMatchObject({ timedOut: true });
    },
  );
});
