/**
 * Draws answers roughly as they look on each platform: `npm run words:pictures [-- FOLDER]`. The real channels send
 * those in `test/fixtures/answers`, and a browser draws what arrived: Telegram's entities and rich blocks, Discord's
 * and Slack's Markdown.
 */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { chromium } from 'playwright-core';
import { CHROMIUM_FILES } from '../test/helpers/chromium.ts';
import { type Came, openShowers } from './words-channels.ts';
import { htmlOf } from './words-read.ts';

const folder = process.argv[2] ?? path.join(os.tmpdir(), 'viber-words');
const answers = path.join(import.meta.dirname, '../test/fixtures/answers');
const STYLE = `body{font:14px/1.4 "DejaVu Sans","Noto Sans",sans-serif;background:#e6ebee;display:flex;gap:16px;margin:12px}
section{width:420px}h6{margin:0 0 6px}article{background:#fff;border-radius:8px;padding:8px 12px;margin-bottom:6px;overflow-wrap:anywhere;unicode-bidi:plaintext}
article.text{white-space:pre-wrap}pre{background:#f1f1f1;padding:6px;white-space:pre-wrap;margin:4px 0}code{background:#f1f1f1}blockquote{border-inline-start:3px solid #3390ec;margin:4px 0;padding-inline-start:8px}
table{border-collapse:collapse}td,th{border:1px solid #bbb;padding:2px 6px}p{margin:4px 0;unicode-bidi:plaintext}li,td,th,h1,h2,h3,h4{unicode-bidi:plaintext}`;

const escaped = (text: string) =>
  text.replace(/[&<>"]/g, (mark) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[mark] ?? mark);

const TAGS: Readonly<Record<string, string>> = {
  ...{ bold: 'b', italic: 'i', strikethrough: 's', code: 'code', pre: 'pre', blockquote: 'blockquote' },
  ...{ expandable_blockquote: 'blockquote', text_link: 'u', url: 'u' },
};

function byEntities({ text, entities = [] }: Came): string {
  let html = '';
  for (let at = 0; at <= text.length; at++) {
    for (const each of entities.toReversed()) if (each.offset + each.length === at) html += `</${TAGS[each.type]}>`;
    for (const each of entities) if (each.offset === at) html += `<${TAGS[each.type]}>`;
    html += escaped(text.charAt(at));
  }
  return html;
}

interface Rich {
  type?: string;
  text?: unknown;
  blocks?: unknown;
  items?: Rich[];
  cells?: (Rich & { is_header?: boolean })[][];
  size?: number;
  value?: number;
  has_checkbox?: boolean;
  is_checked?: boolean;
}

function byBlocks(value: unknown): string {
  if (typeof value === 'string') return escaped(value);
  if (Array.isArray(value)) return value.map(byBlocks).join('');
  const block = value as Rich;
  const inner = byBlocks(block.text ?? block.blocks ?? '');
  switch (block.type) {
    case 'paragraph':
      return `<p>${inner}</p>`;
    case 'heading':
      return `<h${block.size}>${inner}</h${block.size}>`;
    case 'divider':
      return '<hr>';
    case 'list': {
      const mark = ({ value: number, has_checkbox, is_checked }: Rich) =>
        has_checkbox ? (is_checked ? '☑' : '☐') : number === undefined ? '•' : `${number}.`;
      return `<div style="padding-inline-start:12px">${block.items?.map((item) => `<div>${mark(item)} ${byBlocks(item.blocks)}</div>`).join('')}</div>`;
    }
    case 'table': {
      const row = (cells: readonly Rich[]) =>
        `<tr>${cells.map((cell) => `<td>${byBlocks(cell.text)}</td>`).join('')}</tr>`;
      return `<table>${block.cells?.map(row).join('')}</table>`;
    }
    default:
      return `<${TAGS[block.type ?? ''] ?? 'span'}>${inner}</${TAGS[block.type ?? ''] ?? 'span'}>`;
  }
}

function drawn(platform: string, came: Came): string {
  if (platform.startsWith('telegram')) {
    return came.blocks === undefined
      ? `<article class="text">${byEntities(came)}</article>`
      : `<article>${byBlocks(came.blocks)}</article>`;
  }
  // A client keeps line breaks.
  return `<article dir="auto">${htmlOf(came.text).replace(/(?<=<p>[\s\S]*?)\n(?=[^<]*<\/p>)/g, '<br>')}</article>`;
}

fs.mkdirSync(folder, { recursive: true });
const showers = await openShowers();
const browser = await chromium.launch({
  executablePath: CHROMIUM_FILES.find((file) => fs.existsSync(file)) ?? '',
  args: ['--no-sandbox'],
});
const page = await browser.newPage({ viewport: { width: 1800, height: 400 } });
for (const name of fs.readdirSync(answers)) {
  const text = fs.readFileSync(path.join(answers, name), 'utf8');
  const columns: string[] = [];
  for (const shower of showers) {
    const came = await shower.send(text);
    columns.push(`<section><h6>${shower.name}</h6>${came.map((each) => drawn(shower.name, each)).join('')}</section>`);
  }
  await page.setContent(`<meta charset="utf-8"><style>${STYLE}</style>${columns.join('')}`);
  const file = path.join(folder, name.replace(/\.md$/, '.png'));
  await page.screenshot({ path: file, fullPage: true });
  process.stdout.write(`${file}\n`);
}
await browser.close();
await Promise.all(showers.map((each) => each.close()));
process.exit(0);
