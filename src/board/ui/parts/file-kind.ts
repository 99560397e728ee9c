/** Decides by name and type how a file is shown. Nothing is ever shown as a page: HTML and SVG are text and picture. */

export type FileKind =
  | 'picture'
  | 'drawing'
  | 'pdf'
  | 'table'
  | 'markdown'
  | 'diff'
  | 'sound'
  | 'film'
  | 'code'
  | 'other';

const RASTER = /^image\/(png|jpe?g|gif|webp|avif)$/;
const TEXT = /^(text\/|application\/(json|yaml|xml|x-yaml|toml|x-sh|javascript|typescript|sql|x-ndjson)$|message\/)/;
const EXTENSION = /\.([a-z0-9]{1,10})$/i;

/** Extensions by language, each named like its module in highlight.js. */
const LANGUAGES: Readonly<Record<string, string>> = {
  bash: 'sh bash zsh shell console',
  c: 'c h',
  cpp: 'cpp cc cxx hpp c++',
  csharp: 'cs c#',
  css: 'css scss less',
  diff: 'diff patch',
  dockerfile: 'dockerfile docker',
  go: 'go golang',
  ini: 'ini toml conf cfg env properties',
  java: 'java',
  javascript: 'js mjs cjs jsx',
  json: 'json jsonl ndjson json5',
  kotlin: 'kt kts',
  markdown: 'md markdown',
  php: 'php',
  python: 'py pyw',
  ruby: 'rb',
  rust: 'rs',
  sql: 'sql',
  swift: 'swift',
  typescript: 'ts mts cts tsx',
  xml: 'xml html htm svg xhtml vue plist',
  yaml: 'yaml yml',
};
const BY_NAME = new Map(
  Object.entries(LANGUAGES).flatMap(([language, names]) =>
    [language, ...names.split(' ')].map((name) => [name, language]),
  ),
);
const PLAIN = new Set(['txt', 'log', 'text', 'srt', 'ics', 'tex', 'r', 'lua', 'pl']);

/** Returns the language of a fence (`ts`) or an extension; undefined for one without colours. */
export const languageNamed = (name: string): string | undefined => BY_NAME.get(name.trim().toLowerCase());

const nameEnding = (name: string): string => EXTENSION.exec(name)?.[1]?.toLowerCase() ?? '';

/** `type` tells apart what the extension leaves open. */
export function codeLanguage(name: string, type = ''): string | undefined {
  const known = languageNamed(nameEnding(name)) ?? languageNamed(name);
  if (known !== undefined) return known;
  return languageNamed(type.replace(/^.*[/+](x-)?/, ''));
}

export function kindOf(name: string, type: string): FileKind {
  const extension = nameEnding(name);
  if (RASTER.test(type)) return 'picture';
  if (type === 'image/svg+xml') return 'drawing';
  if (type === 'application/pdf') return 'pdf';
  if (type.startsWith('audio/')) return 'sound';
  if (type.startsWith('video/')) return 'film';
  const isVague = type === '' || type === 'application/octet-stream';
  const isKnown = languageNamed(extension) !== undefined || PLAIN.has(extension) || /^(csv|tsv)$/.test(extension);
  if (!TEXT.test(type) && !(isVague && isKnown)) return 'other';
  if (type === 'text/csv' || type === 'text/tab-separated-values' || /^(csv|tsv)$/.test(extension)) return 'table';
  if (type === 'text/markdown' || extension === 'md') return 'markdown';
  if (type === 'text/x-diff' || extension === 'diff' || extension === 'patch') return 'diff';
  return 'code';
}
