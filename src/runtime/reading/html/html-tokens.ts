/**
 * Reads HTML as tags and text with the tokenizer of htmlparser2: one pass, linear in the page's length. Its parser
 * isn't used, because it moves a list of all open elements at every tag, and would hang on a page of a million open
 * tags.
 */
import { setImmediate as pause } from 'node:timers/promises';
import { Tokenizer } from 'htmlparser2';

export interface Tag {
  name: string;
  /** The attributes read here, the first of each name. */
  attributes: ReadonlyMap<string, string>;
}

export interface HtmlHandler {
  /** Also called for the content of a script or title. */
  text(text: string): void;
  open(tag: Tag): void;
  close(name: string): void;
  /** Returns whether the page is inside SVG or MathML, where the content of a title or style is markup as well. */
  isForeign(): boolean;
}

const READ = new Set(['alt', 'checked', 'hidden', 'href', 'type']);
const FOREIGN = new Set(['svg', 'math']);
/** Characters per turn of the event loop: a few milliseconds. */
const SLICE = 16_384;

export async function readHtml(html: string, handler: HtmlHandler): Promise<void> {
  const tokenizer = new Tokenizer({}, callbacksOf(html, handler));
  for (let at = 0; at < html.length; at += SLICE) {
    if (at > 0) await pause();
    tokenizer.write(html.slice(at, at + SLICE));
  }
  tokenizer.end();
}

function callbacksOf(html: string, handler: HtmlHandler): ConstructorParameters<typeof Tokenizer>[1] {
  let name = '';
  let key = '';
  let value = '';
  let attributes = new Map<string, string>();
  const ignore = () => undefined;
  return {
    ontext: (start, end) => handler.text(html.slice(start, end)),
    ontextentity: (code) => handler.text(String.fromCodePoint(code)),
    onopentagname(start, end) {
      name = html.slice(start, end).toLowerCase();
      attributes = new Map();
    },
    onattribname(start, end) {
      key = html.slice(start, end).toLowerCase();
      value = '';
    },
    onattribdata(start, end) {
      value += html.slice(start, end);
    },
    onattribentity(code) {
      value += String.fromCodePoint(code);
    },
    onattribend() {
      if (READ.has(key) && !attributes.has(key)) attributes.set(key, value);
    },
    onopentagend: () => handler.open({ name, attributes }),
    onselfclosingtag() {
      handler.open({ name, attributes });
      if (FOREIGN.has(name)) handler.close(name);
    },
    onclosetag: (start, end) => handler.close(html.slice(start, end).toLowerCase()),
    isInForeignContext: () => handler.isForeign(),
    oncdata: ignore,
    oncomment: ignore,
    ondeclaration: ignore,
    onprocessinginstruction: ignore,
    onend: ignore,
  };
}
