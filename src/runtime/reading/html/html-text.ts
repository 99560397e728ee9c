/**
 * Converts a page to Markdown-like text: title, headings, paragraphs, lists, tables, code and links. Hidden content
 * (scripts, styles, navigation, hidden elements, comments) is left out. Takes linear time, and reads a long page in
 * slices so that it doesn't block others.
 */
import { Containers, Silence } from './html-silence.ts';
import { readHtml, type Tag } from './html-tokens.ts';
import { TextWriter } from './text-writer.ts';

export interface PageLink {
  text: string;
  /** Absolute, http or https. */
  url: string;
}

export interface PageText {
  title: string;
  text: string;
  links: PageLink[];
}

const MAX_LINKS = 500;
/** Elements whose content isn't markup and isn't read. */
const RAW = new Set(['script', 'style', 'title', 'textarea', 'iframe', 'noembed', 'noframes', 'xmp']);
/** Elements left out with all their content. */
const SILENT = new Set(['nav', 'template', 'svg', 'math', 'object', 'canvas', 'audio', 'video', 'button', 'select']);
/** Elements without an end tag. https://html.spec.whatwg.org/multipage/syntax.html#void-elements */
const VOID = new Set('area base br col embed hr img input link meta param source track wbr'.split(' '));
const PARAGRAPHS = new Set(
  'address article aside blockquote body caption center details dialog div dl fieldset figcaption figure footer form header main p section summary table'.split(
    ' ',
  ),
);

/** @param base for relative links; the page's `<base>` overrides it */
export async function htmlToText(html: string, base: string): Promise<PageText> {
  const page = await readPage(html, base, true);
  // A page that never closes its navigation would be empty, so include it.
  return page.text === '' ? readPage(html, base, false) : page;
}

interface Reader {
  writer: TextWriter;
  base: string;
  title: string | undefined;
  links: PageLink[];
  open: { mark: number; url: string } | undefined;
  lists: { isOrdered: boolean; count: number }[];
}

async function readPage(html: string, base: string, leavesOut: boolean): Promise<PageText> {
  const reader: Reader = { writer: new TextWriter(), base, title: undefined, links: [], open: undefined, lists: [] };
  const around = new Containers();
  let silent: Silence | undefined;
  await readHtml(html, {
    text(words) {
      if (!silent) reader.writer.text(words);
      else if (silent.isTitle) reader.title += words;
    },
    open(tag) {
      if (silent && !silent.isEndedByStart(tag.name)) return;
      silent = undefined;
      if (RAW.has(tag.name) || (leavesOut && isSilent(tag))) {
        const isTitle = tag.name === 'title' && reader.title === undefined;
        if (isTitle) reader.title = '';
        silent = new Silence(tag.name, isTitle);
      } else {
        around.open(tag.name);
        onOpen(reader, tag);
      }
    },
    close(name) {
      if (silent && !silent.isEndedByEnd(name, around)) return;
      const isOwn = silent?.name === name;
      silent = undefined;
      if (isOwn) return;
      around.close(name);
      onClose(reader, name);
    },
    isForeign: () => silent?.name === 'svg' || silent?.name === 'math',
  });
  closeLink(reader);
  const title = (reader.title ?? '').replace(/\s+/g, ' ').trim();
  return { title, text: reader.writer.finish(), links: reader.links };
}

function isSilent({ name, attributes }: Tag): boolean {
  return SILENT.has(name) || (attributes.has('hidden') && !VOID.has(name));
}

type Open = (reader: Reader, tag: Tag) => void;

const onHeading: Open = ({ writer }, { name }) => writer.begin(2, `${'#'.repeat(Number(name[1]))} `);
const onList: Open = ({ writer, lists }, { name }) => {
  writer.break(lists.length > 0 ? 1 : 2);
  lists.push({ isOrdered: name === 'ol', count: 0 });
};
const onCode: Open = ({ writer }) => writer.code();
const onCell: Open = ({ writer }) => writer.cell();

