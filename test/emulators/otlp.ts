/**
 * A collector that accepts traces by OTLP over HTTP in JSON, as strictly as the protocol requires:
 * https://opentelemetry.io/docs/specs/otlp/#otlphttp and opentelemetry-proto's trace.proto.
 */
import type { IncomingHttpHeaders } from 'node:http';
import { z } from 'zod';
import { listen, readText, sendJson } from './base/http.ts';

const hex = (length: number) => z.string().regex(new RegExp(`^(?!0+$)[0-9a-f]{${length}}$`));
const nanos = z.string().regex(/^[1-9]\d{17,18}$/);
const count = z.int().min(0).optional();
const scalar = z.union([
  z.strictObject({ stringValue: z.string() }),
  z.strictObject({ boolValue: z.boolean() }),
  z.strictObject({ intValue: z.union([z.int(), z.string().regex(/^-?\d+$/)]) }),
  z.strictObject({ doubleValue: z.number() }),
]);
const value = z.union([scalar, z.strictObject({ arrayValue: z.strictObject({ values: z.array(scalar) }) })]);
const attributes = z.array(z.strictObject({ key: z.string().min(1), value }));
const link = z.strictObject({
  ...{ traceId: hex(32), spanId: hex(16), traceState: z.string().optional(), attributes },
  ...{ droppedAttributesCount: count, flags: count },
});
const span = z
  .strictObject({
    ...{ traceId: hex(32), spanId: hex(16), parentSpanId: hex(16).optional(), traceState: z.string().optional() },
    ...{
      name: z.string().min(1).max(200),
      kind: z.int().min(1).max(5),
      startTimeUnixNano: nanos,
      endTimeUnixNano: nanos,
    },
    ...{ attributes, droppedAttributesCount: count, events: z.array(z.never()), droppedEventsCount: count },
    ...{ links: z.array(link), droppedLinksCount: count, flags: count },
    status: z.strictObject({ code: z.int().min(0).max(2), message: z.string().optional() }),
  })
  .refine((one) => BigInt(one.endTimeUnixNano) >= BigInt(one.startTimeUnixNano), 'ends before it begins');
const exported = z.strictObject({
  resourceSpans: z.array(
    z.strictObject({
      resource: z.strictObject({ attributes, droppedAttributesCount: count }),
      scopeSpans: z.array(
        z.strictObject({
          scope: z.strictObject({ name: z.string(), version: z.string().optional() }),
          spans: z.array(span).min(1),
          schemaUrl: z.string().optional(),
        }),
      ),
      schemaUrl: z.string().optional(),
    }),
  ),
});

export interface TakenSpan {
  trace: string;
  id: string;
  parent: string | undefined;
  name: string;
  kind: number;
  /** Milliseconds since the epoch. */
  startedAt: number;
  endedAt: number;
  attributes: Record<string, unknown>;
  links: string[];
  isError: boolean;
}

export interface Collector {
  url: string;
  spans: TakenSpan[];
  resource: Record<string, unknown>;
  headers: IncomingHttpHeaders[];
  /** Everything that was sent, as text. */
  bodies: string[];
  /** The reasons why requests were refused. */
  refused: string[];
  /** `busy`: answers 503 with Retry-After; `mute`: accepts the request and never answers. */
  answers: 'well' | 'busy' | 'mute';
  down(): void;
  up(): Promise<void>;
  close(): Promise<void>;
}

function plain(one: z.infer<typeof value>): unknown {
  if ('arrayValue' in one) return one.arrayValue.values.map(plain);
  if ('intValue' in one) return Number(one.intValue);
  return Object.values(one)[0];
}

const record = (list: z.infer<typeof attributes>) => Object.fromEntries(list.map((one) => [one.key, plain(one.value)]));

export async function startCollector(): Promise<Collector> {
  const listener = await listen(async (request, response) => {
    const body = await readText(request);
    collector.headers.push(request.headers);
    collector.bodies.push(body);
    if (collector.answers === 'mute') return;
    if (collector.answers === 'busy') return void response.writeHead(503, { 'retry-after': '1' }).end();
    const refuse = (why: string) => {
      collector.refused.push(why);
      sendJson(response, 400, { code: 3, message: why });
    };
    if (request.method !== 'POST' || request.url !== '/v1/traces') return refuse(`${request.method} ${request.url}`);
    if (request.headers['content-type'] !== 'application/json') return refuse('content-type');
    const parsed = exported.safeParse(JSON.parse(body));
    if (!parsed.success) return refuse(z.prettifyError(parsed.error));
    for (const { resource, scopeSpans } of parsed.data.resourceSpans) {
      Object.assign(collector.resource, record(resource.attributes));
      for (const one of scopeSpans.flatMap(({ spans }) => spans)) {
        collector.spans.push({
          ...{ trace: one.traceId, id: one.spanId, parent: one.parentSpanId, name: one.name, kind: one.kind },
          startedAt: Number(BigInt(one.startTimeUnixNano) / 1000n) / 1000,
          endedAt: Number(BigInt(one.endTimeUnixNano) / 1000n) / 1000,
          ...{ attributes: record(one.attributes), links: one.links.map((to) => to.traceId) },
          isError: one.status.code === 2,
        });
      }
    }
    sendJson(response, 200, { partialSuccess: {} });
  });
  const collector: Collector = {
    url: listener.url,
    ...{ spans: [], resource: {}, headers: [], bodies: [], refused: [], answers: 'well' },
    ...{ down: listener.down, up: listener.up, close: listener.close },
  };
  return collector;
}
