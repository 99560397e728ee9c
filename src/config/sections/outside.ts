/** Outgoing connections: a hub whose programs submit tasks, and a trace collector. */

import type { z } from 'zod';
import { expects } from '../expects.ts';
import { address, headers, oneOf, secret, section, share, socket, text, viber } from '../schema-parts.ts';

export type TelemetryConfig = z.output<typeof telemetry>;

export const hub = section({
  url: socket
    .exactOptional()
    .describe(
      'WebSocket of a [hub](protocol.md#a-hub-that-the-gateway-dials) to dial; `wss://` unless it is on this machine',
    ),
  token: secret.describe('sent as `Authorization: Bearer ...`; without it the hub is off'),
  viberId: viber.exactOptional().describe('who works on its tasks'),
  role: oneOf('owner', 'member', 'guest').default('member').describe('what it may do: `owner`, `member` or `guest`'),
});

export const telemetry = section({
  endpoint: address()
    .exactOptional()
    .describe(
      'OTLP collector, such as `http://127.0.0.1:4318`; without it there are no [traces](observability.md#traces)',
    ),
  headers: headers.default({}).describe('sent to the collector, for example a key'),
  sample: share.exactOptional().describe('share of messages, from 0 to 1; otherwise all'),
  service: text(expects('expected.name')).exactOptional().describe('name in traces; otherwise `openviber-gateway`'),
});
