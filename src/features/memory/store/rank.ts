/** Merges ranked lists of pieces into the few to show, by reciprocal rank fusion. Newer pieces win ties. */
import { isRecord, parseJson } from '../../../lib/json.ts';
import type { MemoryHit, Piece } from '../../../runtime/contract/memory.ts';

/** The usual constant of reciprocal rank fusion. */
const K = 60;

/** Scores this close count as equal: they differ only by the order of summing. */
const EQUAL = 1e-9;

export interface RankedPiece {
  id: number;
  score: number;
}

/**
 * Fuses lists, each with the best (largest) score first.
 * @param pieceOf returns undefined for a piece that must not be shown
 */
export function fuse(
  lists: readonly (readonly RankedPiece[])[],
  pieceOf: (id: number) => Piece | undefined,
  limit: number,
): MemoryHit[] {
  const scores = new Map<number, number>();
  for (const list of lists) {
    let rank = 0;
    for (const [index, { id, score }] of list.entries()) {
      // Equal scores share a rank; otherwise the order in which they were found would matter.
      if (index === 0 || (list[index - 1]?.score ?? 0) - score > EQUAL) rank = index + 1;
      scores.set(id, (scores.get(id) ?? 0) + 1 / (K + rank));
    }
  }
  const found = [...scores].flatMap(([id, score]) => {
    const piece = pieceOf(id);
    return piece ? [{ piece, score }] : [];
  });
  found.sort((a, b) => {
    if (Math.abs(a.score - b.score) > EQUAL) return b.score - a.score;
    if (a.piece.day !== b.piece.day) return a.piece.day < b.piece.day ? 1 : -1;
    return a.piece.source_file === b.piece.source_file
      ? a.piece.metadata.line - b.piece.metadata.line
      : a.piece.source_file < b.piece.source_file
        ? -1
        : 1;
  });
  // A piece that is in several files is shown once, from the newest.
  const seen = new Set<string>();
  return found
    .filter(({ piece }) => !seen.has(piece.content) && seen.add(piece.content))
    .slice(0, limit)
    .map(({ piece: { content, source_file, metadata }, score }) => ({
      content,
      source_file,
      metadata,
      score: Math.round(score * 1e6) / 1e6,
    }));
}

export function toMetadata(json: unknown): Piece['metadata'] {
  const value = parseJson(String(json));
  const { line, section }: { line?: unknown; section?: unknown } = isRecord(value) ? value : {};
  return { line: typeof line === 'number' ? line : 1, ...(typeof section === 'string' && { section }) };
}
