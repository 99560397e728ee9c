/** web-fetch against a real server over TLS: what it reads, where it does not go, and what a hostile server gets out of it. */

import { once } from 'node:events';
import { connect } from 'node:net';
import { brotliCompressSync, createGzip, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { isPublicAddress, publicLookup } from '../../src/lib/public-address.ts';
import { couldCarryData } from '../../src/lib/web-addresses.ts';
import { createTools } from '../../src/runtime/tools/index.ts';
import { openTask } from '../../src/workspace/tasks/index.ts';
import { toolScope } from '../helpers/scope.ts';
import { serve as startServer } from '../helpers/serve.ts';
import { openWeb, type Web } from './web-fetch-fixtures.ts';

let web: Web;
beforeAll(async () => {
  web = await openWeb();
});
afterAll(() => web.close());
beforeEach(() => {
  web.pages.clear();
  web.seen.length = 0;
  web.attached.length = 0;
});

const serve = (path: string, type: string, body: string | Buffer, headers: Record<string, string> = {}) =>
  web.pages.set(
    path,
    (_request, response) => void response.writeHead(200, { 'content-type': type, ...headers }).end(body),
  );

describe('reading', () => {
  it('gives a page as text with title and absolute links, and says that it is data', async () => {
    serve(
      '/a/page',
      'text/html',
      '<title>Hi &amp; lo</title><h1>Head</h1><p>See <a href="../b">there</a>.<script>x</script>',
    );
    const result = await web.fetch(`${web.origin}/a/page#part`);
    expect(result).toMatchObject({
      url: `${web.origin}/a/page`,
      status: 200,
      title: 'Hi & lo',
      text: `# Head\n\nSee [there](${web.origin}/b).`,
    });
    expect(result.note).toMatch(/not instructions/);
    expect(result.more).toBeUndefined();
  });

  it('gives the links alone, or the source', async () => {
    serve('/p', 'text/html', '<a href="/1">one</a><a href="mailto:x@y">mail</a><a href="https://x.org/2">two</a>');
    const { links, text } = await web.fetch(`${web.origin}/p`, { what: 'links' });
    expect(links).toEqual([
      { text: 'one', url: `${web.origin}/1` },
      { text: 'two', url: 'https://x.org/2' },
    ]);
    expect(text).toBeUndefined();
    expect((await web.fetch(`${web.origin}/p`, { what: 'raw' })).text).toMatch(/^<a href="\/1">/);
  });

  it('asks for nothing but the page: no cookie, no credential, no referrer', async () => {
    web.pages.set(
      '/1',
      (_request, response) => void response.writeHead(302, { location: '/2', 'set-cookie': 'a=b' }).end(),
    );
    serve('/2', 'text/plain', 'there');
    expect(await web.fetch(`${web.origin}/1`)).toMatchObject({ url: `${web.origin}/2`, text: 'there' });
    const names = Object.keys(web.seen[1]?.headers ?? {}).sort();
    expect(names).toEqual(['accept', 'accept-encoding', 'connection', 'host', 'user-agent']);
  });

  it('unpacks gzip and brotli', async () => {
    serve('/gz', 'text/plain', gzipSync('packed'), { 'content-encoding': 'gzip' });
    serve('/br', 'application/json', brotliCompressSync('{"a":1}'), { 'content-encoding': 'br' });
    expect((await web.fetch(`${web.origin}/gz`)).text).toBe('packed');
    expect((await web.fetch(`${web.origin}/br`)).text).toBe('{"a":1}');
  });

  it.each(
    // biome-ignore format: a row is a line
    [
      ['a declared charset', 'text/plain; charset="iso-8859-1"', Buffer.from('caf\xe9', 'latin1'), 'café'],
      ['the meta of the page', 'text/html', Buffer.from('<meta charset=windows-1251><p>\xcf\xf0', 'latin1'), 'Пр'],
      ['a byte order mark', 'text/plain', Buffer.from('\ufeffhé', 'utf16le'), 'hé'],
      ...[
        '<meta name=viewport content="width=device-width"><meta charset=windows-1251>',
        '<meta http-equiv=X-UA-Compatible content="IE=edge">\n<meta http-equiv="Content-Type" content="text/html; charset=windows-1251">',
        '<!-- <meta charset=utf-8> --><meta charset="windows-1251"/>',
        '<meta name=description content="about charset=utf-8"><meta charset=windows-1251>',
        '<?xml version="1.0" encoding="windows-1251"?><html>',
      ].map((head): [string, string, Buffer, string] => [`what the head says: ${head}`, 'text/html', Buffer.from(`${head}<p>\xcf\xf0`, 'latin1'), 'Пр']),
      ['one that says nothing', 'text/html', Buffer.from('<p>\xcf\xf0\xe8\xe2\xe5\xf2, \xec\xe8\xf0', 'latin1'), 'Привет, мир'],
      ['Chinese that says nothing', 'text/plain', Buffer.from('xOO6w8rAvec=', 'base64'), '你好世界'],
      ['UTF-16 that it cannot be in', 'text/html', Buffer.from('<meta charset=utf-16><p>Пр'), 'Пр'],
      ['a charset nobody knows', 'text/plain; charset=klingon-8', Buffer.from('é'), 'é'],
      ['a charset that is not the true one', 'text/plain; charset=utf-8', Buffer.from('a\xe9b', 'latin1'), 'a\ufffdb'],
    ],
  )('reads %s', async (_name, type, body, text) => {
    serve('/c', type, body);
    expect((await web.fetch(`${web.origin}/c`)).text).toBe(text);
  });

  it('reads a feed as its XML declares it', async () => {
    const feed = "<?xml version='1.0' encoding='windows-1251'?><t>\xcf\xf0</t>";
    serve('/feed', 'application/rss+xml', Buffer.from(feed, 'latin1'));
    expect((await web.fetch(`${web.origin}/feed`)).text).toContain('<t>Пр</t>');
  });

  it('takes invisible characters out: words for the model alone', async () => {
    const hidden = [...'obey'].map((char) => String.fromCodePoint(0xe0000 + char.charCodeAt(0))).join('');
    serve('/h', 'text/plain', `a${hidden}\u202eb\u200b\u0007c`);
    expect((await web.fetch(`${web.origin}/h`)).text).toBe('abc');
  });

  it('hands out the beginning of long text, and read_file the rest', async () => {
    const long = `${'é'.repeat(15_999)}😀${'x'.repeat(5_000)}END`;
    serve('/long', 'text/plain', long);
    const result = await web.fetch(`${web.origin}/long`);
    expect(result).toMatchObject({ more: true, text: 'é'.repeat(15_999) });
    const { id, next } = result.saved as { id: string; next: number };
    const read = createTools(toolScope(web.home, { taskId: 'task1' })).find((tool) => tool.name === 'read_file');
    const rest = await read?.execute({ path: id, offset: next }, { signal: new AbortController().signal, callId: 'c' });
    expect(rest).toMatchObject({ text: `😀${'x'.repeat(5_000)}END` });
    const again = await web.fetch(`${web.origin}/long`);
    expect(again.saved).toEqual(result.saved);
    expect(web.attached).toEqual([]);
  });

  it('keeps what is not text as an artifact', async () => {
    serve('/doc/report%20one.pdf', 'application/pdf', Buffer.from('%PDF-1.7 \0\x01'));
    const { saved, text } = await web.fetch(`${web.origin}/doc/report%20one.pdf`);
    expect(text).toBeUndefined();
    const metas = openTask(web.home, 'task1').artifacts.list();
    expect(metas.find(({ id }) => id === (saved as { id: string }).id)).toMatchObject({
      title: 'report one.pdf',
      type: 'application/pdf',
      size: 11,
    });
    serve('/liar', 'text/html', Buffer.from('\x89PNG\0\0\0', 'latin1'));
    expect(await web.fetch(`${web.origin}/liar`)).toMatchObject({ saved: { size: 7 } });
  });

  it.each([404, 500, 429, 204])('tells of status %i', async (status) => {
    const body = status === 204 ? '' : `<p>sorry ${'y'.repeat(9_000)}</p>`;
    web.pages.set(
      '/s',
      (_request, response) =>
        void response.writeHead(status, { 'content-type': 'text/html', 'retry-after': '30' }).end(body),
    );
    const result = await web.fetch(`${web.origin}/s`);
    expect(result).toMatchObject({ status, retryAfter: '30' });
    expect(String(result.text)).toHaveLength(status === 204 ? 0 : 2_000);
    expect(result.saved).toBeUndefined();
  });
});

const PRIVATE = [
  ...['127.0.0.1', '127.1', '2130706433', '0x7f000001', '0177.0.0.1', '0x7f.1', '0', '10.1.2.3', '172.16.0.1'],
  ...['172.31.255.255', '192.168.1.1', '169.254.169.254', '100.64.0.1', '100.100.100.200', '168.63.129.16', '0.0.0.0'],
  ...['192.0.2.1', '198.51.100.9', '203.0.113.5', '198.18.0.1', '224.0.0.1', '239.255.255.255', '240.0.0.1'],
  ...['255.255.255.255', '192.0.0.192', '192.88.99.1', '１２７.０.０.１', '127。0。0。1', '3232235777'],
  ...['[::1]', '[::]', '[::ffff:127.0.0.1]', '[::ffff:8.8.8.8]', '[::ffff:a9fe:a9fe]', '[::127.0.0.1]', '[fe80::1]'],
  ...['[fc00::1]', '[fd12:3456::1]', '[fec0::1]', '[ff02::1]', '[64:ff9b::7f00:1]', '[64:ff9b:1::1]', '[100::1]'],
  ...['[2001:db8::1]', '[2002:7f00:1::]', '[2001::1]', '[2001:10::1]', '[3fff::1]', '[5f00::1]', '[4000::1]'],
];

describe('where it does not go', () => {
  it.each(PRIVATE)('https://%s/', async (host) => {
    await expect(web.fetch(`https://${host}/`)).rejects.toThrow(/is not a public address/);
    web.pages.set(
      '/r',
      (_request, response) =>
        void response.writeHead(302, { location: Buffer.from(`https://${host}/`).toString('latin1') }).end(),
    );
    await expect(web.fetch(`${web.origin}/r`)).rejects.toThrow(/is not a public address/);
  });

  it.each([
    ['http://example.com/', /Only https/],
    ['ftp://example.com/', /Only https/],
    ['file:///etc/passwd', /Only https/],
    ['data:text/plain,x', /Only https/],
    ['javascript:1', /Only https/],
    ['https://example.com:8443/', /port 443.*skills\.webOrigins/],
    ['https://me:secret@example.com/', /no user name/],
    ['https://token@example.com/', /no user name/],
    ['https://:secret@example.com/', /no user name/],
    ['//example.com', /not a web address/],
    ['example.com', /not a web address/],
    ['https://[::1%25eth0]/', /not a web address/],
    [`https://example.com/${'x'.repeat(2_000)}`, /not a web address/],
    ['', /not a web address/],
  ])('%s', async (url, why) => {
    await expect(web.fetch(url)).rejects.toThrow(why);
    if (!url.includes(':')) return;
    web.pages.set('/r', (_request, response) => void response.writeHead(307, { location: url }).end());
    await expect(web.fetch(`${web.origin}/r`)).rejects.toThrow(why);
  });

  it('an allowed origin is that origin alone', async () => {
    serve('/x', 'text/plain', 'inside');
    for (const url of [`https://127.0.0.1:${web.port}/x`, `http://localhost:${web.port}/x`, `https://localhost./x`])
      await expect(web.fetch(url)).rejects.toThrow();
    await expect(web.fetch(`${web.origin}/x`, { allowedOrigins: [] })).rejects.toThrow(/port 443/);
    for (const user of ['u:p', 'token', ':p'])
      await expect(web.fetch(`https://${user}@localhost:${web.port}/x`)).rejects.toThrow(/user name/);
    // The same host and port, spoken to in the clear: refused before a byte is sent.
    await expect(web.fetch(`http://localhost:${web.port}/x`)).rejects.toThrow(/Only https/);
    expect(web.seen).toHaveLength(0);
    expect(await web.fetch(`${web.origin}/x`)).toMatchObject({ text: 'inside' });
  });

  it('an http origin can be allowed, as for an intranet', async () => {
    const origin = await startServer((_request, response) => response.end('intranet'));
    expect(await web.fetch(`${origin}/`, { allowedOrigins: [origin] })).toMatchObject({ text: 'intranet' });
  });

  it('names that lead inside, also when only one address of several does', async () => {
    const inside = { address: '127.0.0.1', family: 4 };
    const outside = { address: '93.184.216.34', family: 4 };
    for (const addresses of [[inside], [outside, inside], [{ address: '::1', family: 6 }], []]) {
      const resolve = async () => addresses;
      await expect(web.fetch('https://rebind.test/', { resolve })).rejects.toThrow(
        /rebind\.test is not a public address/,
      );
    }
    web.pages.set(
      '/r',
      (_request, response) => void response.writeHead(301, { location: 'https://rebind.test/' }).end(),
    );
    await expect(web.fetch(`${web.origin}/r`, { resolve: async () => [inside] })).rejects.toThrow(/not a public/);
    await expect(web.fetch('https://localhost/')).rejects.toThrow(/not a public address/);
  });

  it('a name that changes its mind: the address that was looked at is the one connected to', async () => {
    // The first answer is public, every later one is this machine. One connection asks once.
    const answers = [{ address: '93.184.216.34', family: 4 }];
    let asked = 0;
    const resolve = async () => {
      asked++;
      return answers.splice(0, 1).concat({ address: '127.0.0.1', family: 4 }).slice(0, 1);
    };
    const socket = connect({ host: 'rebind.test', port: web.port, lookup: publicLookup(resolve) });
    const looked = await new Promise<unknown[]>((done) => {
      socket.once('lookup', (...found) => done(found));
      socket.on('error', () => done([]));
    });
    socket.destroy();
    expect(looked[1]).toBe('93.184.216.34');
    expect(asked).toBe(1);
    const second = connect({ host: 'rebind.test', port: web.port, lookup: publicLookup(resolve) });
    const [error] = await once(second, 'error');
    expect(String(error)).toMatch(/not a public address/);
  });

  it('too many redirects, or in a circle', async () => {
    web.pages.set('/loop', (_request, response) => void response.writeHead(302, { location: '/loop' }).end());
    await expect(web.fetch(`${web.origin}/loop`)).rejects.toThrow(/redirects more than 5 times/);
    expect(web.seen).toHaveLength(6);
  });

  it('a server whose certificate nobody vouches for', async () => {
    serve('/x', 'text/plain', 'x');
    const origin = `https://127.0.0.1:${web.port}`;
    const other = await openWeb();
    const foreign = other.fetch(`${web.origin}/x`, { allowedOrigins: [web.origin] });
    await expect(foreign).rejects.toThrow(/certificate that is not trusted/);
    await other.close();
    expect(await web.fetch(`${origin}/x`, { allowedOrigins: [origin] })).toMatchObject({ text: 'x' });
  });

  it('the addresses of the public internet are let through', () => {
    // biome-ignore format: a list is filled
    const open = [
      '8.8.8.8', '93.184.216.34', '1.1.1.1', '172.32.0.1', '100.128.0.1', '2606:4700::1111', '2a00:1450::1',
    ];
    expect(open.filter((address) => !isPublicAddress(address))).toEqual([]);
    expect(['', 'localhost', '8.8.8.8.', 'fe80::1%eth0', '2606::1%x', '010.8.8.8'].filter(isPublicAddress)).toEqual([]);
  });
});

describe('a hostile server', () => {
  it('an endless body is cut off', async () => {
    let sent = 0;
    web.pages.set('/endless', (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/html' });
      const pour = () => {
        while (response.writable && response.write('x'.repeat(65_536))) sent += 65_536;
      };
      response.on('drain', pour);
      pour();
    });
    await expect(web.fetch(`${web.origin}/endless`)).rejects.toThrow(/more than 5 MB/);
    expect(sent).toBeLessThan(30_000_000);
  });

  it('a gzip bomb is counted unpacked', async () => {
    web.pages.set('/bomb', (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/html', 'content-encoding': 'gzip' });
      const zip = createGzip();
      zip.pipe(response);
      const zeros = Buffer.alloc(1_000_000);
      for (let i = 0; i < 100; i++) zip.write(zeros);
      zip.end();
    });
    await expect(web.fetch(`${web.origin}/bomb`)).rejects.toThrow(/more than 5 MB/);
  });

  it('a body declared too large is not begun, and files have their own limit', async () => {
    serve('/big.bin', 'application/octet-stream', Buffer.alloc(10_000_001));
    await expect(web.fetch(`${web.origin}/big.bin`)).rejects.toThrow(/more than 10 MB/);
    serve('/ok.bin', 'application/octet-stream', Buffer.alloc(9_000_000));
    expect(await web.fetch(`${web.origin}/ok.bin`)).toMatchObject({ saved: { size: 9_000_000 } });
  });

  it('a slow drip ends with the time limit', async () => {
    web.pages.set('/drip', (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/plain' });
      const timer = setInterval(() => response.write('.'), 20);
      response.on('close', () => clearInterval(timer));
    });
    await expect(web.fetch(`${web.origin}/drip`, { timeoutMs: 300 })).rejects.toThrow(/took longer than 0\.3 seconds/);
    web.pages.set('/silent', () => undefined);
    await expect(web.fetch(`${web.origin}/silent`, { timeoutMs: 300 })).rejects.toThrow(/took longer/);
    const stuck = () => new Promise<never>(() => undefined);
    await expect(web.fetch('https://slow.test/', { timeoutMs: 300, resolve: stuck })).rejects.toThrow(/took longer/);
  });

  it('what was cut by the time limit is no whole page, also where the server said nothing of the length', async () => {
    web.pages.set('/raw', (_request, response) => {
      response.socket?.write('HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\n\r\nhalf a se');
    });
    await expect(web.fetch(`${web.origin}/raw`, { timeoutMs: 200 })).rejects.toThrow(/took longer than 0\.2 seconds/);
  });

  it('a switch to another protocol ends it at once', async () => {
    web.pages.set('/switch', (_request, response) => {
      response.socket?.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\nhello');
    });
    await expect(web.fetch(`${web.origin}/switch`)).rejects.toThrow(/closed the connection/);
  });

  it('an abort ends it with its own reason', async () => {
    const stop = new AbortController();
    const arrived = new Promise<void>((resolve) => {
      web.pages.set('/hang', (_request, response) => {
        response.on('close', () => resolve());
        stop.abort(new Error('stopped by a person'));
      });
    });
    await expect(web.fetch(`${web.origin}/hang`, { signal: stop.signal })).rejects.toThrow('stopped by a person');
    await arrived;
  });

  it('a length that is not true is no whole page', async () => {
    web.pages.set('/short', (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/plain', 'content-length': '1000' });
      response.write('half', () => response.destroy());
    });
    await expect(web.fetch(`${web.origin}/short`)).rejects.toThrow(/before the answer was complete|couldn't be read/);
    const cutOff = gzipSync('x'.repeat(10_000)).subarray(0, 20);
    serve('/cut', 'text/plain', cutOff, { 'content-encoding': 'gzip' });
    await expect(web.fetch(`${web.origin}/cut`)).rejects.toThrow(/damaged/);
    serve('/junk', 'text/plain', 'not gzip', { 'content-encoding': 'gzip' });
    await expect(web.fetch(`${web.origin}/junk`)).rejects.toThrow(/damaged/);
    serve('/odd', 'text/plain', 'x', { 'content-encoding': 'gzip, gzip, gzip' });
    await expect(web.fetch(`${web.origin}/odd`)).rejects.toThrow(/encoding nobody asked for/);
  });

  it('huge headers and broken answers are told in a sentence', async () => {
    serve('/headers', 'text/plain', 'x', { 'x-big': 'y'.repeat(60_000) });
    await expect(web.fetch(`${web.origin}/headers`)).rejects.toThrow(/headers that are too large/);
    web.pages.set('/raw', (request) => void request.socket.end('garbage\r\n\r\n'));
    await expect(web.fetch(`${web.origin}/raw`)).rejects.toThrow(/could not be read/);
    web.pages.set(
      '/bad-location',
      (_request, response) => void response.writeHead(302, { location: 'https://' }).end(),
    );
    await expect(web.fetch(`${web.origin}/bad-location`)).rejects.toThrow(/not a web address/);
  });

  it('one run fetches at most 50 addresses', async () => {
    serve('/x', 'text/plain', 'x');
    const tool = web.tool();
    const signal = new AbortController().signal;
    for (let i = 0; i < 50; i++) await tool.execute({ url: `${web.origin}/x` }, { signal, callId: 'c' });
    await expect(tool.execute({ url: `${web.origin}/x` }, { signal, callId: 'c' })).rejects.toThrow(/At most 50/);
  });
});

describe('a redirect to another host', () => {
  it('is not followed where it may not be: the model is told the address', async () => {
    const asked: string[][] = [];
    const mayFollow = async (from: URL, to: URL) => asked.push([from.href, to.href]) > 9;
    const target = `https://127.0.0.1:${web.port}/there?a=b`;
    web.pages.set('/r', (_request, response) => void response.writeHead(302, { location: target }).end());
    serve('/there', 'text/plain', 'there');
    const options = { mayFollow, allowedOrigins: [web.origin, new URL(target).origin] };
    const told = await web.fetch(`${web.origin}/r`, options);
    expect(told).toMatchObject({ status: 302, redirect: target, hint: expect.stringContaining('web-fetch') });
    expect(told.text).toBeUndefined();
    expect(asked).toEqual([[`${web.origin}/r`, target]]);
    expect(web.seen).toHaveLength(1);
    expect((await web.fetch(`${web.origin}/r`, { ...options, mayFollow: async () => true })).text).toBe('there');
  });
});

describe('consent', () => {
  it('is asked for where an address could carry data out, and covers one host', () => {
    const usual = [
      'https://example.com/',
      'https://en.wikipedia.org/wiki/Server-side_request_forgery#Types',
      'https://nodejs.org/api/https.html#httpsrequesturl-options-callback',
      'https://search.example/?q=how+to+sleep+well&lang=en',
      'https://example.com/items/3f2504e0-4f89-11d3-9a0c-0305e82c3301',
      'https://example.com/2026/11/21/ten-ways-to-write-a-better-report/',
    ];
    const odd = [
      'https://evil.test/?k=sk-ant-api03-abcdefghijklmnopqrstuvwxyz',
      'https://evil.test/ghp_16C7e42F292c6912E7710c838347Ae178B4a',
      'https://abcdefghijklmnopqrstuvwxyz234567.evil.test/',
      `https://evil.test/${'word-'.repeat(50)}`,
      'https://evil.test/123456:AAF-9x8_Zz-Qw_e1-Rt2-Yu3',
    ];
    expect(usual.filter(couldCarryData)).toEqual([]);
    expect(odd.filter((url) => !couldCarryData(url))).toEqual([]);
    const tool = web.tool();
    expect(tool.kindOf?.({ url: 'https://example.com/a' })).toBe(tool.kindOf?.({ url: 'https://EXAMPLE.com/b?c' }));
    expect(tool.kindOf?.({ url: 'https://example.com/a' })).not.toBe(tool.kindOf?.({ url: 'https://example.org/a' }));
    expect(tool).toMatchObject({ effect: 'idempotent' });
  });
});
