/**
 * /memory: shows and searches the memory and pending suggestions. Reading requires access; changing requires an owner.
 */

import { cutText, plainLine } from '../../../lib/text.ts';
import { lines, words } from '../../../messages/messages.ts';
import { type Command, type CommandReply, type Invocation, mayUse } from '../../../runtime/commands/command.ts';
import { searchOf } from '../open-search.ts';
import { askOwner } from '../question.ts';
import { readMemory } from '../store/memory.ts';
import { listSuggestions } from '../store/suggestions.ts';
import { addBullet, forget, undo } from './change.ts';
import { decideSuggestion, isSuggestionName, isVerb } from './decide.ts';

const SHOWN = 3_000;
const MAX_FOUND = 8;

export const memory: Command = {
  name: 'memory',
  help: { group: 'memory', does: 'does.memory' },
  description: 'What I remember; WORDS to search, add, forget, undo',
  argument: {
    name: 'words',
    description: 'Words to look for, or add TEXT, forget WORDS, undo',
    // A longer text is not a search but a goal that begins with the same word.
    pattern: '^((search|add|forget|undo|accept|edit|reject)\\b[\\s\\S]*|\\S+(\\s+\\S+){0,2})$',
  },
  action: 'memory',
  async run(context) {
    const [, verb = '', rest = ''] = /^\s*(\S*)\s*([\s\S]*)$/.exec(context.args) ?? [];
    const change = changeOf(context, verb.toLowerCase(), rest);
    if (change) {
      if (!mayUse(context.principal, 'administer', context.task))
        return { text: context.messages.text('memory.ownerOnly') };
      return change();
    }
    return verb === '' ? replyWithMemory(context) : search(context);
  },
};

/** Empty for the last change, or a change and its viber as in a button; older buttons name no viber. */
const UNDO = /^(?:([a-z0-9][a-z0-9_-]{0,63})\/)?([0-9a-f]{12})?$/;

function changeOf(context: Invocation, verb: string, rest: string): (() => Promise<CommandReply>) | undefined {
  if (verb === 'add') return () => addBullet(context, rest);
  if (verb === 'forget') return () => forget(context, rest);
  const [isUndo, of, change = ''] = UNDO.exec(rest) ?? [];
  if (verb === 'undo' && isUndo !== undefined) return () => undo(context, change, of);
  const [, name = '', words = ''] = /^(\S*)\s*([\s\S]*)$/.exec(rest) ?? [];
  const isDecision = isSuggestionName(name) || (verb !== 'edit' && name !== '' && words === '');
  return isVerb(verb) && isDecision ? () => decideSuggestion(context, verb, name, words) : undefined;
}

async function replyWithMemory(context: Invocation): Promise<CommandReply> {
  const { gw, viber, messages } = context;
  const { home } = gw;
  const text = withoutEmptyHeadings((await readMemory(home, viber)) ?? '').trim();
  const isLong = text.length > SHOWN;
  const shown = isLong ? lines(words(cutText(text, SHOWN)), '', messages.text('memory.searchAll')) : words(text);
  const memory = shown ? lines(messages.text('memory.all'), '', shown) : messages.text('memory.empty');
  const pending = await listSuggestions(home, viber);
  if (pending.length === 0) return { text: memory };
  if (!mayUse(context.principal, 'administer', context.task))
    return { text: lines(memory, '', messages.text('memory.waiting', { n: pending.length })) };
  const question = askOwner(pending, messages, viber);
  return { text: lines(memory, '', question.text), buttons: question.buttons };
}

const HEADING = /^(#{1,6})(?:\s|$)/;

function withoutEmptyHeadings(text: string): string {
  const kept: string[] = [];
  /** The level of the heading below, since this reads upwards; 7 for text, 0 for nothing. */
  let below = 0;
  for (const line of text.split('\n').reverse()) {
    const depth = HEADING.exec(line)?.[1]?.length;
    if (depth === undefined) {
      if (line.trim() !== '') below = 7;
    } else if (depth < below) below = depth;
    else continue;
    kept.push(line);
  }
  return kept
    .reverse()
    .join('\n')
    .replace(/\n{3,}/g, '\n\n');
}

async function search(context: Invocation): Promise<CommandReply> {
  const query = context.args.trim().replace(/^search\s+/i, '');
  const found = await searchOf(context.gw).searchMemory(context.viber, query, MAX_FOUND);
  const waiting = await waitingAbout(context, query);
  if (found.length === 0) return waiting ?? { text: context.messages.text('memory.notFound') };
  const listed = found.flatMap(({ content, source_file }) => {
    const source = source_file.replace(/^memory\/|(?<=\d)\.md$/g, '');
    const from = source === 'MEMORY.md' ? '' : `${source}: `;
    return itemsAbout(content, query).map((item) => words(`- ${from}${cutText(item, 300)}`));
  });
  return waiting ? { ...waiting, text: lines(...listed, '', waiting.text) } : { text: lines(...listed) };
}

/** Returns the items and paragraphs of a text that contain a word of the query; without any, all except headings. */
function itemsAbout(content: string, query: string): string[] {
  const items = content
    .split(/\n(?=\s*(?:[-*+]|\d+[.)]|#{1,6})\s|\s*\n)|(?<=^#{1,6}\s[^\n]*)\n/m)
    .map((item) => plainLine(item).trim());
  const all = items.filter((item) => item !== '' && !HEADING.test(item)).map((item) => item.replace(/^[-*+]\s+/, ''));
  const wanted = query.toLowerCase().split(/\s+/);
  const fits = all.filter((item) => wanted.some((word) => item.toLowerCase().includes(word)));
  if (fits.length > 0) return fits.slice(0, MAX_FOUND);
  return all.length > 0 ? all.slice(0, MAX_FOUND) : items.filter(Boolean);
}

async function waitingAbout(context: Invocation, query: string): Promise<CommandReply | undefined> {
  const { gw, viber, messages } = context;
  const wanted = query.toLowerCase().split(/\s+/).filter(Boolean);
  const pending = (await listSuggestions(gw.home, viber)).filter(({ text }) => {
    const lower = text.toLowerCase();
    return wanted.every((word) => lower.includes(word));
  });
  if (pending.length === 0) return undefined;
  if (!mayUse(context.principal, 'administer', context.task))
    return { text: messages.text('memory.waiting', { n: pending.length }) };
  return askOwner(pending, messages, viber);
}
