/** What axe finds in a page that is open, as those see it who have a telephone or a desk, by day or by night. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
/** A scheme changes nothing but colours, so in the second one only the rules about them are asked. */
const OF_COLOURS = { runOnly: { type: 'rule', values: ['color-contrast', 'link-in-text-block'] } };

interface Finding {
  id: string;
  impact: string;
  nodes: { html: string; failureSummary: string }[];
}

/** Returns what is serious at these widths, in light and dark, and whether the page is wider than its window. */
export async function seriousFindings(page: Page, widths: readonly number[] = [1_440, 390]): Promise<string[]> {
  const found: string[] = [];
  // Handed over as a value: the page's policy allows no script of others.
  await page.evaluate(axe);
  for (const width of widths)
    for (const [colorScheme, options] of [['light', {}] as const, ['dark', OF_COLOURS] as const]) {
      await page.setViewportSize({ width, height: page.viewportSize()?.height ?? 900 });
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      // By the second frame the page has drawn what it shows so.
      await page.evaluate('new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))');
      const wide = Number(await page.evaluate('document.documentElement.scrollWidth - innerWidth'));
      const violations: Finding[] = await page.evaluate(
        `axe.run(${JSON.stringify(options)}).then(({ violations }) => violations)`,
      );
      found.push(
        ...(wide > 0 ? [`${width} px: ${wide} px wider than the screen`] : []),
        ...violations
          .filter(({ impact }) => impact === 'serious' || impact === 'critical')
          .map(({ id, nodes }) => `${width} px, ${colorScheme}: ${id}: ${nodes[0]?.html} ${nodes[0]?.failureSummary}`),
      );
    }
  return found;
}
