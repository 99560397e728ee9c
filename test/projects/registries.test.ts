/** Commands with `network: registries`, against an emulated registry: they install, and get nowhere else. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { createServer } from 'node:https';
import net, { type AddressInfo } from 'node:net';
import path from 'node:path';
import type { TLSSocket } from 'node:tls';
import { describe, expect, it, onTestFinished } from 'vitest';
import { readFirstBytes } from '../../src/skills/client-hello.ts';
import { IN_SANDBOX, isSandboxed } from '../helpers/sandbox.ts';
import { tempFolder } from '../helpers/temp.ts';
import { openShop } from './commands.ts';

const NPM = 'registry.npmjs.org';

/** A registry with one package, and a project whose commands take it for the real one. */
async function open() {
  const folder = tempFolder();
  const [key, cert] = ['key.pem', 'cert.pem'].map((name) => path.join(folder, name)) as [string, string];
  const subject = ['-subj', `/CN=${NPM}`, '-addext', `subjectAltName=DNS:${NPM},DNS:evil.example`, '-days', '2'];
  const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  execFileSync('openssl', ['req', '-x509', ...kind, '-keyout', key, '-out', cert, ...subject], { stdio: 'pipe' });
  fs.mkdirSync(path.join(folder, 'package'));
  fs.writeFileSync(path.join(folder, 'package', 'package.json'), '{"name":"tiny","version":"1.0.0"}');
  execFileSync('tar', ['-czf', 'tiny.tgz', 'package'], { cwd: folder });
  const tarball = fs.readFileSync(path.join(folder, 'tiny.tgz'));
  const seen: string[] = [];
  const integrity = `sha512-${createHash('sha512').update(tarball).digest('base64')}`;
  const version = {
    name: 'tiny',
    version: '1.0.0',
    dist: { tarball: `https://${NPM}/tiny/-/tiny-1.0.0.tgz`, integrity },
  };
  const tiny = { name: 'tiny', 'dist-tags': { latest: '1.0.0' }, versions: { '1.0.0': version } };
  const answer = (request: IncomingMessage) => {
    seen.push(`${(request.socket as TLSSocket & { servername?: string }).servername} ${request.url}`);
    if (request.url === '/tiny') return JSON.stringify(tiny);
    return request.url?.endsWith('.tgz') ? tarball : '{}';
  };
  const options = { key: fs.readFileSync(key), cert: fs.readFileSync(cert) };
  const server = createServer(options, (request, response) => response.end(answer(request)));
  const plain = net.createServer((socket) => {
    socket.on('data', () => seen.push('plain'));
    socket.on('error', () => undefined).end('HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nplain');
  });
  for (const each of [server, plain]) {
    await new Promise<void>((resolve) => each.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void each.close());
  }
  const at = (each: typeof plain | typeof server) => ({
    host: '127.0.0.1',
    port: (each.address() as AddressInfo).port,
  });
  const near = {
    standIns: { [`${NPM}:443`]: at(server), 'deb.debian.org:80': at(plain) },
    resolve: async (name: string) => [{ address: name === 'pypi.org' ? '127.0.0.1' : '169.254.169.254', family: 4 }],
  };
  const files = {
    'package.json': '{"name":"shop","version":"1.0.0"}',
    'ca.pem': fs.readFileSync(cert, 'utf8'),
    'tunnel.js': TUNNEL,
  };
  return { ...(await openShop(files, 'registries', near)), seen, port: at(plain).port };
}

/** `node tunnel.js HOST:PORT NAME|-|plain`: what comes back through a tunnel. */
const TUNNEL = `
const [place, name] = process.argv.slice(2);
const socket = require('net').connect(3128, '127.0.0.1');
const say = (text) => { console.log(text); process.exit(); };
socket.on('error', (e) => say('ended ' + e.code)).on('close', () => say('ended'));
socket.write('CONNECT ' + place + ' HTTP/1.1\\r\\nHost: ' + place + '\\r\\n\\r\\n');
socket.once('data', (head) => {
  if (!String(head).includes(' 200 ')) return say(String(head).split('\\r')[0]);
  const ask = (to) => to.on('data', (d) => say(String(d).split('\\r\\n').at(-1) || 'an answer')).write('GET /x HTTP/1.1\\r\\nHost: evil.example\\r\\n\\r\\n');
  if (name === 'plain') return ask(socket);
  const options = { socket, rejectUnauthorized: false, ...(name === '-' ? {} : { servername: name }) };
  const secure = require('tls').connect(options, () => ask(secure)).on('error', (e) => say('ended ' + e.code));
});
setTimeout(() => say('nothing'), 20000);`;

