/** Outgoing connections: a hub whose programs submit tasks, and a trace collector. */
import type { z } from 'zod';
import { address, headers, oneOf, secret, section, share, socket, text, viber } from '../schema-parts.ts';

export type TelemetryConfig = z.output<typeof telemetry>;

export const hub = section({
  url: socket
    .exactOptional()
    .describe('the WebSocket of a hub that this gateway dials, `wss://` unless it is on this machine'),
  token: secret.describe('what it is shown as `Authorization: Bearer ...`; without it the hub is off'),
  viberId: viber.exactOptional().describe('the viber that its tasks are for; the usual one where it is left out'),
  role: oneOf('owner', 'member', 'guest').default('member').describe('what it may do: `owner`, `member` or `guest`'),
});

export const telemetry = section({
  endpoint: address()
    .exactOptional()
    .describe(
      'a collector for traces, OTLP over HTTP, for example `http://127.0.0.1:4318`; without it there are none ([observability.md](observability.md))',
    ),
  headers: headers.default({}).describe('sent along to the collector, for example a key'),
  sample: share.exactOptional().describe('of all messages, from 0 to 1; all where it is left out'),
  service: text('expected a name')
    .exactOptional()
    .describe('the name of this gateway in traces; `openviber-gateway` where it is left out'),
});
