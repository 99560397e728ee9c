/**
 * Files of gettext (PO), as translators' tools write and read them.
 * https://www.gnu.org/software/gettext/manual/html_node/PO-Files.html
 */

export interface PoEntry {
  /** `msgctxt`: the key of a message. */
  key: string;
  english: string;
  translation: string;
  /** Lines for the translator. */
  about: readonly string[];
  /** The file the translation belongs in. */
  file: string;
  /** Marked by a tool or translator as unfinished. */
  isFuzzy?: boolean;
  /** Where the translation begins, for reports. */
  line?: number;
}

export class PoError extends Error {
  readonly line: number;
  constructor(line: number, message: string) {
    super(message);
    this.line = line;
  }
}

const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', '"': '\\"', '\n': '\\n', '\t': '\\t', '\r': '\\r' };
const MEANINGS: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', '"': '"', '\\': '\\' };

const quoted = (text: string): string => `"${text.replace(/[\\"\n\t\r]/g, (character) => ESCAPES[character] ?? '')}"`;

/** Writes a text; one of several lines begins on the next line, as the tools of gettext write it. */
function field(name: string, text: string): string {
  const lines = text.split(/(?<=\n)/);
  return lines.length < 2 ? `${name} ${quoted(text)}` : [`${name} ""`, ...lines.map(quoted)].join('\n');
}

export function writePo(language: string, entries: readonly PoEntry[]): string {
  const header = field(
    'msgstr',
    `Language: ${language}\nMIME-Version: 1.0\nContent-Type: text/plain; charset=UTF-8\nContent-Transfer-Encoding: 8bit\n`,
  );
  const blocks = entries.map(({ key, english, translation, about, file, isFuzzy }) =>
    [
      ...about.flatMap((text) => text.split('\n')).map((line) => `#. ${line}`),
      `#: ${file}`,
      ...(isFuzzy ? ['#, fuzzy'] : []),
      field('msgctxt', key),
      field('msgid', english),
      field('msgstr', translation),
    ].join('\n'),
  );
  return `${[`msgid ""\n${header}`, ...blocks].join('\n\n')}\n`;
}

const FIELD = /^(msgctxt|msgid|msgid_plural|msgstr(?:\[\d+\])?)\s*(".*)$/s;
const STRING = /^"((?:[^"\\]|\\.)*)"\s*$/s;

function unquoted(text: string, line: number): string {
  const [, inside] = STRING.exec(text) ?? [];
  if (inside === undefined) throw new PoError(line, 'expected text in double quotes');
  return inside.replace(/\\(.)/gs, (_, character: string) => {
    const meaning = MEANINGS[character];
    if (meaning === undefined) throw new PoError(line, `\\${character} isn't an escape that is used here`);
    return meaning;
  });
}

interface Reading {
  fields: Map<string, string>;
  about: string[];
  file: string;
  isFuzzy: boolean;
  line: number;
}
const nothingRead = (): Reading => ({ fields: new Map(), about: [], file: '', isFuzzy: false, line: 0 });

/** Returns the entry, or undefined for the header and for comments alone. */
function entryOf({ fields, about, file, isFuzzy, line }: Reading): PoEntry | undefined {
  const english = fields.get('msgid');
  if (english === undefined || (english === '' && !fields.has('msgctxt'))) return undefined;
  const key = fields.get('msgctxt');
  if (key === undefined) throw new PoError(line, 'the entry has no msgctxt, which is its key');
  const translation = fields.get('msgstr');
  if (translation === undefined || fields.has('msgid_plural'))
    throw new PoError(
      line,
      `${key}: plurals are written in the text ({n, plural, one {…} other {…}}), not as msgstr[0]`,
    );
  return { key, english, translation, about, file, line, ...(isFuzzy && { isFuzzy }) };
}

/** @throws PoError for what isn't a PO file */
export function readPo(text: string): PoEntry[] {
  const entries: PoEntry[] = [];
  let reading = nothingRead();
  let open: string | undefined;
  const close = () => {
    const entry = entryOf(reading);
    if (entry) entries.push(entry);
    reading = nothingRead();
    open = undefined;
  };
  for (const [at, raw] of text
    .replace(/^\ufeff/, '')
    .split(/\r?\n/)
    .entries()) {
    const line = raw.trim();
    const number = at + 1;
    // Entries that a tool keeps although they are no longer used.
    if (line.startsWith('#~')) continue;
    // An entry ends where the next begins, also without an empty line between them.
    const begins = line.startsWith('#') || /^msgctxt\b/.test(line) || (/^msgid\b/.test(line) && open !== 'msgctxt');
    if (line === '' || (begins && reading.fields.has('msgid'))) close();
    if (line === '') continue;
    if (line.startsWith('#')) {
      if (line.startsWith('#.')) reading.about.push(line.slice(2).trim());
      if (line.startsWith('#:')) reading.file = line.slice(2).trim();
      if (line.startsWith('#,') && /\bfuzzy\b/.test(line)) reading.isFuzzy = true;
      continue;
    }
    const [, name, value] = FIELD.exec(line) ?? [];
    if (name !== undefined && value !== undefined) {
      if (reading.fields.has(name)) throw new PoError(number, `${name} is there twice`);
      open = name;
      if (reading.line === 0 || name === 'msgstr') reading.line = number;
      reading.fields.set(name, unquoted(value, number));
    } else if (open !== undefined && line.startsWith('"'))
      reading.fields.set(open, (reading.fields.get(open) ?? '') + unquoted(line, number));
    else throw new PoError(number, "this isn't a line of a PO file");
  }
  close();
  return entries;
}
