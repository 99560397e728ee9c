/** Turns blocks into plain formatted text: bullets, numbers, boxes and aligned tables made of characters. */
import type { Block, ListItem } from './block.ts';
import { append, cover, edit, type Inline, plainInline, type Rich, sliceInline } from './rich.ts';
import { alignTable } from './table.ts';
import { linksIn } from './table-forms.ts';

const BULLETS = ['•', '◦', '▪'];
const MAX_INDENT = 12;

type List = Extract<Block, { type: 'list' }>;

interface Place {
  /** Blanks before each line of content inside list items. */
  indent: number;
  lists: number;
  quoted: boolean;
}

/** Returns formatted text. It never begins or ends with a line break, nor ends with a blank. */
export function flatten(blocks: readonly Block[]): Rich {
  const writer = new Writer();
  writer.all(blocks, '\n\n', { indent: 0, lists: 0, quoted: false });
  return { ...trimmed(writer.out), features: writer.features };
}

/** Returns what precedes an item: its number, its box, or a bullet. @param depth the number of lists around its own */
export function markOf({ ordered, start, items }: List, index: number, depth: number): string {
  const number = ordered ? `${start + index}. ` : '';
  const checked = items[index]?.checked;
  const box = checked === undefined ? '' : checked ? '☑ ' : '☐ ';
  return number + box || `${BULLETS[Math.min(depth, 2)]} `;
}

class Writer {
  readonly out = plainInline('');
  readonly features = { table: false, tasks: false };

  all(list: readonly Block[], between: string, place: Place): void {
    for (const [index, block] of list.entries()) {
      if (index > 0) this.out.text += between;
      this.#block(block, place);
    }
  }

  #block(block: Block, place: Place, besideMark = false): void {
    const { out } = this;
    const running = block.type === 'paragraph' || block.type === 'heading' || block.type === 'rule';
    if (running && !besideMark) out.text += ' '.repeat(place.indent);
    switch (block.type) {
      case 'paragraph':
        this.#lines(block.inline, place);
        break;
      case 'heading':
        cover(out, { kind: 'heading', level: block.level }, () => this.#lines(block.inline, place));
        break;
      case 'rule':
        out.text += '———';
        break;
      case 'code':
        cover(out, { kind: 'pre', ...(block.language === undefined ? {} : { language: block.language }) }, () => {
          out.text += block.text;
        });
        break;
      case 'quote': {
        // A quotation inside another one becomes part of it.
        const inner = () => this.all(block.blocks, '\n\n', { indent: 0, lists: 0, quoted: true });
        if (place.quoted) inner();
        else cover(out, { kind: 'quote' }, inner);
        break;
      }
      case 'list':
        this.#list(block, place);
        break;
      case 'table':
        this.features.table = true;
        writeTable(out, block);
        break;
    }
  }

  #lines(inline: Inline, { indent }: Place): void {
    const insert = ' '.repeat(indent);
    const breaks = indent === 0 ? [] : [...inline.text.matchAll(/\n/g)];
    const edits = breaks.map((match) => ({ at: match.index + 1, remove: 0, insert }));
    append(this.out, edit(inline, edits));
  }

  #list(block: List, place: Place): void {
    for (const [index, item] of block.items.entries()) {
      if (index > 0) this.out.text += block.loose ? '\n\n' : '\n';
      if (item.checked !== undefined) this.features.tasks = true;
      this.#item(item, markOf(block, index, place.lists), place);
    }
  }

  #item(item: ListItem, mark: string, place: Place): void {
    const inner = { ...place, indent: Math.min(MAX_INDENT, place.indent + mark.length), lists: place.lists + 1 };
    const [first, ...rest] = item.blocks;
    // Only running text can follow the mark on its line; a code block or a nested list begins its own line.
    const beside = first?.type === 'paragraph' || first?.type === 'heading';
    this.out.text += ' '.repeat(place.indent) + (beside ? mark : mark.trimEnd());
    if (first === undefined) return;
    if (!beside) this.out.text += '\n';
    this.#block(first, inner, beside);
    for (const block of rest) {
      this.out.text += block.type === 'list' || !item.loose ? '\n' : '\n\n';
      this.#block(block, inner);
    }
  }
}

function writeTable(out: Inline, table: Extract<Block, { type: 'table' }>): void {
  const cells = table.rows.map((row) => row.map((cell) => cell.text));
  cover(out, { kind: 'pre' }, () => {
    out.text += alignTable(cells, table.align);
  });
  const links = linksIn(table.rows);
  if (links.text === '') return;
  out.text += '\n';
  append(out, links);
}

/** Trims blanks at the end, and at the beginning unless they belong to a code block. */
function trimmed(inline: Inline): Inline {
  const { text, spans } = inline;
  const end = text.trimEnd().length;
  const first = spans.find((span) => span.kind === 'pre')?.start ?? end;
  return sliceInline(inline, Math.min(first, text.length - text.trimStart().length, end), end);
}
