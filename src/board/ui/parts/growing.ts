/** Splits the Markdown of an answer that is still being written, so that only its newest part is parsed again. Pure. */

/** A line that begins so is a paragraph, and neither goes on with the block above nor is only a mark. */
const BEGINS = /^\p{L}/u;
const FENCE = /^ {0,3}(?:```|~~~|\$\$)/gm;
/** A definition counts for the whole text. */
const DEFINES = /^ {0,3}\[[^\]]+\]:/m;

/** Returns the end of the part whose blocks no longer change, however the text goes on. */
export function settledEnd(text: string): number {
  if (DEFINES.test(text)) return 0;
  for (let at = text.lastIndexOf('\n\n'); at > 0; at = text.lastIndexOf('\n\n', at - 1)) {
    if (!BEGINS.test(text.slice(at + 2, at + 4))) continue;
    const fences = text.slice(0, at).match(FENCE)?.length ?? 0;
    if (fences % 2 === 0) return at + 2;
  }
  return 0;
}
