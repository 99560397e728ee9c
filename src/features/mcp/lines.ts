/** Splits a stream of server-sent events into lines. https://html.spec.whatwg.org/multipage/server-sent-events.html */

/**
 * Yields each complete line, which ends in CR, LF or both.
 * @param onOpen called with the length of a line that hasn't ended yet; may throw to bound it
 */
export async function* linesOf(
  body: AsyncIterable<Uint8Array>,
  onOpen: (length: number) => void = () => undefined,
): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let parts: string[] = [];
  let length = 0;
  let endedInCr = false;
  for await (const chunk of body) {
    const text = decoder.decode(chunk, { stream: true });
    const [first = '', ...more] = (endedInCr && text.startsWith('\n') ? text.slice(1) : text).split(/\r\n|\n|\r/);
    endedInCr = text.endsWith('\r');
    parts.push(first);
    length += first.length;
    for (const next of more) {
      yield parts.join('');
      parts = [next];
      length = next.length;
    }
    onOpen(length);
  }
}
