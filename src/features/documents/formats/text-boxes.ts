/**
 * Rewrites the text boxes of a Word document in the old form, the only one that the library reads. Programs other than
 * Word write them only in the new form, or beside a picture of them.
 */
import { Parser } from 'htmlparser2';
import { localName } from './relations.ts';

interface Element {
  name: string;
  out: string[];
  /** The text boxes in a drawing. */
  boxes: string[];
  /** Alternative forms of the same content: the new one, and one for programs that don't know it. */
  forms: Map<string, string>;
}

/** Elements whose tags are removed, because one form of the content takes their place. */
const ALTERNATIVES = new Set(['AlternateContent', 'Choice', 'Fallback']);
const KEPT = new Set(['drawing', 'pict', 'txbxContent']);
const WORDS = /<(?:\w+:)?t(?:\s[^>]*)?>\s*[^<\s]/;

export function withTextBoxes(part: Uint8Array): Uint8Array {
  const xml = new TextDecoder().decode(part);
  return /txbxContent|AlternateContent/.test(xml) ? new TextEncoder().encode(rewritten(xml)) : part;
}

function rewritten(xml: string): string {
  const open: Element[] = [element('')];
  let from = 0;
  const copy = (to: number) => {
    open.at(-1)?.out.push(xml.slice(from, Math.max(from, to)));
    from = Math.max(from, to);
  };
  const parser = new Parser(
    {
      onopentag(tag) {
        const name = localName(tag);
        if (!ALTERNATIVES.has(name) && !KEPT.has(name)) return;
        copy(parser.startIndex);
        open.push(element(name));
        if (ALTERNATIVES.has(name)) from = parser.endIndex + 1;
      },
      onclosetag(tag) {
        const name = localName(tag);
        if (open.length === 1 || open.at(-1)?.name !== name) return;
        copy(ALTERNATIVES.has(name) ? parser.startIndex : parser.endIndex + 1);
        from = parser.endIndex + 1;
        const closed = open.pop();
        if (closed) close(open, closed, tag.slice(0, -name.length));
      },
    },
    { xmlMode: true },
  );
  parser.end(xml);
  copy(xml.length);
  return open.flatMap(({ out }) => out).join('');
}

const element = (name: string): Element => ({ name, out: [], boxes: [], forms: new Map() });

function close(open: readonly Element[], { name, out, boxes, forms }: Element, prefix: string): void {
  const parent = open.at(-1);
  const content = out.join('');
  if (name === 'Choice' || name === 'Fallback') {
    if (!WORDS.test(parent?.forms.get(name) ?? '')) parent?.forms.set(name, content);
  } else if (name === 'txbxContent') {
    const drawing = open.findLast((each) => each.name === 'drawing' || each.name === 'pict');
    if (drawing) drawing.boxes.push(content);
    else parent?.out.push(content);
  } else if (name === 'AlternateContent') {
    const [choice = '', fallback = ''] = [forms.get('Choice'), forms.get('Fallback')];
    parent?.out.push(WORDS.test(choice) && !WORDS.test(fallback) ? choice : fallback);
  } else parent?.out.push(boxes.length > 0 ? `<${prefix}pict>${boxes.join('')}</${prefix}pict>` : content);
}
