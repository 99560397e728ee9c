/**
 * Reads a presentation: its slides in order, each with its notes, charts and diagrams. The relation files say which
 * file belongs to which slide; the numbers in file names don't.
 */
import { Parser } from 'htmlparser2';
import { paragraphs, SLIDE } from './markup.ts';
import { eachTag, relationsOf, type XmlOf, xmlIn } from './relations.ts';
import { unpack } from './zip.ts';

const PARTS = /^ppt\/((_rels\/)?presentation\.xml|(slides|notesSlides|charts|diagrams)\/)/;
const PRESENTATION = 'ppt/presentation.xml';

export function readSlides(bytes: Uint8Array): string {
  const parts = unpack(bytes, (name) => PARTS.test(name) && /\.(xml|rels)$/.test(name));
  const xmlOf = xmlIn(parts);
  const texts = slidesIn(parts, xmlOf).map((name, index) => {
    const related = relationsOf(name, xmlOf);
    const of = (type: string, read: (xml: string) => string) =>
      related.filter((relation) => relation.type === type).map(({ target }) => read(xmlOf(target)));
    // A lone number in the notes is the slide's number.
    const notes = of('notesSlide', (xml) => paragraphs(xml, SLIDE).replace(/^\d+$/gm, '').trim()).filter(Boolean);
    const said = [
      paragraphs(xmlOf(name), SLIDE),
      ...of('chart', chartText),
      ...of('diagramData', (xml) => paragraphs(xml, SLIDE)),
      ...notes.map((text) => `Notes: ${text}`),
    ].filter(Boolean);
    const hidden = /<p:sld\s[^>]*\bshow="(0|false)"/.test(xmlOf(name)) ? ' (hidden)' : '';
    return said.length > 0 ? [`## Slide ${index + 1}${hidden}`, ...said].join('\n') : '';
  });
  return texts.filter(Boolean).join('\n\n');
}

/** Returns the slides in the presentation's order, or by file number if it lists none. */
function slidesIn(parts: ReadonlyMap<string, Uint8Array>, xmlOf: XmlOf): string[] {
  const targets = new Map(relationsOf(PRESENTATION, xmlOf).map(({ id, target }) => [id, target]));
  const shown: string[] = [];
  eachTag(xmlOf(PRESENTATION), (tag, attributes) => {
    const target = tag === 'p:sldId' ? targets.get(attributes['r:id'] ?? '') : undefined;
    if (target !== undefined && parts.has(target)) shown.push(target);
  });
  if (shown.length > 0) return shown;
  const numberOf = (name: string) => Number(/(\d+)\.xml$/.exec(name)?.[1] ?? 0);
  return [...parts.keys()]
    .filter((name) => /^ppt\/slides\/[^/]+\.xml$/.test(name))
    .sort((a, b) => numberOf(a) - numberOf(b));
}

/** Returns a chart's values as saved, one row per series. */
function chartText(xml: string): string {
  const open: string[] = [];
  const title: string[] = [];
  const rows: { name: string; values: string[] }[] = [];
  let names: string[] = [];
  const isIn = (tag: string) => open.includes(tag);
  const parser = new Parser(
    {
      onopentag(tag) {
        open.push(tag);
        if (tag === 'c:ser') rows.push({ name: '', values: [] });
        if (tag === 'c:cat') names = [];
      },
      ontext(text) {
        const [row, at] = [rows.at(-1), open.at(-1)];
        if (at === 'a:t' && isIn('c:title')) title.push(text);
        if (at !== 'c:v' || !isIn('c:pt') || !row) return;
        if (isIn('c:cat')) names.push(text);
        else if (isIn('c:tx')) row.name += text;
        else if (isIn('c:val')) row.values.push(text);
      },
      onclosetag: () => void open.pop(),
    },
    { xmlMode: true },
  );
  parser.end(xml);
  const lines = rows.map(({ name, values }) => [name, ...values].join(' | '));
  if (lines.length === 0) return title.length === 0 ? '' : `Chart: ${title.join('')}`;
  return [`Chart: ${title.join('')}`.trim(), ...(names.length > 0 ? [['', ...names].join(' | ')] : []), ...lines].join(
    '\n',
  );
}
