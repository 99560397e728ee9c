/** Asks the gateway with the login of this browser, whose key the page has put into a cache. */

const LIMIT_MS = 8_000;
export const LOGIN = 'viber-login';

/** Returns undefined without a login. */
export const keptKey = async (): Promise<string | undefined> =>
  (await caches.match('/board/login-key', { cacheName: LOGIN }))?.text();

/** Returns undefined without a login. Rejects if the gateway can't be reached. */
export async function fetchAsLogin(path: string, put?: object): Promise<Response | undefined> {
  const key = await keptKey();
  if (key === undefined) return undefined;
  return fetch(path, {
    headers: { 'x-viber-key': key, ...(put && { 'content-type': 'application/json' }) },
    ...(put && { method: 'PUT', body: JSON.stringify(put) }),
    credentials: 'same-origin',
    cache: 'no-store',
    signal: AbortSignal.timeout(LIMIT_MS),
  });
}
