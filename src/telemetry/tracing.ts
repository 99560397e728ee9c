/**
 * Traces of OpenTelemetry: one for each message, one span for each stage. A message's key in the spool is the id of its trace, and its
 * first span's id is a part of that, so that every stage finds its place, also in a process after a crash. Types only: nothing of it is
 * loaded where nobody asked for traces (`otlp.ts`). Invariant: a span holds names, ids and numbers of ours, never what was said.
 */

export type Attributes = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;

export interface SpanOptions {
  /** `internal` where nothing is said. */
  kind?: 'client' | 'consumer' | 'producer';
  /** Milliseconds since the epoch; absent: now. */
  at?: number;
  attributes?: Attributes;
  /** Traces of other messages that it is about as well. */
  links?: readonly string[];
}

/** One that is never ended is not told. */
export interface Span {
  child(name: string, options?: SpanOptions): Span;
  /** @param error in a word, where it failed */
  end(attributes?: Attributes, error?: string): void;
}

/** Nothing of it throws or is waited for. A trace is named by 32 hex characters. */
export interface Tracing {
  /** The first span of a trace. */
  root(trace: string, name: string, options?: SpanOptions): Span;
  /** A stage of it. */
  stage(trace: string, name: string, options?: SpanOptions): Span;
  /** Hands over what is left, for so long at most. */
  close(ms: number): Promise<void>;
}
