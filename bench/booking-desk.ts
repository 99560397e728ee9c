/** An MCP server whose only tool has an effect that can happen twice: it counts bookings. */
import http from 'node:http';
import type { AddressInfo } from 'node:net';

export interface BookingDesk {
  url: string;
  /** The number of bookings of each item. */
  booked: ReadonlyMap<string, number>;
  close(): Promise<void>;
}

interface Call {
  id?: number;
  method: string;
  params?: { protocolVersion?: string; arguments?: { thing?: string } };
}

const TOOL = {
  ...{ name: 'book', description: 'Books a thing.' },
  inputSchema: { type: 'object', properties: { thing: { type: 'string' } }, required: ['thing'] },
};

export async function startBookingDesk(): Promise<BookingDesk> {
  const booked = new Map<string, number>();
  function answer({ method, params }: Call): unknown {
    if (method === 'initialize')
      return {
        ...{ protocolVersion: params?.protocolVersion, capabilities: { tools: {} } },
        serverInfo: { name: 'desk', version: '1' },
      };
    if (method === 'tools/list') return { tools: [TOOL] };
    if (method !== 'tools/call') return {};
    const thing = params?.arguments?.thing ?? '';
    booked.set(thing, (booked.get(thing) ?? 0) + 1);
    return { content: [{ type: 'text', text: `booked ${thing}` }] };
  }
  const server = http.createServer(async (request, response) => {
    if (request.method !== 'POST') return void response.writeHead(405).end();
    const call: Call = JSON.parse(Buffer.concat(await request.toArray()).toString());
    if (call.id === undefined) return void response.writeHead(202).end();
    const body = JSON.stringify({ jsonrpc: '2.0', id: call.id, result: answer(call) });
    response.writeHead(200, { 'content-type': 'application/json' }).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    ...{ url: `http://127.0.0.1:${port}/mcp`, booked },
    close() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
