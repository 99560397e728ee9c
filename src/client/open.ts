/** Opens the global `WebSocket`. Node's accepts headers as well as the URL, browsers' doesn't. */
export function openGlobal(url: string, token: string | undefined): WebSocket {
  if (token === undefined) return new WebSocket(url);
  const withHeaders = { headers: { authorization: `Bearer ${token}` } };
  const socket: WebSocket = Reflect.construct(WebSocket, [url, withHeaders]);
  return socket;
}

/**
 * Returns whether the gateway refuses the token. A socket doesn't report why it didn't open, but an HTTP request with
 * the same token does. False if the gateway is unreachable.
 */
export async function isRefusedBy(url: string, token: string): Promise<boolean> {
  try {
    const headers = { authorization: `Bearer ${token}` };
    const { status } = await fetch(new URL('/api/tasks/0', url.replace(/^ws/, 'http')), { headers });
    return status === 401 || status === 403;
  } catch {
    // The gateway is unreachable: try again.
    return false;
  }
}
