/** Sends requests to Slack, and learns from its answers how far its clock is ahead of ours. */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { createRequests, type OutgoingRequest, TransportError } from '../../shared/connection.ts';

export interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  /** Must be read or destroyed. */
  body: IncomingMessage;
}

export interface Transport {
  /** @throws TransportError */
  request(url: string | URL, request: OutgoingRequest): Promise<Answer>;
  /** Returns the answer's body as text, at most 50 MB. @throws TransportError */
  text(answer: Answer): Promise<string>;
  /** Returns how many ms Slack's clock is ahead of ours, to about a second; 0 before the first answer. */
  skewMs(): number;
}

const TEXT_MS = 45_000;
const MAX_ANSWER_BYTES = 50_000_000;

export function createTransport(): Transport {
  const send = createRequests();
  let skew = 0;
  return {
    async request(url, request) {
      const body = await send(url, request);
      const { statusCode: status = 0, headers } = body;
      const serverTime = Date.parse(headers.date ?? '');
      if (!Number.isNaN(serverTime)) skew = serverTime - Date.now();
      return { status, headers, body };
    },
    async text({ body }) {
      const chunks: Buffer[] = [];
      let size = 0;
      const timer = setTimeout(() => body.destroy(), TEXT_MS);
      try {
        for await (const chunk of body) {
          size += chunk.length;
          if (size > MAX_ANSWER_BYTES) throw new Error('the answer is too long');
          chunks.push(chunk);
        }
      } catch {
        throw new TransportError('the answer was cut short', { sent: true });
      } finally {
        clearTimeout(timer);
      }
      return Buffer.concat(chunks).toString('utf8');
    },
    skewMs: () => skew,
  };
}
