/** Outgoing connections: a hub whose programs submit tasks, a trace collector, and push services. */

import type { z } from 'zod';
import { expects } from '../../messages/expects.ts';
import {
  address,
  headers,
  listOf,
  oneOf,
  origin,
  secret,
  section,
  share,
  socket,
  text,
  viber,
} from '../schema-parts.ts';

export type TelemetryConfig = z.output<typeof telemetry>;

export const hub = section({
  url: socket
    .exactOptional()
    .describe(
      'WebSocket of a [hub](protocol.md#a-hub-that-the-gateway-dials) to dial; `wss://` unless it is on this machine',
    ),
  token: secret.describe('sent as `Authorization: Bearer ...`; without it the hub is off'),
  viberId: viber.exactOptional().describe('the viber for its tasks'),
  role: oneOf('owner', 'member', 'guest').default('member').describe('its rights: `owner`, `member` or `guest`'),
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

export const push = section({
  contact: text(expects('expected.contact'), /^(https:\/\/|mailto:)\S+\.\S+$/)
    .exactOptional()
    .describe('`https:` or `mailto:` for operators of push services; otherwise the first https origin'),
  services: listOf(origin).default([]).describe('push services without a public https address'),
});