/** A map, since the names come from the page. */
const OPEN = new Map<string, Open>([
  ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6'].map((name): [string, Open] => [name, onHeading]),
  [
    'base',
    (reader, { attributes }) => {
      reader.base = absolute(attributes.get('href') ?? '', reader.base) ?? reader.base;
    },
  ],
  ['br', ({ writer }) => writer.break(1)],
  [
    'hr',
    ({ writer }) => {
      writer.begin(2, '---');
      writer.break(2);
    },
  ],
  ['ul', onList],
  ['ol', onList],
  ['li', onItem],
  ['dt', ({ writer }) => writer.break(1)],
  ['dd', ({ writer }) => writer.begin(1, ': ')],
  ['blockquote', ({ writer }) => writer.begin(2, '> ')],
  ['pre', ({ writer }) => writer.fence(true)],
  ['code', onCode],
  ['kbd', onCode],
  ['samp', onCode],
  ['table', ({ writer }) => writer.table(true)],
  ['tr', ({ writer }) => writer.endRow()],
  ['td', onCell],
  ['th', onCell],
  ['img', onImage],
  [
    'input',
    ({ writer }, { attributes }) => {
      if (attributes.get('type')?.toLowerCase() === 'checkbox')
        writer.text(attributes.has('checked') ? '[x] ' : '[ ] ');
    },
  ],
  ['a', onLink],
]);

function onOpen(reader: Reader, tag: Tag): void {
  if (PARAGRAPHS.has(tag.name)) reader.writer.paragraph();
  OPEN.get(tag.name)?.(reader, tag);
}

function onItem({ writer, lists }: Reader): void {
  const list = lists.at(-1);
  if (list) list.count++;
  const indent = '  '.repeat(Math.min(Math.max(lists.length - 1, 0), 8));
  writer.begin(1, `${indent}${list?.isOrdered ? `${list.count}.` : '-'} `);
}

function onImage({ writer }: Reader, { attributes }: Tag): void {
  const alt = attributes.get('alt')?.trim();
  if (alt) writer.text(`[image: ${alt.slice(0, 300)}]`);
}

function onLink(reader: Reader, { attributes }: Tag): void {
  closeLink(reader);
  const url = absolute(attributes.get('href') ?? '', reader.base);
  if (url) reader.open = { mark: reader.writer.mark(), url };
}

type Close = (reader: Reader) => void;

const endList: Close = ({ writer, lists }) => {
  lists.pop();
  writer.break(lists.length > 0 ? 1 : 2);
};
const endCode: Close = ({ writer }) => writer.code();

const CLOSE = new Map<string, Close>([
  ['a', closeLink],
  ['ul', endList],
  ['ol', endList],
  ['pre', ({ writer }) => writer.fence(false)],
  ['code', endCode],
  ['kbd', endCode],
  ['samp', endCode],
  ['table', ({ writer }) => writer.table(false)],
  ['tr', ({ writer }) => writer.endRow()],
]);

function onClose(reader: Reader, name: string): void {
  const close = CLOSE.get(name);
  if (close) close(reader);
  else if (PARAGRAPHS.has(name) || /^h[1-6]$/.test(name)) reader.writer.break(2);
}

function closeLink(reader: Reader): void {
  const { open, writer, links } = reader;
  if (!open) return;
  reader.open = undefined;
  const text = writer.link(open.mark, open.url);
  if (links.length < MAX_LINKS) links.push({ text: text.slice(0, 200), url: open.url });
}

/** Returns the link's target, or undefined if it doesn't lead to another page: an anchor, a script, another scheme. */
function absolute(href: string, base: string): string | undefined {
  const trimmed = href.trim();
  if (trimmed === '' || trimmed.startsWith('#') || trimmed.length > 2_000) return undefined;
  const url = URL.parse(trimmed, base);
  return url && (url.protocol === 'https:' || url.protocol === 'http:') ? url.href : undefined;
}
