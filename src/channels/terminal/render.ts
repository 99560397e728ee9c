/** Renders an answer as lines for a terminal: its text, its files by name, its buttons by number. */
import { pathToFileURL } from 'node:url';
import { loadMarkdown, parseMarkdown } from '../markdown/parse.ts';
import { type Look, linked, styled } from './look.ts';
import { paint } from './paint.ts';
import { safe, safeLine } from './safe.ts';
import type { ShownFile, ShownMessage } from './seam.ts';

export const LABEL = 'viber> ';
export const labelFor = (name: string): string => `${safeLine(name) || 'viber'}> `;
export const PROMPT = 'you> ';
/** A longer text isn't parsed for each added word; only its end is shown, unformatted. */
const MAX_PARSED = 8_000;

/** Returns Markdown as lines: rendered if the terminal can show that, otherwise as written. */
export async function textLines(markdown: string, look: Look, columns: number, label: string): Promise<string[]> {
  if (markdown.trim() === '') return [];
  if (!look.isRendered) return (label + safe(markdown)).split('\n');
  return paint((await loadMarkdown())(safe(markdown)), look, columns, label);
}

/** Returns Markdown as text without its marks. */
export const plainText = async (markdown: string): Promise<string> => safe((await parseMarkdown(markdown)).text);

/** Does the same as `textLines` for a text that isn't complete yet. */
export function growingLines(markdown: string, look: Look, columns: number, label: string): Promise<string[]> {
  if (markdown.length <= MAX_PARSED) return textLines(markdown, look, columns, label);
  const end = markdown.slice(-MAX_PARSED);
  return Promise.resolve(
    safe(end.slice(end.indexOf('\n') + 1))
      .replaceAll('\t', '    ')
      .split('\n'),
  );
}

export async function answerLines(shown: ShownMessage, look: Look, columns: number, label = LABEL): Promise<string[]> {
  const buttons = shown.buttons.map(({ n, label: words }) => `${styled(look, 'cyan', `[${n}]`)} ${safeLine(words)}`);
  return [
    ...(await textLines(shown.text, look, columns, shown.isRest ? '' : label)),
    ...shown.files.map((file) => fileLine(file, look)),
    ...(buttons.length > 0 ? [`  ${buttons.join('   ')}`] : []),
  ];
}

export function fileLine({ path, name }: ShownFile, look: Look): string {
  const shown = safeLine(name) || 'file';
  if (look.links) return `  ${linked(look, pathToFileURL(path).href, styled(look, 'underline', shown))}`;
  return `  file: ${safeLine(path)}  (${shown})`;
}
