/**
 * OpenTelemetry traces: one per message, one span per stage. A message's key in the spool is its trace ID, and the
 * first span's ID is part of it, so that every stage finds its place, also in a process after a crash. Only types:
 * nothing is loaded unless traces are on (`otlp.ts`). Invariant: a span holds names, IDs and numbers of ours, never
 * what was said.
 */

export type Attributes = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;

export interface SpanOptions {
  /** `internal` when absent. */
  kind?: 'client' | 'consumer' | 'producer';
  /** Milliseconds since the epoch; now when absent. */
  at?: number;
  attributes?: Attributes;
  /** Traces of other messages that it also covers. */
  links?: readonly string[];
}

/** A span that never ends isn't exported. */
export interface Span {
  child(name: string, options?: SpanOptions): Span;
  /** @param error one word, if it failed */
  end(attributes?: Attributes, error?: string): void;
}

/** Nothing here throws or is awaited. A trace ID has 32 hex characters. */
export interface Tracing {
  /** Starts the first span of a trace. */
  root(trace: string, name: string, options?: SpanOptions): Span;
  /** Starts a stage of a trace. */
  stage(trace: string, name: string, options?: SpanOptions): Span;
  /** Exports what is left, taking at most `ms`. */
  close(ms: number): Promise<void>;
}