describe.skipIf(!isSandboxed)(`a command that reaches registries, ${IN_SANDBOX}`, () => {
  it('installs a package from one', async () => {
    const { call, folder, seen } = await open();
    const result = await call(
      'npm_config_cafile=$PWD/ca.pem npm install --no-audit --no-fund --no-update-notifier tiny',
      { timeout: 100 },
    );
    expect(result).toMatchObject({ exit: 0 });
    expect(fs.existsSync(path.join(folder, 'node_modules/tiny/package.json'))).toBe(true);
    const asked = [`${NPM} /tiny`, `${NPM} /tiny/-/tiny-1.0.0.tgz`];
    expect(seen).toEqual(asked);
    // The next command has it.
    expect(await call('rm -rf node_modules && npm ci --offline --no-audit', { timeout: 100 })).toMatchObject({
      exit: 0,
    });
    expect(fs.existsSync(path.join(folder, 'node_modules/tiny/package.json'))).toBe(true);
    expect(seen).toEqual(asked);
  });

  it('gets nowhere else: under no other name, not without TLS, and not where a name leads to what is near', async () => {
    const { call, seen, port } = await open();
    const tried: [place: string, name: string, answer: RegExp][] = [
      [`${NPM}:443`, NPM, /^\{\}$/],
      [`${NPM}:443`, 'evil.example', /^ended/],
      [`${NPM}:443`, '-', /^ended/],
      [`${NPM}:443`, 'plain', /^ended/],
      ['deb.debian.org:80', 'plain', /^ended/],
      ['evil.example:443', 'evil.example', /403/],
      [`${NPM}.:443`, NPM, /403/],
      [`${NPM}:80`, 'plain', /403/],
      ['pypi.org:443', 'pypi.org', /403/],
      ['github.com:443', 'github.com', /403/],
      [`127.0.0.1:${port}`, 'plain', /403/],
      [`localhost:${port}`, 'plain', /403/],
    ];
    const commands = tried.map(([place, name]) => `node tunnel.js ${place} ${name}`).join('; ');
    const { output, refused } = await call(commands, { timeout: 100 });
    const lines = String(output).split('\n');
    for (const [at, [place, name, answer]] of tried.entries()) expect(lines[at], `${place} ${name}`).toMatch(answer);
    expect(seen).toEqual([`${NPM} /x`]);
    expect(refused).toContain(`${NPM}:443 as "evil.example"`);
    expect(refused).toContain('evil.example:443');
    const http = `curl -s -H 'Host: evil.example' http://127.0.0.1:${port}/ http://localhost:${port}/ http://pypi.org/ | head -c 300`;
    expect((await call(http)).output).not.toContain('plain');
  });
});

describe('the first bytes of a connection', () => {
  const hello = (extensions: Buffer) => {
    const body = Buffer.concat([
      Buffer.alloc(34),
      Buffer.from([0, 0, 2, 19, 1, 1, 0, 0, extensions.length]),
      extensions,
    ]);
    const message = Buffer.concat([Buffer.from([1, 0, 0, body.length]), body]);
    const record = (part: Buffer) => Buffer.concat([Buffer.from([22, 3, 1, 0, part.length]), part]);
    return { one: record(message), two: Buffer.concat([record(message.subarray(0, 9)), record(message.subarray(9))]) };
  };
  const named = Buffer.concat([Buffer.from([0, 0, 0, 12, 0, 10, 0, 0, 7]), Buffer.from('Pypi.ab')]);

  it('are read in any pieces, as one record or several', () => {
    const { one, two } = hello(named);
    for (const bytes of [one, two]) {
      expect(readFirstBytes(bytes)).toEqual({ is: 'hello', name: 'pypi.ab', isHidden: false });
      for (let length = 0; length < bytes.length; length++)
        expect(readFirstBytes(bytes.subarray(0, length))).toEqual({ is: 'part' });
    }
    expect(readFirstBytes(hello(Buffer.alloc(0)).one)).toEqual({ is: 'hello', isHidden: false });
    expect(readFirstBytes(hello(Buffer.from([0xfe, 0x0d, 0, 0])).one)).toEqual({ is: 'hello', isHidden: true });
    // Of two names, servers may take either, so that neither counts.
    expect(readFirstBytes(hello(Buffer.concat([named, named])).one)).toMatchObject({ is: 'hello', isHidden: true });
  });

  it('are nothing else than they are, whatever was changed in them', () => {
    const { one } = hello(named);
    for (let at = 0; at < one.length; at++)
      for (const value of [0, 1, 0x7f, 0xff]) {
        const changed = Buffer.from(one);
        changed[at] = value;
        expect(['hello', 'part', 'other']).toContain(readFirstBytes(changed).is);
      }
    for (const text of ['GET / HTTP/1.1\r\n', 'SSH-2.0-x', '\x16\x02', '\x17\x03\x03\0\x01a'])
      expect(readFirstBytes(Buffer.from(text, 'latin1'))).toEqual({ is: 'other' });
  });
});
