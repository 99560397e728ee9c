/**
 * Servers of tools over HTTP, as small as the protocol allows: https://modelcontextprotocol.io/specification. A test gives
 * what is special about its server.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { onTestFinished } from 'vitest';
import { listen, readText, sendJson } from './base/http.ts';

type Params = Record<string, unknown> & { name?: string; protocolVersion?: string };

export interface McpAsked {
  id: unknown;
  method: string;
  params: Params;
  request: IncomingMessage;
  response: ServerResponse;
  /** Answers with this result, as JSON. */
  json(result: unknown): void;
  /** Begins a stream of events, and writes these. */
  events(...messages: unknown[]): void;
}

export interface McpOptions {
  /** The offered tools. */
  tools?: object[] | (() => object[]);
  /** Acts on a call of a tool; by default it answers that it did. */
  call?: (asked: McpAsked) => unknown;
  /** Is asked first, with every request that has a method; returns true if it has answered. */
  first?: (asked: McpAsked) => boolean;
  /** Answers what isn't a POST; by default with 405. */
  other?: (request: IncomingMessage, response: ServerResponse) => unknown;
  /** The headers of the answer to `initialize`. */
  headers?: () => Record<string, string>;
}

export const inputSchema = { type: 'object' };
export const textResult = (text: string) => ({ content: [{ type: 'text', text }] });

/** Returns the answer to a request of the protocol; undefined if there is no such method. */
export function mcpResult(method: string, params: Params | undefined, tools: object[], name = 'm'): object | undefined {
  const protocolVersion = params?.protocolVersion ?? '2025-06-18';
  if (method === 'initialize')
    return { protocolVersion, capabilities: { tools: {} }, serverInfo: { name, version: '1' } };
  if (method === 'tools/list') return { tools };
  return method === 'tools/call' ? textResult(`did ${params?.name}`) : undefined;
}

/** Starts a server, until the test ends; resolves with its address. */
export async function startMcp(options: McpOptions = {}): Promise<string> {
  const { tools = [], call, first, other, headers } = options;
  const { url, close } = await listen(async (request, response) => {
    if (request.method !== 'POST') return other ? other(request, response) : void response.writeHead(405).end();
    const { id, method, params } = JSON.parse(await readText(request));
    const send = (body: object, more = {}) => sendJson(response, 200, { jsonrpc: '2.0', id, ...body }, more);
    const asked: McpAsked = {
      ...{ id, method, params, request, response },
      json: (result) => send({ result }),
      events(...messages) {
        if (!response.headersSent) response.writeHead(200, { 'content-type': 'text/event-stream' });
        for (const message of messages)
          response.write(`data: ${JSON.stringify({ jsonrpc: '2.0', ...Object(message) })}\n\n`);
      },
    };
    if (first?.(asked)) return undefined;
    if (id === undefined) return void response.writeHead(202).end();
    if (method === 'tools/call' && call) return call(asked);
    const result = mcpResult(method, params, typeof tools === 'function' ? tools() : tools);
    const error = { code: -32601, message: 'no such method' };
    return send(result ? { result } : { error }, method === 'initialize' ? headers?.() : {});
  });
  onTestFinished(close);
  return `${url}/mcp`;
}
