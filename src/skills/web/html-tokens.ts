/**
 * HTML as tags and text, one pass from left to right. Every search moves on past what it found or to the end of the page, so
 * the time is linear in the page's length whatever it holds. https://html.spec.whatwg.org/multipage/parsing.html
 */
import { decodeEntities } from './html-entities.ts';

export type HtmlToken =
  | { kind: 'text'; text: string }
  /** `raw` is what an element that holds no markup holds (a title, a script), decoded for a title alone. */
  | { kind: 'open'; name: string; attributes: ReadonlyMap<string, string>; raw?: string }
  | { kind: 'close'; name: string };

/** Elements whose content is not markup. */
const RAW = new Set(['script', 'style', 'title', 'textarea', 'iframe', 'noembed', 'noframes', 'xmp']);
const NAME = /[a-zA-Z][^\s/>]{0,63}/y;
const MAX_ATTRIBUTES = 50;

export function* htmlTokens(html: string): Generator<HtmlToken> {
  let at = 0;
  while (at < html.length) {
    const angle = html.indexOf('<', at);
    if (angle < 0) return yield textOf(html.slice(at));
    if (angle > at) yield textOf(html.slice(at, angle));
    const isClose = html[angle + 1] === '/';
    const name = nameAt(html, angle + (isClose ? 2 : 1));
    if (name === undefined) {
      const end = endOfOther(html, angle);
      if (end === undefined) yield textOf('<');
      at = end ?? angle + 1;
      continue;
    }
    const tag = readTag(html, angle + (isClose ? 2 : 1) + name.length);
    at = tag.end;
    const lower = name.toLowerCase();
    if (isClose) {
      yield { kind: 'close', name: lower };
    } else if (RAW.has(lower)) {
      const raw = rawEnd(html, at, lower);
      const content = lower === 'title' ? decodeEntities(html.slice(at, raw.from)) : '';
      at = raw.to;
      yield { kind: 'open', name: lower, attributes: tag.attributes, raw: content };
    } else {
      yield { kind: 'open', name: lower, attributes: tag.attributes };
    }
  }
}

const textOf = (text: string): HtmlToken => ({ kind: 'text', text: decodeEntities(text) });

function nameAt(html: string, at: number): string | undefined {
  NAME.lastIndex = at;
  return NAME.exec(html)?.[0];
}

/** Past a comment, a doctype or an instruction; undefined for a `<` that is only a character. */
function endOfOther(html: string, angle: number): number | undefined {
  if (html.startsWith('<!--', angle)) {
    // The two dashes may be shared: `<!-->` is a whole comment.
    const end = html.indexOf('-->', angle + 2);
    return end < 0 ? html.length : end + 3;
  }
  if (!'!?/'.includes(html[angle + 1] ?? ' ')) return undefined;
  const end = html.indexOf('>', angle);
  return end < 0 ? html.length : end + 1;
}

const SPACE = /[\s/]*/y;
const KEY = /[^\s/>=]+/y;
const EQUALS = /\s*=\s*/y;
const BARE = /[^\s>]*/y;

function take(pattern: RegExp, html: string, at: number): string {
  pattern.lastIndex = at;
  return pattern.exec(html)?.[0] ?? '';
}

/** The attributes from `start` to the tag's end, the first of each name. A tag that never ends takes the rest of the page. */
function readTag(html: string, start: number): { attributes: ReadonlyMap<string, string>; end: number } {
  const attributes = new Map<string, string>();
  let at = start;
  while (at < html.length) {
    at += take(SPACE, html, at).length;
    if (html[at] === '>') return { attributes, end: at + 1 };
    const key = take(KEY, html, at);
    at += key.length;
    const equals = take(EQUALS, html, at);
    at += equals.length;
    const name = key.toLowerCase();
    const isNew = key !== '' && !attributes.has(name) && attributes.size < MAX_ATTRIBUTES;
    const quote = equals === '' ? '' : (html[at] ?? '');
    let value = '';
    if (quote === '"' || quote === "'") {
      const end = html.indexOf(quote, at + 1);
      if (end < 0) return { attributes, end: html.length };
      value = html.slice(at + 1, end);
      at = end + 1;
    } else if (equals !== '') {
      value = take(BARE, html, at);
      at += value.length;
    }
    if (isNew) attributes.set(name, decodeEntities(value));
  }
  return { attributes, end: html.length };
}

/** Where the content of a raw element ends, and where the page goes on. */
function rawEnd(html: string, start: number, name: string): { from: number; to: number } {
  const close = new RegExp(`</${name}(?=[\\s/>])`, 'gi');
  close.lastIndex = start;
  const from = close.exec(html)?.index;
  if (from === undefined) return { from: html.length, to: html.length };
  const end = html.indexOf('>', from);
  return { from, to: end < 0 ? html.length : end + 1 };
}
