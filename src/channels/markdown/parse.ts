/**
 * Markdown (CommonMark with GFM) to formatted text of no platform. The parser is loaded with the first text that needs
 * it; most answers in a chat are plain lines, which never do.
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
 * Everything that can mean something in Markdown: marks anywhere, marks at the beginning of a line, blanks at the ends
 * of a line, more than one empty line. A text without any of it is its own rendering.
 */
const MARKUP = new RegExp(
  [
    String.raw`[\\${'`'}*_~[\]<&@\0-\x09\x0b-\x1f]|://|www\.`,
    String.raw`(?:^|\n)(?:[#>+=|:-]|[^\S\n]|\d+[.)])`,
    String.raw`[^\S\n]\n|\n\n\n|^\n`,
  ].join('|'),
  'i',
);

/** The rendering of a text without markup, or undefined when it must be parsed. Equal to what the parser would give. */
export function plainRich(source: string): Rich | undefined {
  const text = source.trimEnd().toWellFormed();
  return MARKUP.test(text) ? undefined : { text, spans: [], features: NO_FEATURES };
}

/** Formatted text of a Markdown source. HTML is shown as text, but for `<br>`; what is nested or costly beyond reason, as written. */
export async function parseMarkdown(source: string): Promise<Rich> {
  return (await parseDocument(source)).rich;
}

/** As `parseMarkdown`, with the blocks for platforms that have tables and lists of their own. */
export async function parseDocument(source: string): Promise<MarkdownDocument> {
  const rich = plainRich(source);
  return rich === undefined ? (await loadMarkdown())(source) : { rich, blocks: [] };
}

let loading: Promise<MarkdownParser> | undefined;

/** The parser itself, without the short way for plain text. The first call imports it (about 0.1 s). */
export function loadMarkdown(): Promise<MarkdownParser> {
  loading ??= load();
  return loading;
}

async function load(): Promise<MarkdownParser> {
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
      // Emphasis beside the punctuation of Chinese, Japanese and Korean, which has no blanks around it.
      cjk.cjkFriendlyExtension(),
      cjkStrike.gfmStrikethroughCjkFriendly(strike),
      { disable: { null: ['htmlFlow', 'htmlText'] } },
      breaks.lineBreakTag,
      math.formula,
    ],
    mdastExtensions: [
      // Their tree transforms look for addresses once more, which takes quadratic time on hostile text.
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
    // ReadCursors and nothing else (an empty heading, a link without a label): better shown than sent as nothing.
    const literal: Block[] = [{ type: 'paragraph', inline: plainInline(source.trim().toWellFormed()) }];
    return { rich: flatten(literal), blocks: literal };
  };
}
