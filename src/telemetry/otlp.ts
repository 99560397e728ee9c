/**
 * Exports traces by OTLP over HTTP, in JSON. Loaded only if an endpoint is set. Spans wait in a bounded queue and are
 * sent in the background; those that a collector doesn't accept in time are dropped.
 */

import {
  type Attributes as OtelAttributes,
  type Span as OtelSpan,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  trace as traces,
} from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { defaultResource, resourceFromAttributes } from '@opentelemetry/resources';
import {
  BatchSpanProcessor,
  type IdGenerator,
  RandomIdGenerator,
  type SpanExporter,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import { within } from '../lib/within.ts';
import { scrub } from '../log.ts';
import type { Attributes, Span, SpanOptions, Tracing } from './tracing.ts';

export interface OtlpOptions {
  /** The endpoint for traces, which ends in `/v1/traces`. */
  url: string;
  headers: Readonly<Record<string, string>>;
  /** The share of traces to export, from 0 to 1. The same message is always included or always excluded. */
  sample: number;
  resource: Readonly<Record<string, string>>;
  /** Called once when the collector begins to fail, and once when it works again. */
  onChange: (problem: string | undefined) => void;
  /** The interval between exports in milliseconds; for tests. */
  everyMs?: number;
}

const EXPORT_MS = 5_000;
const MAX_WAITING = 2_048;
const MAX_BATCH = 512;
/** When stopping, the whole queue is sent at once, in addition to pending requests. */
const MAX_REQUESTS = 1 + MAX_WAITING / MAX_BATCH;
const MAX_TEXT = 200;
const KINDS = { client: SpanKind.CLIENT, consumer: SpanKind.CONSUMER, producer: SpanKind.PRODUCER };

/** Returns the ID of a trace's first span, which every process can compute. */
const rootSpan = (trace: string): string => trace.slice(16);

const contextOf = (trace: string) => ({
  traceId: trace,
  spanId: rootSpan(trace),
  traceFlags: TraceFlags.SAMPLED,
  isRemote: true,
});

class Ids implements IdGenerator {
  readonly #random = new RandomIdGenerator();
  /** The trace of the span that is being started. */
  root: string | undefined;
  generateTraceId = (): string => this.root ?? this.#random.generateTraceId();
  generateSpanId = (): string => (this.root === undefined ? this.#random.generateSpanId() : rootSpan(this.root));
}

export function createTracing({ url, headers, sample, resource, onChange, everyMs }: OtlpOptions): Tracing {
  const ids = new Ids();
  const exporter = new OTLPTraceExporter({
    url,
    headers: { ...headers },
    timeoutMillis: EXPORT_MS,
    concurrencyLimit: MAX_REQUESTS,
  });
  const provider = new TracerProvider({
    resource: defaultResource().merge(resourceFromAttributes({ ...resource })),
    sampler: new TraceIdRatioBasedSampler(sample),
    spanLimits: { attributeValueLengthLimit: MAX_TEXT, attributeCountLimit: 32, linkCountLimit: 32 },
    idGenerator: ids,
    spanProcessors: [
      new BatchSpanProcessor({
        exporter: watched(exporter, onChange),
        maxQueueSize: MAX_WAITING,
        maxExportBatchSize: MAX_BATCH,
        scheduledDelayMillis: everyMs ?? 5_000,
        exportTimeoutMillis: EXPORT_MS + 1_000,
      }),
    ],
  });
  const tracer = provider.getTracer('openviber-gateway');
  const begin = (name: string, { kind, at, attributes, links = [] }: SpanOptions, context = ROOT_CONTEXT): OtelSpan =>
    tracer.startSpan(
      name,
      {
        kind: kind ? KINDS[kind] : SpanKind.INTERNAL,
        attributes: clean(attributes),
        links: links.map((trace) => ({ context: contextOf(trace) })),
        ...(at !== undefined && { startTime: new Date(at) }),
      },
      context,
    );

  function spanOf(span: OtelSpan): Span {
    return {
      child: (name, options = {}) => spanOf(begin(name, options, traces.setSpan(ROOT_CONTEXT, span))),
      end(attributes, error) {
        if (attributes) span.setAttributes(clean(attributes));
        if (error !== undefined) span.setAttribute('error.type', error).setStatus({ code: SpanStatusCode.ERROR });
        span.end();
      },
    };
  }

  return {
    root(trace, name, options = {}) {
      ids.root = trace;
      try {
        return spanOf(begin(name, options));
      } finally {
        ids.root = undefined;
      }
    },
    stage: (trace, name, options = {}) =>
      spanOf(begin(name, options, traces.setSpanContext(ROOT_CONTEXT, contextOf(trace)))),
    async close(ms) {
      const flushed = provider.shutdown().catch(() => onChange('the last traces could not be sent'));
      await within(flushed, ms);
    },
  };
}

/** Removes secrets from attributes. */
function clean(attributes: Attributes = {}): OtelAttributes {
  const clean: OtelAttributes = {};
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === 'object') clean[key] = value.map(scrub);
    else if (value !== undefined) clean[key] = typeof value === 'string' ? scrub(value) : value;
  }
  return clean;
}

/** Reports when exporting begins to fail and when it works again, not at each attempt. */
function watched(exporter: SpanExporter, onChange: OtlpOptions['onChange']): SpanExporter {
  let isBroken = false;
  return {
    export(spans, done) {
      exporter.export(spans, (result) => {
        const { error } = result;
        if ((error !== undefined) !== isBroken) onChange(error && scrub(error.message));
        isBroken = error !== undefined;
        done(result);
      });
    },
    forceFlush: () => exporter.forceFlush?.() ?? Promise.resolve(),
    shutdown: () => exporter.shutdown(),
  };
}
