/**
 * Reads text as a person wrote it from Slack's markup: `<@U1>`, `<#C1|name>`, `<!here>`, `<https://x|label>` and
 * `&amp;`. https://docs.slack.dev/messaging/formatting-message-text/
 */

import { tidyLine } from '../../shared/read.ts';
import { slashCommandOf } from '../../shared/written-command.ts';
import type { Self } from './base.ts';

export interface Words {
  text: string;
  mentioned: boolean;
  /** Set for `/name ...` with one of our commands. */
  command?: { name: string; args: string };
}

const MARKUP = /<([^<>]{1,3500})>/g;

export function readWords(source: string, self: Self): Words {
  // The bot's own mention at the start addresses it and isn't part of the text.
  const own = new RegExp(`^\\s*<@${self.userId}(\\|[^<>]*)?>[\\s:,]*`);
  const rest = source.replace(own, '');
  const inside = readInside(rest, self);
  const text = inside.text.trim();
  const mentioned = inside.mentioned || rest !== source;
  const command = slashCommandOf(text, self.command, self.commands);
  return { text, mentioned, ...(command && { command }) };
}

/** Reads text inside other text, where the bot's own mention is a word like any other. */
export function readInside(source: string, self: Self): Omit<Words, 'command'> {
  let mentioned = false;
  const words = source.replace(MARKUP, (whole, inner: string) => {
    if (inner.startsWith(`@${self.userId}`)) mentioned = true;
    return readMarkup(whole, inner, self);
  });
  return { text: unescapeText(words), mentioned };
}

function readMarkup(whole: string, inner: string, self: Self): string {
  const bar = inner.indexOf('|');
  const target = bar < 0 ? inner : inner.slice(0, bar);
  const label = bar < 0 ? '' : inner.slice(bar + 1);
  const kind = target[0];
  const id = target.slice(1);
  if (kind === '@') return `@${self.nameOf(id) ?? (tidyLine(label, 100) || id)}`;
  if (kind === '#') return `#${tidyLine(label, 100) || id}`;
  if (kind === '!') return special(id, label);
  if (!/^[a-z][a-z0-9+.-]*:/i.test(target)) return whole;
  const address = target.replace(/^(mailto|tel):/, '');
  const isSame = label === '' || label === target || label === address || target === `http://${label}`;
  return isSame ? label || address : `[${label}](${target})`;
}

/**
 * Reads `<!subteam^S1|@team>`, `<!date^...|fallback>` and `<!here>` as names, which mention nobody when they are
 * written back.
 */
function special(id: string, label: string): string {
  if (id.startsWith('subteam^')) return label === '' ? '@group' : `@${label.replace(/^@/, '')}`;
  return label !== '' ? label : `@${id.split('^', 1)[0]}`;
}

function unescapeText(text: string): string {
  if (!text.includes('&')) return text;
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
}
