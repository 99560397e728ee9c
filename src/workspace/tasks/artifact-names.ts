/** Names and types of artifacts. Those from outside are only metadata; the names on disk are our own. */
import { cutText, plainLine } from '../../lib/text.ts';

const EXTENSIONS: Readonly<Record<string, string>> = {
  'text/plain': 'txt',
  'text/markdown': 'md',
  'text/html': 'html',
  'text/csv': 'csv',
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
const MAX_NAME = 120;

/** Returns the MIME type in lower case without parameters; `application/octet-stream` when it isn't valid. */
export function cleanType(type: string): string {
  const bare = type.slice(0, 200).split(';', 1)[0]?.trim().toLowerCase() ?? '';
  return /^[a-z0-9][a-z0-9!#$&^_.+-]*\/[a-z0-9][a-z0-9!#$&^_.+-]*$/.test(bare) ? bare : 'application/octet-stream';
}

/** Returns the extension to store a file of this type with, such as `md`; `name` decides where the type is vague. */
export async function extensionOf(type: string, name = ''): Promise<string> {
  const given = nameExtension(name);
  if (VAGUE.has(type) && given !== '') return given.slice(1).toLowerCase();
  const known = EXTENSIONS[type];
  if (known !== undefined) return known;
  const { default: mime } = await import('mime');
  return mime.getExtension(type) ?? 'bin';
}

/** Returns `.ext` from the end of a name, '' when it has no plain one. */
function nameExtension(name: string): string {
  return /\.[A-Za-z0-9]{1,10}$/.exec(name.slice(-11))?.[0] ?? '';
}

/**
 * Returns a safe name for uploads and lists: one line, no separators, nothing invisible, no leading dot, at most 120
 * characters, with its extension (or `extension` where it has none).
 */
export function safeName(name: string, extension: string): string {
  const clean = plainLine(name.slice(0, 4000).normalize('NFC'))
    .replace(/[/\\:*?"<>|]+/g, '_')
    .replace(/^[.\s_]+|[.\s]+$/g, '');
  const ending = nameExtension(clean) || `.${extension}`;
  const stem = clean.endsWith(ending) ? clean.slice(0, -ending.length) : clean;
  return cutText(stem.trim() || 'file', MAX_NAME - ending.length, '') + ending;
}

/** Returns a file name for an upload with only a title: "Release 1.2" of a Markdown text becomes "Release 1.2.md". */
export function nameFromTitle(title: string, extension: string): string {
  return safeName(title.toLowerCase().endsWith(`.${extension}`) ? title : `${title}.${extension}`, extension);
}

/** Returns a title for lists: one line, at most 200 characters. */
export function safeTitle(title: string, fallback: string): string {
  return cutText(plainLine(title.slice(0, 4000)), 200) || fallback;
}
