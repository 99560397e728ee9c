/** Shows a link, with its QR code if the terminal is wide enough. */
import type { Screen } from './screen.ts';

export async function showLink(screen: Screen, link: string): Promise<void> {
  const { renderUnicodeCompact } = await import('uqr');
  const code = renderUnicodeCompact(link, { border: 1, ecc: 'L' });
  const width = code.split('\n')[0]?.length ?? 0;
  screen.raw(width <= screen.columns() ? `${code}\n\n${link}\n` : `${link}\n`);
}
