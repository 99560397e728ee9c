/**
 * Reads the relations between the parts of an Office document. They say which parts belong together; file names don't.
 */
import path from 'node:path';
import { Parser } from 'htmlparser2';

export interface Relation {
  id: string;
  /** The last word of the type: `slide`, `notesSlide`, `chart`, `worksheet`. */
  type: string;
  target: string;
}

/** Returns the XML of a part; '' if it doesn't exist. */
export type XmlOf = (name: string) => string;

/** Parts are in UTF-8 (`unpack`). */
export const xmlIn =
  (parts: ReadonlyMap<string, Uint8Array>): XmlOf =>
  (name) =>
    new TextDecoder().decode(parts.get(name));

export function relationsOf(name: string, xmlOf: XmlOf): Relation[] {
  const folder = path.posix.dirname(name);
  const found: Relation[] = [];
  eachTag(xmlOf(`${folder}/_rels/${path.posix.basename(name)}.rels`), (tag, { Id, Type, Target, TargetMode }) => {
    if (tag !== 'Relationship' || !Target || TargetMode === 'External') return;
    const target = path.posix.resolve('/', folder, Target).slice(1);
    found.push({ id: Id ?? '', type: Type?.split('/').at(-1) ?? '', target });
  });
  return found;
}

export function eachTag(xml: string, on: (tag: string, attributes: Record<string, string>) => void): void {
  new Parser({ onopentag: on }, { xmlMode: true }).end(xml);
}

/** Programs write different prefixes. */
export const localName = (tag: string): string => tag.slice(tag.indexOf(':') + 1);
