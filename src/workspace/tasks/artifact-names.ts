/** Names and types of artifacts. Given ones are only metadata; the names on disk are our own. */
import { cutText, plainLine } from '../../lib/text.ts';

const EXTENSIONS: Readonly<Record<string, string>> = {
  'text/plain': 'txt',
  'text/markdown': 'md',
  'text/html': 'html',
  'text/csv': 'csv',
  'text/x-diff': 'diff',
  'text/css': 'css',
  'text/javascript': 'js',
  'text/yaml': 'yaml',
  'application/json': 'json',
  'application/yaml': 'yaml',
  'application/xml': 'xml',
  'application/pdf': 'pdf',
  'application/zip': 'zip',
  'application/gzip': 'gz',
  'application/octet-stream': 'bin',
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/gif': 'gif',
  'image/webp': 'webp',
  'image/svg+xml': 'svg',
  'audio/ogg': 'ogg',
  'audio/mpeg': 'mp3',
  'audio/wav': 'wav',
  'audio/mp4': 'm4a',
  'video/mp4': 'mp4',
  'video/webm': 'webm',
};

/** Types that say so little about the content that the extension of the given name is preferred. */
const VAGUE = new Set(['text/plain', 'application/octet-stream', '']);
export const MAX_NAME = 120;
const MAX_TITLE = 200;

/** Returns `application/octet-stream` for an invalid type. */
export function cleanType(type: string): string {
  const bare = type.slice(0, 200).split(';', 1)[0]?.trim().toLowerCase() ?? '';
  return /^[a-z0-9][a-z0-9!#$&^_.+-]*\/[a-z0-9][a-z0-9!#$&^_.+-]*$/.test(bare) ? bare : 'application/octet-stream';
}

/** Returns `md`, for example. */
export async function extensionOf(type: string, name = ''): Promise<string> {
  const given = nameExtension(name);
  if (VAGUE.has(type) && given !== '') return given.slice(1).toLowerCase();
  const known = EXTENSIONS[type];
  if (known !== undefined) return known;
  const { default: mime } = await import('mime');
  return mime.getExtension(type) ?? 'bin';
}

function nameExtension(name: string): string {
  return /\.[A-Za-z0-9]{1,10}$/.exec(name.slice(-11))?.[0] ?? '';
}

/** Returns one line without separators, anything invisible or a leading dot, at most 120 characters. */
export function safeName(name: string, extension: string): string {
  const clean = plainLine(name.slice(0, 4000).normalize('NFC'))
    .replace(/[/\\:*?"<>|]+/g, '_')
    .replace(/^[.\s_]+|[.\s]+$/g, '');
  const ending = nameExtension(clean) || `.${extension}`;
  const stem = clean.endsWith(ending) ? clean.slice(0, -ending.length) : clean;
  return cutText(stem.trim() || 'file', MAX_NAME - ending.length, '') + ending;
}

/** Makes "Release 1.2.md" of "Release 1.2". */
export function nameFromTitle(title: string, extension: string): string {
  return safeName(title.toLowerCase().endsWith(`.${extension}`) ? title : `${title}.${extension}`, extension);
}

export function safeTitle(title: string, fallback: string): string {
  return cutText(plainLine(title.slice(0, 4000)), MAX_TITLE) || fallback;
}

/**
 * Returns the name, numbered like a file manager does if another file has it: `report (2).csv`, `Notes (2)`.
 * @param taken names of the other files, in lower case
 * @param max its longest length in UTF-16 units
 */
export function numberedName(name: string, taken: ReadonlySet<string>, max = MAX_TITLE): string {
  if (!taken.has(name.toLowerCase())) return name;
  const ending = endingOf(name);
  const stem = withoutNumber(name).slice(0, ending === '' ? undefined : -ending.length);
  for (let n = 2; ; n++) {
    const mark = ` (${n})${ending}`;
    const numbered = cutText(stem, max - mark.length, '') + mark;
    if (!taken.has(numbered.toLowerCase())) return numbered;
  }
}

/** Returns the name that a numbered one was made from: `report.csv` for `report (2).csv`. */
export function withoutNumber(name: string): string {
  const ending = endingOf(name);
  return name.slice(0, name.length - ending.length).replace(/ \(\d{1,2}\)$/, '') + ending;
}

/** Returns the extension with its dot, or ''. A version is no extension: "Release 1.2" becomes "Release 1.2 (2)". */
const endingOf = (name: string): string => /\.(?=\d*[A-Za-z])[A-Za-z0-9]{1,10}$/.exec(name)?.[0] ?? '';
