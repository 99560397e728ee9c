/**
 * Words as a person wrote them, out of Slack's markup: `<@U1>`, `<#C1|name>`, `<!here>`, `<https://x|label>` and `&amp;`.
 * https://docs.slack.dev/messaging/formatting-message-text/
 */

import { isNearly } from '../../shared/nearly.ts';
import { oneLine } from '../../shared/read.ts';
import type { Self } from './base.ts';

export interface Words {
  text: string;
  /** This bot is mentioned. */
  mentioned: boolean;
  /** Written as `/name ...` with a name that is ours. */
  command?: { name: string; args: string };
}

const MARKUP = /<([^<>]{1,3500})>/g;

export function readWords(source: string, self: Self): Words {
  let mentioned = false;
  // Our own mention at the start is an address, not a word.
  const own = new RegExp(`^\\s*<@${self.userId}(\\|[^<>]*)?>[\\s:,]*`);
  const rest = source.replace(own, () => {
    mentioned = true;
    return '';
  });
  const text = unescapeText(
    rest.replace(MARKUP, (whole, inner: string) => {
      if (inner.startsWith(`@${self.userId}`)) mentioned = true;
      return readMarkup(whole, inner, self);
    }),
  ).trim();
  const command = readCommand(text, self);
  return { text, mentioned, ...(command && { command }) };
}

/** `/status`, or `/viber status` where Slack itself takes no commands: in threads. */
function readCommand(text: string, self: Self): Words['command'] {
  if (!text.startsWith('/')) return undefined;
  const own = `${self.command} `;
  const line = text.toLowerCase().startsWith(own.toLowerCase()) ? `/${text.slice(own.length).trimStart()}` : text;
  return commandOf(line.slice(1), self);
}

/** The command whose name is the first word; not when what follows is none of its arguments: `plan a trip` is a goal. */
export function commandOf(text: string, self: Self): Words['command'] {
  const [, first = '', rest = ''] = /^(\S{1,32})(?:\s+([\s\S]*))?$/.exec(text.trim()) ?? [];
  const name = first.toLowerCase();
  const args = rest.trim();
  const spec = self.commands.get(name);
  const pattern = spec?.argument ? (spec.argument.pattern ?? '') : '^$';
  if (spec) return args === '' || new RegExp(pattern, 'i').test(args) ? { name, args } : undefined;
  return args === '' && isNearly(name, [...self.commands.keys()]) ? { name, args } : undefined;
}

function readMarkup(whole: string, inner: string, self: Self): string {
  const bar = inner.indexOf('|');
  const target = bar < 0 ? inner : inner.slice(0, bar);
  const label = bar < 0 ? '' : inner.slice(bar + 1);
  const kind = target[0];
  const id = target.slice(1);
  if (kind === '@') return `@${self.nameOf(id) ?? (oneLine(label, 100) || id)}`;
  if (kind === '#') return `#${oneLine(label, 100) || id}`;
  if (kind === '!') return special(id, label);
  if (!/^[a-z][a-z0-9+.-]*:/i.test(target)) return whole;
  const address = target.replace(/^(mailto|tel):/, '');
  const isSame = label === '' || label === target || label === address || target === `http://${label}`;
  return isSame ? label || address : `[${label}](${target})`;
}

/** `<!subteam^S1|@team>`, `<!date^...|fallback>`, `<!here>`: names, which mention nobody when they are written back. */
function special(id: string, label: string): string {
  if (id.startsWith('subteam^')) return label === '' ? '@group' : `@${label.replace(/^@/, '')}`;
  return label !== '' ? label : `@${id.split('^', 1)[0]}`;
}

function unescapeText(text: string): string {
  if (!text.includes('&')) return text;
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
}
