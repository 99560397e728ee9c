/**
 * A Markdown document as blocks of our own, after links were made safe and references resolved. Renderers of
 * platforms that know tables and lists work from these; `flatten` turns them into plain formatted text.
 */
import type { Inline } from './rich.ts';
import type { Align } from './table.ts';

export interface ListItem {
  /** Only for a task: ticked or not. */
  checked?: boolean;
  /** Empty lines between its blocks. */
  loose: boolean;
  blocks: Block[];
}

export type Block =
  | { type: 'paragraph'; inline: Inline }
  | { type: 'heading'; level: number; inline: Inline }
  | { type: 'code'; text: string; language?: string }
  | { type: 'quote'; blocks: Block[] }
  /** `loose`: empty lines between the items. */
  | { type: 'list'; ordered: boolean; start: number; loose: boolean; items: ListItem[] }
  /** The first row is the header. Rows may be shorter than it. */
  | { type: 'table'; align: (Align | undefined)[]; rows: Inline[][] }
  | { type: 'rule' };

/** A language name as code blocks carry it, or undefined for anything that is none. */
function languageOf(info: string | null | undefined): string | undefined {
  const word = /^\S*/.exec(info ?? '')?.[0];
  return word !== undefined && /^[\w+#.-]{1,32}$/.test(word) ? word : undefined;
}

export function codeBlock(text: string, info: string | null | undefined): Block {
  const language = languageOf(info);
  // Empty lines at either end are no part of the code; the indentation of its first line is.
  const code = text.trimEnd().replace(/^(?:[^\S\n]*\n)+/, '');
  return { type: 'code', text: code, ...(language === undefined ? {} : { language }) };
}
