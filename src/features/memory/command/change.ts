/** /memory add, forget and undo: an owner changes the memory. Each change is recorded and can be undone. */

import { markdownLines } from '../../../lib/markdown-lines.ts';
import { cutText } from '../../../lib/text.ts';
import { scrub } from '../../../log.ts';
import { lines, type Messages, words } from '../../../messages/messages.ts';
import type { CommandReply, Invocation } from '../../../runtime/commands/command.ts';
import type { ButtonAction } from '../../../runtime/contract/buttons.ts';
import { shownMemory, undoButton } from '../question.ts';
import { type Bullet, bulletsOf, matching } from '../store/bullets.ts';
import { forgetBullet, undoLast } from '../store/changes.ts';
import { addToMemory, readMemory } from '../store/memory.ts';
import { parseSuggestion } from '../store/suggestions.ts';
import { actorOf } from './decide.ts';

const MAX_TEXT = 2_000;
const MAX_LISTED = 20;
const MAX_BUTTONS = 10;
const MAX_LINE = 200;

/** Names one bullet in a button, whatever its current number, and the viber whose memory it is in. */
const BY_ID = /^(?:([a-z0-9][a-z0-9_-]{0,63})\/)?#([0-9a-f]{12})$/;

/** Accepts `TEXT`, or `HEADING: TEXT` for an existing heading of MEMORY.md. */
export async function addBullet(context: Invocation, given: string): Promise<CommandReply> {
  const { gw, viber, messages } = context;
  const { home } = gw;
  const said = scrub(given);
  if (said.trim() === '') return { text: messages.text('memory.whatToAdd') };
  if (said.length > MAX_TEXT) return { text: messages.text('memory.tooLong', { n: MAX_TEXT }) };
  const actor = actorOf(context);
  const fact = fitSection(parseSuggestion(said), (await readMemory(home, viber)) ?? '');
  const added = await addToMemory(home, viber, { ...fact, provenance: actor.by, ...actor });
  if (!added) return { text: messages.text('memory.known') };
  const shown = words(shownMemory((added.lines ?? []).join('\n')));
  return { text: lines(messages.text('memory.added'), shown), buttons: undoButton(messages, viber, added.id) };
}

function fitSection(given: { section?: string; text: string }, markdown: string): { section?: string; text: string } {
  const [, name = '', rest = ''] = /^\s*([^:\n]{1,60}):\s*([\s\S]+)$/.exec(given.text) ?? [];
  const heading = markdownLines(markdown)
    .map((line) => (line.level > 1 ? line.heading : undefined))
    .find((each) => each?.toLowerCase() === name.trim().toLowerCase());
  return given.section === undefined && heading !== undefined ? { section: heading, text: rest } : given;
}

/** Accepts `WORDS` or a line's number; asks if several lines match. */
export async function forget(context: Invocation, given: string): Promise<CommandReply> {
  const { gw, messages } = context;
  const { home } = gw;
  const wanted = given.trim();
  const [, viber = context.viber, byId] = BY_ID.exec(wanted) ?? [];
  const bullets = bulletsOf((await readMemory(home, viber)) ?? '');
  if (bullets.length === 0) return { text: messages.text('memory.nothingToForget') };
  const found = byId !== undefined ? bullets.filter(({ id }) => id === byId).slice(0, 1) : fitting(bullets, wanted);
  const [only] = found;
  if (!only)
    return {
      text: messages.text(byId === undefined ? 'memory.notFoundForget' : 'memory.lineGone'),
    };
  if (found.length === 1 && wanted !== '') return removeBullet(context, viber, only);
  return whichOne(found, viber, messages);
}

function fitting(bullets: readonly Bullet[], wanted: string): Bullet[] {
  if (!/^\d{1,6}$/.test(wanted)) return matching(bullets, wanted);
  const numbered = bullets.filter(({ number }) => number === Number(wanted));
  return numbered.length > 0 ? numbered : matching(bullets, wanted);
}

function whichOne(found: readonly Bullet[], viber: string, messages: Messages): CommandReply {
  const listed = found.slice(0, MAX_LISTED);
  const shown = listed.map(({ number, section, text }) => {
    const where = section === '' ? '' : ` (${section})`;
    return words(`- **${number}** ${shownMemory(cutText(text, MAX_LINE))}${where}`);
  });
  const more = found.length - listed.length;
  return {
    text: lines(
      messages.text('memory.whichToForget'),
      '',
      ...shown,
      ...(more > 0 ? [messages.text('memory.moreToForget', { n: more })] : []),
    ),
    buttons: fivePerRow(
      listed
        .slice(0, MAX_BUTTONS)
        .map(({ number, id }) => ({ label: words(String(number)), command: 'memory', args: `forget ${viber}/#${id}` })),
    ),
  };
}

const fivePerRow = (actions: readonly ButtonAction[]): ButtonAction[][] =>
  Array.from({ length: Math.ceil(actions.length / 5) }, (_, row) => actions.slice(row * 5, row * 5 + 5));

async function removeBullet(context: Invocation, viber: string, bullet: Bullet): Promise<CommandReply> {
  const { messages } = context;
  const gone = await forgetBullet(context.gw.home, viber, bullet.id, actorOf(context));
  if (!gone) return { text: messages.text('memory.lineChanged') };
  const what = shownMemory(cutText(gone.bullet.text, MAX_TEXT));
  return {
    text: messages.text('memory.forgotten', { what }),
    buttons: undoButton(messages, viber, gone.change),
  };
}

/**
 * @param change the change that a button refers to; '' for the last one
 * @param viber whose memory it is
 */
export async function undo(context: Invocation, change: string, viber = context.viber): Promise<CommandReply> {
  const { messages } = context;
  const undone = await undoLast(context.gw.home, viber, actorOf(context), change || undefined);
  const shown = undone.lines
    .slice(0, MAX_BUTTONS)
    .map((line) => shownMemory(cutText(line.replace(/^[-*+]\s+/, ''), MAX_LINE)));
  const what = `${shown.join('; ')}${undone.lines.length > shown.length ? '; …' : ''}`;
  switch (undone.done) {
    case 'removed':
      return { text: messages.text('memory.removedAgain', { what }) };
    case 'restored':
      return { text: messages.text('memory.restored', { what }) };
    case 'nothing':
      return { text: messages.text('memory.nothingToUndo') };
    case 'newer':
      return { text: messages.text('memory.newerChange') };
    case 'there':
      return { text: messages.text('memory.thereAgain', { what }) };
    case 'changed':
      return { text: messages.text('memory.editedByHand', { what }) };
  }
}
