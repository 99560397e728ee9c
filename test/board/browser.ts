/** The Board's page as a browser runs it: what it sends with every request, its one cookie, and its key. */
import http from 'node:http';

export interface Reply {
  status: number;
  headers: http.IncomingHttpHeaders;
  text: string;
  /** The body as JSON; `undefined` where it is none. */
  body: Record<string, unknown>;
}

/** One request with exactly these headers; `host` decides what it asks for, the port where it goes. */
export function request(
  port: number,
  method: string,
  path: string,
  headers: Record<string, string> = {},
  body?: string,
): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const asked = http.request({ port, host: '127.0.0.1', method, path, headers, agent: false }, (response) => {
      let text = '';
      response.on('data', (chunk) => {
        text += String(chunk);
      });
      response.on('end', () => {
        const isJson = response.headers['content-type']?.startsWith('application/json') === true;
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          text,
          body: isJson ? JSON.parse(text) : {},
        });
      });
      response.on('error', reject);
    });
    asked.on('error', reject);
    asked.end(body);
  });
}

export interface Browser {
  /** `viber-PORT=...` */
  cookie: string;
  key: string;
  id: string;
  /** What the page sends beside what it asks for. */
  headers: Record<string, string>;
  ask(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Reply>;
}

/** What follows the `#` of a link. */
export const codeOf = (link: string): string => /\/board\/login#([0-9a-f]{32})/.exec(link)?.[1] ?? '';

export const trade = (port: number, code: string, headers: Record<string, string> = {}): Promise<Reply> =>
  request(
    port,
    'POST',
    '/board/session',
    {
      ...{ host: `127.0.0.1:${port}`, origin: `http://127.0.0.1:${port}`, 'sec-fetch-site': 'same-origin' },
      ...{ 'content-type': 'application/json', ...headers },
    },
    JSON.stringify({ code }),
  );

export async function logIn(port: number, link: string): Promise<Browser> {
  const traded = await trade(port, codeOf(link));
  if (traded.status !== 200) throw new Error(`no login: ${traded.text}`);
  const cookie = String(traded.headers['set-cookie']?.[0]).split(';')[0] ?? '';
  const key = String(traded.body.key);
  const headers = { host: `127.0.0.1:${port}`, 'sec-fetch-site': 'same-origin', cookie, 'x-viber-key': key };
  return {
    ...{ cookie, key, id: String(traded.body.id), headers },
    ask(method, path, body, more = {}) {
      const writes = method === 'GET' ? {} : { origin: `http://127.0.0.1:${port}` };
      const text = body === undefined ? undefined : JSON.stringify(body);
      return request(port, method, path, { ...headers, ...writes, ...more }, text);
    },
  };
}
