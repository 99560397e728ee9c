/** Files in the wide pane and in the conversation, also those of somebody who means harm. */
import type { Browser, Page } from 'playwright-core';
import { describe, expect, onTestFinished, test } from 'vitest';
import { isLeftOut, type Look, logIn } from './browser.ts';
import { type FakeGateway, startFakeGateway } from './fake-gateway.ts';
import { useBrowser } from './open.ts';

const TASK = '20261122-00000';
const SVG = `<svg xmlns="http://www.w3.org/2000/svg" width="60" height="40" onload="window.hacked=1"><script>window.hacked=1</script><rect width="60" height="40" fill="red"/></svg>`;
const DIFF = `--- a/src/price.ts
+++ b/src/price.ts
@@ -1,3 +1,3 @@
 const tax = 0.19;
-export const price = 10;
+export const price = 12;
 // the end
`;
const PDF = `%PDF-1.4
1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj
2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj
3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 100]>>endobj
trailer<</Root 1 0 R>>`;
const FILES = {
  'notes.md': [
    'text/markdown',
    '# Offers\n\n| Who | Price |\n|---|--:|\n| Wolf | 12 |\n\n```ts\nconst price = 12;\n```\n',
  ],
  'prices.csv': ['text/csv', 'Name;Price;"Note; long"\r\n"Wolf ""W""";12,50;a\r\nLindner;11,90;"two\nlines"\r\n'],
  'change.diff': ['text/x-diff', DIFF],
  'price.py': ['text/plain', 'def price(tax):\n    return 10 * tax  # net\n'],
  'page.html': ['text/html', '<script>window.hacked=1</script><img src=x onerror="window.hacked=1">'],
  'plan.svg': ['image/svg+xml', SVG],
  'offer.pdf': ['application/pdf', PDF],
  'liar.pdf': ['application/pdf', '<html><script>window.hacked=1</script></html>'],
  'data.bin': ['application/octet-stream', '\u0000\u0001'],
} as const;
const refOf = (name: string): string => `artifacts/${TASK}/${Object.keys(FILES).indexOf(name)}-${name}`;

function give({ state }: FakeGateway): void {
  for (const [name, [type, text]] of Object.entries(FILES))
    state.artifacts.set(refOf(name), { name, type, bytes: Buffer.from(text) });
  const artifactRefs = Object.entries(FILES).map(([name, [type, text]], id) => ({
    ...{ id: String(id), title: name, type, ref: refOf(name), size: text.length },
  }));
  const at = new Date(state.at).toISOString();
  state.messages.set(TASK, [
    { id: 'm1', role: 'user', text: 'Everything, please', at },
    { id: 'm2', role: 'assistant', text: 'Here it is.', at, runId: 'r1', artifactRefs },
  ]);
}

let browser: Browser;
let pages: string;

async function board(look: Look = {}) {
  const gateway = await startFakeGateway({ pages });
  onTestFinished(() => gateway.close());
  give(gateway);
  const { page, problems } = await logIn(browser, gateway, look);
  await page.goto(`${gateway.url}/board/tasks/${TASK}`);
  await page.getByText('Here it is.').waitFor();
  const pane = page.locator('.pane');
  const open = async (name: string) => {
    await page
      .locator('.message')
      .getByRole('link', { name: `Open ${name}` })
      .click();
    await pane.getByRole('heading', { name }).waitFor();
  };
  return { gateway, page, problems, pane, open };
}
const hacked = (page: Page) => page.evaluate('window.hacked');

describe.skipIf(isLeftOut)('files', () => {
  useBrowser((started, built) => {
    browser = started;
    pages = built;
  });

  test('open wide beside the conversation, each as what it is', async () => {
    const { page, problems, pane, open } = await board({ width: 1440 });
    await open('notes.md');
    expect((await pane.boundingBox())?.width).toBeGreaterThan(600);
    await pane.getByRole('heading', { name: 'Offers' }).waitFor();
    expect(await pane.locator('td').allTextContents()).toEqual(['Wolf', '12']);
    await pane.locator('.hljs-keyword', { hasText: 'const' }).waitFor();
    await pane.getByRole('button', { name: 'Source' }).click();
    await expect.poll(() => pane.locator('.pane-code').textContent()).toContain('# Offers');
    // The conversation stays usable beside it.
    await page.getByLabel('Message', { exact: true }).fill('Thanks');

    await open('prices.csv');
    await expect.poll(() => pane.locator('th').allTextContents()).toEqual(['Name', 'Price', 'Note; long']);
    expect(await pane.locator('td').allTextContents()).toEqual([
      'Wolf "W"',
      '12,50',
      'a',
      'Lindner',
      '11,90',
      'two\nlines',
    ]);

    await open('change.diff');
    await expect
      .poll(() => pane.locator('.diff-beside .diff-old').allTextContents())
      .toEqual(['−export const price = 10;']);
    const [old, fresh] = [pane.locator('.diff-old'), pane.locator('.diff-new')];
    expect((await old.boundingBox())?.y).toBe((await fresh.boundingBox())?.y);

    await open('price.py');
    await pane.locator('.hljs-keyword', { hasText: 'def' }).waitFor();
    await open('data.bin');
    await pane.getByText("This file can't be shown here.").waitFor();
    await page.keyboard.press('Escape');
    await pane.waitFor({ state: 'detached' });
    expect(await page.getByLabel('Message', { exact: true }).inputValue()).toBe('Thanks');
    expect(problems).toEqual([]);
  });

  test('cover a narrow window, by keys alone, and the way back closes them', async () => {
    const { page, problems, pane } = await board({ width: 390 });
    const link = page.locator('.message').getByRole('link', { name: 'Open change.diff' });
    await link.focus();
    await page.keyboard.press('Enter');
    await pane.locator('.diff-old').waitFor();
    expect((await pane.boundingBox())?.width).toBe(390);
    expect(await pane.locator('.diff-beside').count()).toBe(0);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
    await page.goBack();
    await pane.waitFor({ state: 'detached' });
    await link.click();
    await pane.locator('.diff-old').waitFor();
    await page.keyboard.press('Escape');
    await pane.waitFor({ state: 'detached' });
    await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe('change.diff');
    expect(problems).toEqual([]);
  });

  test('never run what somebody put into them', async () => {
    const { gateway, page, problems, pane, open } = await board({ width: 1440 });
    const picture = page.locator('.message .picture img');
    await picture.waitFor();
    expect(await picture.evaluate((image: HTMLImageElement) => image.decode().then(() => image.naturalWidth))).toBe(60);
    await open('plan.svg');
    await pane.locator('img').waitFor();
    expect(await pane.locator('img').getAttribute('src')).toMatch(/^data:image\/svg\+xml,/);
    await open('page.html');
    await expect.poll(() => pane.locator('.pane-code').textContent()).toContain('<script>');
    expect(await pane.locator('script, img').count()).toBe(0);
    await open('liar.pdf');
    await pane.getByText("This file can't be shown here.").waitFor();
    expect(await page.locator('iframe').count()).toBe(0);
    await open('offer.pdf');
    if (await page.evaluate(() => navigator.pdfViewerEnabled))
      expect(await pane.locator('iframe').getAttribute('src')).toMatch(/^blob:/);
    expect(await hacked(page)).toBeUndefined();
    // An address that names a file from elsewhere names none.
    await page.goto(`${gateway.url}/board/tasks/${TASK}?open=${encodeURIComponent('../../etc/passwd')}`);
    await page.getByText('Here it is.').waitFor();
    expect(await pane.count()).toBe(0);
    expect(problems).toEqual([]);
  });
});
