/**
 * Defines a Markdown document as blocks, after links were made safe and references resolved. Renderers of platforms
 * with tables and lists work from these; `flatten` turns them into plain formatted text.
 */
import type { Inline } from './rich.ts';
import type { Align } from './table.ts';

export interface ListItem {
  /** Set for a task only: whether it is ticked. */
  checked?: boolean;
  /** Whether empty lines separate its blocks. */
  loose: boolean;
  blocks: Block[];
}

export type Block =
  | { type: 'paragraph'; inline: Inline }
  | { type: 'heading'; level: number; inline: Inline }
  | { type: 'code'; text: string; language?: string }
  | { type: 'quote'; blocks: Block[] }
  /** `loose`: empty lines separate the items. */
  | { type: 'list'; ordered: boolean; start: number; loose: boolean; items: ListItem[] }
  /** The first row is the header. Rows may be shorter than the header. */
  | { type: 'table'; align: (Align | undefined)[]; rows: Inline[][] }
  | { type: 'rule' };

/** Returns a code block's language name, or undefined if the text isn't one. */
function languageOf(info: string | null | undefined): string | undefined {
  const word = /^\S*/.exec(info ?? '')?.[0];
  return word !== undefined && /^[\w+#.-]{1,32}$/.test(word) ? word : undefined;
}

export function codeBlock(text: string, info: string | null | undefined): Block {
  const language = languageOf(info);
  // Empty lines at either end don't belong to the code; the indentation of its first line does.
  const code = text.trimEnd().replace(/^(?:[^\S\n]*\n)+/, '');
  return { type: 'code', text: code, ...(language === undefined ? {} : { language }) };
}
