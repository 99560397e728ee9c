/** Replaces exact pieces of text. Pure. */
import { UserError } from '../../errors.ts';

export interface Edit {
  old: string;
  new: string;
  /** Replace every occurrence. */
  all?: boolean;
}

const CONTEXT = 3;
const MAX_SHOWN = 1_500;
/** In characters. */
const MAX_TEXT = 1_000_000;

/**
 * Applies the edits in order, all or none.
 * @returns the new text, and the line ranges that changed, such as `12-14`
 * @throws UserError that names the failed edit and the most similar line
 */
export function applyEdits(before: string, edits: readonly Edit[], most = MAX_TEXT): { text: string; lines: string[] } {
  const lines: string[] = [];
  let text = before;
  for (const [index, edit] of edits.entries()) {
    // The model may use another system's line endings.
    const hasOld = text.includes(edit.old);
    const old = hasOld ? edit.old : edit.old.replaceAll('\r\n', '\n');
    const put = hasOld ? edit.new : edit.new.replaceAll('\r\n', '\n');
    const which = edits.length === 1 ? '"old"' : `"old" of edit ${index + 1}`;
    const places = occurrencesOf(text, old);
    const [first] = places;
    if (first === undefined)
      throw new UserError(`${which} is not in the file${nearestPlace(text, old)}. Nothing was changed.`);
    if (places.length > 1 && !edit.all)
      throw new UserError(
        `${which} is there ${places.length} times, in lines ${places
          .slice(0, 10)
          .map((at) => lineAt(text, at))
          .join(', ')}: add the lines around it, or set all. Nothing was changed.`,
      );
    if (old === put) throw new UserError(`${which} and its replacement are the same. Nothing was changed.`);
    // Checked before each replacement: a few edits that each double the text could exhaust memory.
    if (text.length + places.length * (put.length - old.length) > most)
      throw new UserError(`${which} would make the file larger than ${most} characters. Nothing was changed.`);
    const start = lineAt(text, first);
    lines.push(
      `${start}-${start + put.split('\n').length - 1}${places.length > 1 ? ` and ${places.length - 1} more` : ''}`,
    );
    text = text.split(old).join(put);
  }
  return { text, lines };
}

function occurrencesOf(text: string, piece: string): number[] {
  const found: number[] = [];
  for (let at = text.indexOf(piece); at >= 0; at = text.indexOf(piece, at + piece.length)) found.push(at);
  return found;
}

const lineAt = (text: string, at: number): number => text.slice(0, at).split('\n').length;

/** Finds the lines of the file that are most like the first meaningful line of the text to replace. */
function nearestPlace(text: string, piece: string): string {
  const lines = text.split('\n');
  const wanted = piece.split('\n').find((line) => line.trim() !== '') ?? '';
  let best = { at: -1, likeness: 0.6 };
  for (const [at, line] of lines.entries()) {
    const likeness = similarity(line, wanted);
    if (likeness > best.likeness) best = { at, likeness };
  }
  if (best.at < 0) return '';
  const shown = lines.slice(Math.max(0, best.at - 1), best.at + piece.split('\n').length + CONTEXT);
  return `; line ${best.at + 1} is the most similar:\n${shown.join('\n').slice(0, MAX_SHOWN).toWellFormed()}\n`;
}

/** Returns the share of words that two lines have in common, from 0 to 1. Ignores whitespace. */
function similarity(line: string, wanted: string): number {
  const [a, b] = [tokensIn(line), tokensIn(wanted)];
  if (a.size === 0 || b.size === 0) return 0;
  return (2 * a.intersection(b).size) / (a.size + b.size);
}

const tokensIn = (line: string): Set<string> => new Set(line.match(/[\p{L}\p{N}_]+|[^\s\p{L}\p{N}_]/gu));
