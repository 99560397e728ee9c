/** What others wrote must not command a terminal: no control characters but the end of a line. */
export const sanitised = (text: string): string => text.replace(/(?!\n)[\p{Cc}\p{Cf}]/gu, '\ufffd');

/** One line of at most so many characters. */
export function oneLine(text: string, most: number): string {
  const line = sanitised(text).replace(/\s+/g, ' ').trim();
  return line.length > most ? `${line.slice(0, most - 1)}…`.toWellFormed() : line;
}
