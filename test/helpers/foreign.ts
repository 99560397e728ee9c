/**
 * A server between the gateway and a platform: it forwards requests, and answers in the platform's place if told to.
 */
import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { serve } from '../helpers/serve.ts';

export interface ForeignAnswer {
  status: number;
  body: string;
  headers?: Record<string, string>;
}

export interface Foreign {
  /** The address to use instead of the platform's. */
  url: string;
  /** Answers the next request whose path matches with this; the request never reaches the platform. */
  answer(path: RegExp, given: ForeignAnswer): void;
  /** The answers that it gave. */
  given(): number;
}

/** `target` is the address that the gateway would otherwise get, including the path. */
export async function startForeign(target: string): Promise<Foreign> {
  const { origin, pathname } = new URL(target);
  const waiting: { path: RegExp; answer: ForeignAnswer }[] = [];
  let given = 0;
  const own = await serve((request, response) => {
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
  return {
    url: `${own}${pathname.replace(/\/$/, '')}${target.endsWith('/') ? '/' : ''}`,
    answer: (path, answer) => void waiting.push({ path, answer }),
    given: () => given,
  };
}
