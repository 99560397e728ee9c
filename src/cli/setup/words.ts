/** Replaces control characters except newlines: text from others must not control the terminal. */
export const sanitised = (text: string): string => text.replace(/(?!\n)[\p{Cc}\p{Cf}]/gu, '\ufffd');

/** Returns one line of at most `most` characters. */
export function cutLine(text: string, most: number): string {
  const line = sanitised(text).replace(/\s+/g, ' ').trim();
  return line.length > most ? `${line.slice(0, most - 1)}…`.toWellFormed() : line;
}
