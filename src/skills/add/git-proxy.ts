/**
 * Git's only network access: a proxy on the loopback interface that connects only to the public internet, as fetches do
 * (promise 53). The address a name resolves to is checked here when connecting, also for redirects. Other users of this
 * machine don't have its password.
 */
import { randomBytes, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect, isIP, type Socket } from 'node:net';
import { errorCode } from '../../errors.ts';
import { isPublicAddress, publicLookup, type Resolve } from '../../lib/public-address.ts';

export interface GitProxy {
  /** Includes the password. */
  url: string;
  /** The first host refused for not being public. */
  readonly refused: string | undefined;
  /** Why the last allowed host couldn't be reached. */
  readonly unreachable: string | undefined;
  /** Whether the size limit was exceeded. */
  readonly isFull: boolean;
  close(): void;
}

export interface ProxyOptions {
  /** Exact origins that may be reached even if they are private or on another port. */
  allowedOrigins: readonly string[];
  resolve: Resolve;
  maxBytes: number;
}

export async function openProxy(options: ProxyOptions): Promise<GitProxy> {
  const password = randomBytes(18).toString('hex');
  const expected = Buffer.from(`Basic ${Buffer.from(`git:${password}`).toString('base64')}`);
  const sockets = new Set<Socket>();
  const state: { refused?: string; unreachable?: string; isFull: boolean } = { isFull: false };
  let left = options.maxBytes;
  const server = createServer((_request, response) => response.writeHead(405).end());
  const keep = (socket: Socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket)).on('error', () => socket.destroy());
  };

  server.on('connect', (request: IncomingMessage, inner: Socket) => {
    keep(inner);
    const given = Buffer.from(request.headers['proxy-authorization'] ?? '');
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) {
      inner.end('HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic realm="git"\r\n\r\n');
      return;
    }
    const target = URL.parse(`https://${request.url ?? ''}`);
    const host = target?.hostname.replace(/^\[|\]$/g, '') ?? '';
    const isAllowed = options.allowedOrigins.some((origin) => URL.parse(origin)?.origin === target?.origin);
    if (!target || (!isAllowed && (target.port !== '' || (isIP(host) !== 0 && !isPublicAddress(host))))) {
      state.refused ??= host;
      inner.end('HTTP/1.1 403 Forbidden\r\n\r\n');
      return;
    }
    const lookup = isAllowed ? {} : { lookup: publicLookup(options.resolve) };
    const outer = connect({ host, port: Number(target.port || 443), ...lookup });
    keep(outer);
    let isOpen = false;
    outer.on('error', (error) => {
      if (isOpen) return;
      if (error.name === 'UserError') state.refused ??= host;
      else state.unreachable = `${host} cannot be reached (${errorCode(error) ?? error.message})`;
      inner.end('HTTP/1.1 502 Bad Gateway\r\n\r\n');
    });
    outer.on('connect', () => {
      isOpen = true;
      inner.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      inner.pipe(outer);
      outer.pipe(inner);
    });
    outer.on('data', (piece) => {
      left -= piece.length;
      if (left >= 0) return;
      state.isFull = true;
      close();
    });
    inner.on('close', () => outer.destroy());
    outer.on('close', () => inner.end());
  });

  function close(): void {
    server.close();
    for (const socket of sockets) socket.destroy();
  }

  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once('error', reject).listen(0, '127.0.0.1', resolve);
  await promise;
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://git:${password}@127.0.0.1:${port}`,
    get refused() {
      return state.refused;
    },
    get unreachable() {
      return state.unreachable;
    },
    get isFull() {
      return state.isFull;
    },
    close,
  };
}
