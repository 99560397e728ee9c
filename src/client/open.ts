/** Node's takes headers beside the address, browsers' do not. */
export function openGlobal(url: string, token: string | undefined): WebSocket {
  if (token === undefined) return new WebSocket(url);
  const withHeaders = { headers: { authorization: `Bearer ${token}` } };
  const socket: WebSocket = Reflect.construct(WebSocket, [url, withHeaders]);
  return socket;
}

/** Why a socket did not open it does not tell: with the same token a request over HTTP does. Not where the gateway is away. */
export async function isRefusedBy(url: string, token: string): Promise<boolean> {
  try {
    const headers = { authorization: `Bearer ${token}` };
    const { status } = await fetch(new URL('/api/tasks/0', url.replace(/^ws/, 'http')), { headers });
    return status === 401 || status === 403;
  } catch {
    // It is away: tried again.
    return false;
  }
}
