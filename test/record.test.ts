/** The picture in the README is made by a command: what it types is still answered, and the picture kept is one of these. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { hasPython } from './helpers/python.ts';
import { draw } from './helpers/terminal-picture.ts';
import { recordTerminal, TYPED } from './record.ts';

const SAID = [...TYPED, 'viber> ', 'The plan has 3 steps.', 'I wrote report.md.', '1 of 3 done.'];
const words = (svg: string): string => svg.replaceAll(/<style>[\s\S]*?<\/style>|<[^>]+>/g, '').replaceAll('&gt;', '>');

test.skipIf(!hasPython)('npm run record draws the whole conversation, without anything of this machine', async () => {
  for (const svg of [
    await recordTerminal(),
    readFileSync(join(import.meta.dirname, '..', 'docs', 'terminal.svg'), 'utf8'),
  ]) {
    for (const said of SAID) expect(words(svg)).toContain(said);
    expect(svg.length).toBeLessThan(20_000);
    expect(svg).toContain('prefers-color-scheme:dark');
    expect(svg).not.toMatch(/viber-record-|\btmp\b|&(?!\w+;)/);
  }
});

test('colours are told by classes, and what is shown is never markup', () => {
  const svg = draw([{ moment: 2, spans: [{ column: 3, text: '<b>&"', color: 10, isBold: true }] }], 80, 'a "title"');
  expect(svg).toContain('<tspan x="43.2" class="c2 b">&lt;b&gt;&amp;&quot;</tspan>');
  expect(svg).toContain('animation-delay:1.8s');
  expect(svg).toContain('aria-label="a &quot;title&quot;"');
});
