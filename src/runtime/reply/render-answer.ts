/** Renders an outcome for one conversation: its text, its attachments, and buttons for files that aren't attached. */
import type { Address, Attachment, Channel } from '../../channels/channel.ts';
import { type Messages, type Text, words } from '../../messages/messages.ts';
import type { Home } from '../../workspace/home.ts';
import type { ButtonAction } from '../contract/buttons.ts';
import type { Answer } from '../contract/outcome.ts';
import { type AttachMode, type AttachmentSet, attach, getButton } from './attachments.ts';

export interface AttachRules {
  mode: AttachMode;
  maxBytes: number;
  /** Details of a question are behind a button there. */
  whispers?: boolean;
}

interface Rendering {
  home: Home;
  attachRules: (address: Address) => AttachRules;
  /** Whether a text shows nothing visible once a chat renders it. */
  isBlank?: ((text: string) => Promise<boolean>) | undefined;
}

interface RenderedAnswer {
  text: Text;
  files: Attachment[];
  buttons: ButtonAction[][];
}

const MAX_ATTACHED = 10;
const NOTHING_ATTACHED: AttachmentSet = { files: [], onRequest: [], gone: [] };

/** Combines the channel's own limit with the configuration; `auto` if it sets nothing. */
export const attachRules = (channel: Channel | undefined, mode: AttachMode = 'auto'): AttachRules => ({
  mode,
  maxBytes: channel?.limits.uploadBytes ?? Number.MAX_SAFE_INTEGER,
  whispers: channel?.whispers ?? false,
});

export async function renderAnswer(
  outcome: Answer,
  taskId: string,
  address: Address,
  messages: Messages,
  { home, attachRules: rulesAt, isBlank }: Rendering,
): Promise<RenderedAnswer> {
  const rules = { ...rulesAt(address), maxFiles: MAX_ATTACHED };
  const refs = outcome.artifactRefs.filter(({ id }) => !outcome.handed?.includes(id));
  const { files, onRequest, gone } = refs.length > 0 ? await attach(home, taskId, refs, rules) : NOTHING_ATTACHED;
  const namesOf = (metas: readonly { name: string }[]) => messages.list(metas.map(({ name }) => name));
  const list = [
    onRequest.length > 0 ? `\n\n${messages.text('failures.moreFiles', { names: namesOf(onRequest) })}` : '',
    gone.length > 0 ? `\n\n${messages.text('failures.goneFiles', { n: gone.length, names: namesOf(gone) })}` : '',
  ].join('');
  const all = [...(outcome.files ?? []), ...files];
  const { details } = outcome;
  const fold = details && !rules.whispers ? `\n\n${details.text.replace(/^/gm, '> ')}` : '';
  const text = words(`${outcome.text}${fold}${list}`);
  // A question that follows, or a file, says enough.
  const isSilent = all.length === 0 && !outcome.asks?.length && (await isBlank?.(text));
  return {
    text: isSilent ? messages.text('failures.empty') : text,
    files: all,
    buttons: [
      ...outcome.buttons,
      ...(details && rules.whispers ? [[details.button]] : []),
      ...onRequest.map((file) => [getButton(file, messages, taskId)]),
    ],
  };
}

const SUMMARY_LENGTH = 300;
const DECISION_LENGTH = 200;
const MAX_DECISIONS = 5;
/** Only the start of an answer is read: its first lines say what it is about. */
const SUMMARY_SOURCE = 4_000;
const DECISION_SOURCE = 20_000;

/** Returns at most 300 UTF-16 units on one line, without Markdown and code blocks, cut between words if possible. */
export function summarise(text: string): string {
  const start = text.slice(0, SUMMARY_SOURCE);
  return shorten(plainWords(withoutCode(start)) || plainWords(start), SUMMARY_LENGTH);
}

/**
 * Returns the decisions in a text by a deliberately modest rule: bullets under a heading that names decisions, and
 * lines that announce one. At most five, each plain text of at most 200 characters.
 */
export function decisionsOf(text: string): string[] {
  const found = new Set<string>();
  let underHeading = false;
  for (const line of withoutCode(text.slice(0, DECISION_SOURCE)).split('\n')) {
    const bullet = /^\s*(?:[-*+]|\d{1,9}[.)])\s+(.*)/.exec(line)?.[1];
    if (bullet === undefined && isHeading(line))
      underHeading = /\bdecisions?\b/i.test(line) && !ANNOUNCED.test(plainWords(line));
    else if (bullet === undefined && line.trim() !== '') underHeading = false;
    const words = plainWords(bullet ?? line);
    if (words && ((underHeading && bullet !== undefined) || ANNOUNCED.test(words))) {
      found.add(shorten(words.replace(/^decision:\s*/i, ''), DECISION_LENGTH));
    }
    if (found.size >= MAX_DECISIONS) break;
  }
  return [...found];
}

const ANNOUNCED =
  /^(?:decision: ?\S|(?:we|i|you)(?: have|'ve)? (?:decided|agreed|chose|settled) |decided (?:to|on|that|against) |agreed (?:to|on|that) |going with )/i;

const isHeading = (line: string): boolean => /^\s{0,3}(?:#{1,6}\s|\*\*[^*]+\*\*:?\s*$)|^[^.!?]{1,60}:\s*$/.test(line);

/** Removes fenced code with its fence lines; an open fence extends to the end. */
function withoutCode(text: string): string {
  if (!text.includes('```') && !text.includes('~~~')) return text;
  return text.replace(/^[ \t]*(`{3,}|~{3,})[^\n]*\n(?:[\s\S]*?^[ \t]*\1[`~]*[ \t]*$|[\s\S]*$)/gm, '');
}

function plainWords(text: string): string {
  return text
    .replace(/^[ \t]*(?:`{3,}|~{3,})[^\n]*$/gm, '')
    .replace(/^(?:[ \t]*(?:>|#{1,6}(?=\s)|[-*+](?=\s)|\[[ xX]\](?=\s)))+/gm, '')
    .replace(/^[ \t]*(?:[-*_=][ \t]*){3,}$/gm, '')
    .replace(/^[ \t|:-]+$/gm, '')
    .replace(/!?\[([^\]\n]*)\]\([^)\n]*\)/g, '$1')
    .replace(/<((?:https?:\/\/|mailto:)[^>\s]+)>/g, '$1')
    .replace(/<\/?[a-z][^<>\n]{0,200}>/gi, '')
    .replace(/(\*\*|__|~~)(?=\S)([^\n]*?\S)\1/g, '$2')
    .replace(/(?<![\w*])\*(?=[^\s*])([^*\n]*[^\s*])\*(?![\w*])/g, '$1')
    .replace(/(?<![\w_])_(?=[^\s_])([^_\n]*[^\s_])_(?![\w_])/g, '$1')
    .replace(/`+([^`\n]*)`+/g, '$1')
    .replace(/\|/g, ' ')
    .replace(/\\([\\`*_{}[\]()#+.!~>-])/g, '$1')
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .trim();
}

/** Cuts at the last space, or between two characters if there is none; the length includes the ellipsis. */
function shorten(text: string, length: number): string {
  if (text.length <= length) return text;
  const head = text.slice(0, length - 1);
  const space = head.lastIndexOf(' ');
  if (space > length / 2 || text[length - 1] === ' ')
    return `${head.slice(0, text[length - 1] === ' ' ? undefined : space)}…`;
  const whole = [...new Intl.Segmenter().segment(head)];
  return `${head.slice(0, whole.at(-1)?.index ?? 0)}…`;
}
