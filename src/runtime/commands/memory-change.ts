/** /memory add, forget and undo: an owner changes what is remembered. Each change is recorded and can be taken back. */

import { cutText } from '../../lib/text.ts';
import { scrub } from '../../log.ts';
import { type Bullet, bulletsOf, matching } from '../../workspace/memory/bullets.ts';
import { forgetBullet, undoLast } from '../../workspace/memory/changes.ts';
import { linesOf } from '../../workspace/memory/lines.ts';
import { addToMemory, readMemory } from '../../workspace/memory/memory.ts';
import { parseSuggestion } from '../../workspace/memory/suggestions.ts';
import type { ButtonAction } from '../contract/buttons.ts';
import { shownMemory } from '../memory/question.ts';
import type { CommandContext, CommandReply } from './command.ts';
import { actorOf } from './memory-decide.ts';

const MAX_TEXT = 2_000;
const MAX_LISTED = 20;
const MAX_BUTTONS = 10;
const MAX_LINE = 200;

/** How a button names one bullet, whatever number it has by then. */
const BY_ID = /^#([0-9a-f]{12})$/;

/** `TEXT`, or `HEADING: TEXT` for a heading that MEMORY.md has. */
export async function add(context: CommandContext, given: string): Promise<CommandReply> {
  const { home, viber } = context;
  const words = scrub(given);
  if (words.trim() === '') return { text: 'Tell me what to remember: /memory add and the words.' };
  if (words.length > MAX_TEXT) return { text: `That is too long to remember: at most ${MAX_TEXT} characters.` };
  const actor = actorOf(context);
  const fact = fitSection(parseSuggestion(words), (await readMemory(home, viber)) ?? '');
  const added = await addToMemory(home, viber, { ...fact, provenance: actor.by, ...actor });
  if (!added) return { text: 'I remember this already.' };
  return { text: `I will remember:\n${shownMemory((added.lines ?? []).join('\n'))}`, buttons: undoButton(added.id) };
}

const undoButton = (change = ''): ButtonAction[][] => [[{ label: 'Undo', command: 'memory', args: `undo ${change}` }]];

function fitSection(given: { section?: string; text: string }, markdown: string): { section?: string; text: string } {
  const [, name = '', rest = ''] = /^\s*([^:\n]{1,60}):\s*([\s\S]+)$/.exec(given.text) ?? [];
  const heading = linesOf(markdown)
    .map((line) => (line.level > 1 ? line.heading : undefined))
    .find((each) => each?.toLowerCase() === name.trim().toLowerCase());
  return given.section === undefined && heading !== undefined ? { section: heading, text: rest } : given;
}

/** `WORDS` or the number of a line; asks which one where several fit. */
export async function forget(context: CommandContext, words: string): Promise<CommandReply> {
  const bullets = bulletsOf((await readMemory(context.home, context.viber)) ?? '');
  if (bullets.length === 0) return { text: 'My memory is empty; there is nothing to forget.' };
  const wanted = words.trim();
  const byId = BY_ID.exec(wanted)?.[1];
  const found = byId !== undefined ? bullets.filter(({ id }) => id === byId).slice(0, 1) : fitting(bullets, wanted);
  const [only] = found;
  if (!only)
    return {
      text:
        byId === undefined
          ? 'Nothing in my memory has these words; /memory shows it all.'
          : 'That line is not in my memory any more; /memory shows what is.',
    };
  if (found.length === 1 && wanted !== '') return remove(context, only);
  return whichOne(found);
}

function fitting(bullets: readonly Bullet[], wanted: string): Bullet[] {
  if (!/^\d{1,6}$/.test(wanted)) return matching(bullets, wanted);
  const numbered = bullets.filter(({ number }) => number === Number(wanted));
  return numbered.length > 0 ? numbered : matching(bullets, wanted);
}

function whichOne(found: readonly Bullet[]): CommandReply {
  const listed = found.slice(0, MAX_LISTED);
  const lines = listed.map(({ number, section, text }) => {
    const where = section === '' ? '' : ` (${section})`;
    return `- **${number}** ${shownMemory(cutText(text, MAX_LINE))}${where}`;
  });
  const more = found.length - listed.length;
  return {
    text: [
      'Which one shall I forget? Press its number, or send /memory forget and the number.',
      '',
      ...lines,
      ...(more > 0 ? [`- ${more} more: say it with more words.`] : []),
    ].join('\n'),
    buttons: rowsOf(
      listed
        .slice(0, MAX_BUTTONS)
        .map(({ number, id }) => ({ label: String(number), command: 'memory', args: `forget #${id}` })),
    ),
  };
}

const rowsOf = (actions: readonly ButtonAction[]): ButtonAction[][] =>
  Array.from({ length: Math.ceil(actions.length / 5) }, (_, row) => actions.slice(row * 5, row * 5 + 5));

async function remove(context: CommandContext, bullet: Bullet): Promise<CommandReply> {
  const gone = await forgetBullet(context.home, context.viber, bullet.id, actorOf(context));
  if (!gone) return { text: 'That line was changed just now; /memory shows how it stands.' };
  return { text: `Forgotten: ${shownMemory(cutText(gone.bullet.text, MAX_TEXT))}`, buttons: undoButton(gone.change) };
}

/** `change`: the one a button means; '' for the last. */
export async function undo(context: CommandContext, change: string): Promise<CommandReply> {
  const { done, lines } = await undoLast(context.home, context.viber, actorOf(context), change || undefined);
  const shown = lines
    .slice(0, MAX_BUTTONS)
    .map((line) => shownMemory(cutText(line.replace(/^[-*+]\s+/, ''), MAX_LINE)));
  const words = `${shown.join('; ')}${lines.length > shown.length ? '; …' : ''}`;
  switch (done) {
    case 'removed':
      return { text: `Taken back; I no longer remember: ${words}` };
    case 'restored':
      return { text: `Taken back; I remember again: ${words}` };
    case 'nothing':
      return { text: 'There is no change of mine to take back; MEMORY.md can be edited by hand.' };
    case 'newer':
      return { text: 'That change is not the last one any more; /memory undo takes the last one back.' };
    case 'there':
      return { text: `This stands in my memory again already: ${words}. /memory undo takes back what was before it.` };
    case 'changed':
      return {
        text: `MEMORY.md was edited by hand since, so I leave it as it is (/memory shows it); it was about: ${words}`,
      };
  }
}
