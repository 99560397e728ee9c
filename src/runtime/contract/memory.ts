/** What the rest of the runtime knows of memory. Types only. */

/** Turns texts into vectors, `runtime/model/embeddings.ts`. */
export interface Embedder {
  /** `provider/model`. */
  readonly name: string;
  /**
   * Returns one vector per text; undefined for a text the provider refuses. Rejects when the provider can't be reached.
   * @param options.onUsage called with the tokens of each call, if the provider counts them
   */
  embed(
    texts: readonly string[],
    options: { signal: AbortSignal; onUsage?: (tokens: number) => void },
  ): Promise<(Float32Array | undefined)[]>;
}

export interface Piece {
  content: string;
  source_file: string;
  metadata: { section?: string; line: number };
  /** `YYYY-MM-DD`. */
  day: string;
}

export interface MemoryHit extends Omit<Piece, 'day'> {
  /** Larger is better; only comparable within one search. */
  score: number;
}

export interface Suggestion {
  /** The same text under the same heading has the same ID. */
  id: string;
  /** The number people use while it is pending, unique among pending ones. Missing in those of earlier versions. */
  n?: number;
  section?: string;
  /** One line, or several lines each beginning with `- `. */
  text: string;
  /** The text of the line of MEMORY.md that it replaces, with everything indented under it. */
  replaces?: string;
  provenance: string;
  run?: string;
  /** ISO 8601. */
  createdAt: string;
}
