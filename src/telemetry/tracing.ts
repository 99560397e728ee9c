/**
 * OpenTelemetry traces: one per message, one span per stage. A message's key in the spool is its trace ID, and the
 * first span's ID is derived from it, so that every stage finds its place, even in another process after a crash. Only
 * types: nothing is loaded unless traces are on (`otlp.ts`). Invariant: a span contains our own names, IDs and numbers,
 * never what somebody wrote.
 */

export type Attributes = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;

export interface SpanOptions {
  /** `internal` by default. */
  kind?: 'client' | 'consumer' | 'producer';
  /** Milliseconds since the epoch; now by default. */
  at?: number;
  attributes?: Attributes;
  /** Traces of other messages that this span also covers. */
  links?: readonly string[];
}

/** A span that is never ended isn't exported. */
export interface Span {
  child(name: string, options?: SpanOptions): Span;
  /** @param error one word, if it failed */
  end(attributes?: Attributes, error?: string): void;
}

/** Methods never throw and needn't be awaited. A trace ID has 32 hex characters. */
export interface Tracing {
  /** Starts the first span of a trace. */
  root(trace: string, name: string, options?: SpanOptions): Span;
  /** Starts a stage of a trace. */
  stage(trace: string, name: string, options?: SpanOptions): Span;
  /** Exports the remaining spans, taking at most `ms`. */
  close(ms: number): Promise<void>;
}
