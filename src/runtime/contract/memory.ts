/** Defines memory as the rest of the runtime sees it. Types only. */

export interface Embedder {
  /** `provider/model`. */
  readonly name: string;
  /** Returns undefined for a text the provider refuses; rejects when the provider can't be reached. */
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
  /** The number people use while it is pending. Missing in those of earlier versions. */
  n?: number;
  section?: string;
  /** One line, or several lines each beginning with `- `. */
  text: string;
  /** The line of MEMORY.md that it replaces, with everything indented under it. */
  replaces?: string;
  provenance: string;
  run?: string;
  createdAt: string;
}
