/** Node's takes headers beside the address, browsers' do not. */
export function openGlobal(url: string, token: string | undefined): WebSocket {
  if (token === undefined) return new WebSocket(url);
  const withHeaders = { headers: { authorization: `Bearer ${token}` } };
  const socket: WebSocket = Reflect.construct(WebSocket, [url, withHeaders]);
  return socket;
}
