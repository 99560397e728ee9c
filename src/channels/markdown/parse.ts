/**
 * Parses Markdown (CommonMark with GFM) into formatted text for any platform. The parser is loaded with the first text
 * that needs it; most answers in a chat are plain lines, which never do.
 */
import type { Block } from './block.ts';
import { flatten } from './flatten.ts';
import type { Root } from './mdast.ts';
import { NO_FEATURES, plainInline, type Rich } from './rich.ts';

export interface MarkdownDocument {
  rich: Rich;
  /** The same content as blocks; empty for a text without any markup. */
  blocks: Block[];
}

export type MarkdownParser = (source: string) => MarkdownDocument;

/**
 * Matches everything that can have a meaning in Markdown: marks anywhere, marks at the beginning of a line, blanks at
 * the ends of a line, more than one empty line. A text without a match is its own rendering.
 */
const MARKUP = new RegExp(
  [
    String.raw`[\\${'`'}*_~[\]<&@\0-\x09\x0b-\x1f]|://|www\.`,
    String.raw`(?:^|\n)(?:[#>+=|:-]|[^\S\n]|\d+[.)])`,
    String.raw`[^\S\n]\n|\n\n\n|^\n`,
  ].join('|'),
  'i',
);

/** Returns the rendering of a text without markup, equal to the parser's, or undefined if the text must be parsed. */
export function plainRich(source: string): Rich | undefined {
  const text = source.trimEnd().toWellFormed();
  return MARKUP.test(text) ? undefined : { text, spans: [], features: NO_FEATURES };
}

/**
 * Returns the formatted text of a Markdown source. HTML except `<br>` is shown as text; deeply nested or costly source
 * is shown as written.
 * @example
 * const { text, spans } = await parseMarkdown('*hello*');
 */
export async function parseMarkdown(source: string): Promise<Rich> {
  return (await parseDocument(source)).rich;
}

/** Parses like `parseMarkdown`, and adds the blocks for platforms that have tables and lists of their own. */
export async function parseDocument(source: string): Promise<MarkdownDocument> {
  const rich = plainRich(source);
  return rich === undefined ? (await loadMarkdown())(source) : { rich, blocks: [] };
}

let loading: Promise<MarkdownParser> | undefined;

/** Returns the parser itself, without the shortcut for plain text. The first call imports it (about 0.1 s). */
export function loadMarkdown(): Promise<MarkdownParser> {
  loading ??= loadParser();
  return loading;
}

async function loadParser(): Promise<MarkdownParser> {
  const [{ fromMarkdown }, { gfm }, { gfmFromMarkdown }, cjk, cjkStrike, { blocksOf }, { chunkSource }, breaks, math] =
    await Promise.all([
      import('mdast-util-from-markdown'),
      import('micromark-extension-gfm'),
      import('mdast-util-gfm'),
      import('micromark-extension-cjk-friendly'),
      import('micromark-extension-cjk-friendly-gfm-strikethrough'),
      import('./mdast.ts'),
      import('./chunks.ts'),
      import('./line-break.ts'),
      import('./math.ts'),
    ]);
  // One tilde is a range ("5~10 min") or a home folder far more often than a strikethrough.
  const strike = { singleTilde: false };
  const options = {
    extensions: [
      gfm(strike),
      // Handles emphasis beside Chinese, Japanese and Korean punctuation, which has no blanks around it.
      cjk.cjkFriendlyExtension(),
      cjkStrike.gfmStrikethroughCjkFriendly(strike),
      { disable: { null: ['htmlFlow', 'htmlText'] } },
      breaks.lineBreakTag,
      math.formula,
    ],
    mdastExtensions: [
      // Their tree transforms search for addresses again, which takes quadratic time on hostile text.
      ...gfmFromMarkdown().map(({ transforms: _transforms, ...extension }) => extension),
      breaks.lineBreakTagFromMarkdown,
      math.formulaFromMarkdown,
    ],
  };
  const parse = (source: string): Root => fromMarkdown(source, options);

  return (source) => {
    const blocks: Block[] = [];
    const footnotes: Block[] = [];
    for (const chunk of chunkSource(source.toWellFormed().replace(/\r\n?/g, '\n'))) {
      if (chunk.kind === 'block') {
        blocks.push(chunk.block);
        continue;
      }
      const parsed = blocksOf(parse(chunk.source));
      blocks.push(...parsed.blocks);
      footnotes.push(...parsed.footnotes);
    }
    blocks.push(...footnotes);
    const rich = flatten(blocks);
    if (rich.text !== '' || source.trim() === '') return { rich, blocks };
    // Only marks (an empty heading, a link without a label): better shown literally than sent as nothing.
    const literal: Block[] = [{ type: 'paragraph', inline: plainInline(source.trim().toWellFormed()) }];
    return { rich: flatten(literal), blocks: literal };
  };
}
