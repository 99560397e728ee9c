/** A server between the gateway and a platform: it hands on what it gets, and answers in the platform's place when it is told to. */
import { createServer, request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

export interface ForeignAnswer {
  status: number;
  body: string;
  headers?: Record<string, string>;
}

export interface Foreign {
  /** In the place of the platform's address. */
  url: string;
  /** The next request whose path matches is answered so, and never reaches the platform. */
  answer(path: RegExp, given: ForeignAnswer): void;
  /** Answers that were given. */
  given(): number;
}

/** `target` as the gateway would be told it, path included. */
export async function startForeign(target: string): Promise<Foreign> {
  const { origin, pathname } = new URL(target);
  const waiting: { path: RegExp; answer: ForeignAnswer }[] = [];
  let given = 0;
  const server = createServer((request, response) => {
    const url = request.url ?? '/';
    const at = waiting.findIndex(({ path }) => path.test(url));
    const [found] = at < 0 ? [] : waiting.splice(at, 1);
    if (found) {
      given++;
      request.resume().on('end', () => {
        const { status, body, headers } = found.answer;
        response.writeHead(status, { 'content-length': Buffer.byteLength(body), ...headers }).end(body);
      });
      return;
    }
    const headers: IncomingHttpHeaders = { ...request.headers, host: new URL(origin).host };
    const passed = httpRequest(`${origin}${url}`, { method: request.method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    passed.on('error', () => response.destroy());
    response.on('close', () => passed.destroy());
    request.pipe(passed);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}${pathname.replace(/\/$/, '')}${target.endsWith('/') ? '/' : ''}`,
    answer: (path, answer) => void waiting.push({ path, answer }),
    given: () => given,
  };
}
