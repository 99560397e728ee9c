/** Accept, Edit, Reject: an owner decides a memory suggestion. Every press gets a plain answer, even a late one. */

import fs from 'node:fs';
import { principalText } from '../../../access/principal.ts';
import { scrub } from '../../../log.ts';
import { lines, say, type Text } from '../../../messages/messages.ts';
import { askedAgain } from '../../../runtime/commands/as-shown.ts';
import type { CommandReply, Invocation } from '../../../runtime/commands/command.ts';
import { questionId } from '../../../runtime/contract/buttons.ts';
import type { Deciding as DecidingPerson } from '../../../runtime/contract/feature.ts';
import type { Suggestion } from '../../../runtime/contract/memory.ts';
import { plainName } from '../../../runtime/conversations/places.ts';
import { byAt } from '../../../runtime/reply/outcomes.ts';
import { type Home, isId } from '../../../workspace/home.ts';
import type { Gateway } from '../../gateway.ts';
import { shownMemory, shownSuggestion, suggestionButtons, undoButton } from '../question.ts';
import { bulletsOf, wholeOf } from '../store/bullets.ts';
import { forgetBullet } from '../store/changes.ts';
import { addToMemory, readMemory } from '../store/memory.ts';
import { appendRecord, decisionOn } from '../store/record.ts';
import { toBullets } from '../store/sections.ts';
import { findSuggestion, storeSuggestion, suggestedText, takeSuggestion } from '../store/suggestions.ts';

export type Verb = 'accept' | 'edit' | 'reject';

export const isVerb = (word: string): word is Verb => word === 'accept' || word === 'edit' || word === 'reject';

/** `VIBER/ID`, or `ID` for a suggestion of the conversation's viber. */
const NAME = /^(?:([a-z0-9][a-z0-9_-]{0,63})\/)?([0-9a-f]{12})$/;
const MAX_TEXT = 2_000;

export const isSuggestionName = (text: string): boolean => NAME.test(text);

export const actorOf = ({ principal }: Pick<Invocation, 'principal'>): { by: string; name: string } => ({
  by: principalText(principal),
  name: plainName(principal.name),
});

/** The context of a decision; the Board has no invocation. */
export interface Deciding extends DecidingPerson {
  gw: Gateway;
}

/**
 * Decides a suggestion; owners only.
 * @param words the text to write instead of the suggested one
 */
export async function decideSuggestion(
  context: Deciding,
  verb: Verb,
  name: string,
  words: string,
): Promise<CommandReply> {
  const { gw, messages } = context;
  const { home } = gw;
  const [, other, id = ''] = NAME.exec(name) ?? [];
  const viber = other ?? context.viber;
  if (!isId(viber) || !fs.existsSync(home.viberDir(viber))) return { text: messages.text('memory.suggestionGone') };
  if (verb === 'edit' && words.trim() === '') return askForWords(context, viber, id);
  if (words.length > MAX_TEXT) return { text: messages.text('memory.tooLong', { n: MAX_TEXT }) };
  const isNew = verb === 'edit';
  const text = isNew ? suggestedText(scrub(words)) : undefined;
  if (isNew && toBullets(words).length === 0) return askForWords(context, viber, id);
  const changed = verb === 'reject' ? undefined : await shownOtherwise(home, viber, id);
  if (changed) {
    const asked = { text: shownSuggestion(changed, messages), buttons: [suggestionButtons(changed, messages, viber)] };
    return askedAgain(asked, messages);
  }
  let added: string | undefined;
  const accept = async (suggestion: Suggestion) => {
    added = await addAccepted(context, viber, suggestion, text);
  };
  const decided = await takeSuggestion(home, viber, id, (suggestion) =>
    verb === 'reject' ? reject(context, viber, suggestion) : accept(suggestion),
  );
  if (!decided) return { text: closed(context, viber, id) };
  const shown = text ?? decided.text;
  const key = verb === 'reject' ? 'memory.willNotRemember' : 'memory.willRemember';
  const values = {
    ...byAt({
      name: plainName(context.principal.name),
      at: new Date(),
      zone: context.gw.people.zones.of(context.principal) ?? context.gw.config.jobs.timezone,
    }),
    text: inline(shown),
  };
  const outcome = verb === 'reject' ? say('outcomes.notRemembered', values) : say('outcomes.remembered', values);
  return {
    text: messages.text(key, { what: inline(shown) }),
    ...(isNew && added !== undefined ? { buttons: undoButton(messages, viber, added) } : {}),
    decided: { question: questionId.suggestion(id, viber), outcome },
  };
}

/** Returns the updated suggestion if the line that it replaces has become longer since it was shown. */
async function shownOtherwise(home: Home, viber: string, id: string): Promise<Suggestion | undefined> {
  const suggestion = await findSuggestion(home, viber, id);
  const replaces = suggestion?.replaces;
  if (!suggestion || replaces === undefined) return undefined;
  const lines = bulletsOf((await readMemory(home, viber)) ?? '');
  const [words = ''] = replaces.split('\n');
  const old = lines.find(({ text }) => text === words);
  if (!old || lines.some((line) => wholeOf(line) === replaces)) return undefined;
  const now = { ...suggestion, replaces: wholeOf(old) };
  await storeSuggestion(home, viber, now);
  return now;
}

/** Adds exactly the text that was shown, or the owner's own wording. */
async function addAccepted(
  context: Deciding,
  viber: string,
  { id, section, text, provenance, replaces }: Suggestion,
  instead: string | undefined,
): Promise<string | undefined> {
  // Removed first: after a crash in between, the suggestion is still pending and nothing is duplicated.
  if (replaces !== undefined) {
    const old = bulletsOf((await readMemory(context.gw.home, viber)) ?? '').find((line) => wholeOf(line) === replaces);
    if (old) await forgetBullet(context.gw.home, viber, old.id, actorOf(context));
  }
  const source = instead === undefined ? provenance : `${provenance}, reworded`;
  const added = await addToMemory(context.gw.home, viber, {
    section,
    text: instead ?? text,
    provenance: source,
    suggestion: id,
    ...actorOf(context),
  });
  return added?.id;
}

async function reject(context: Deciding, viber: string, { id, text }: Suggestion): Promise<void> {
  const at = new Date().toISOString();
  await appendRecord(context.gw.home, viber, {
    op: 'reject',
    at,
    bullets: toBullets(text),
    suggestion: id,
    ...actorOf(context),
  });
}

async function askForWords(
  { gw, messages, address, principal }: Deciding,
  viber: string,
  id: string,
): Promise<CommandReply> {
  const suggestion = await findSuggestion(gw.home, viber, id);
  if (!suggestion) return { text: messages.text('memory.suggestionGone') };
  // The person's next message here becomes the new wording.
  gw.tasks.expected.set(address, principalText(principal), { command: 'memory', args: `edit ${viber}/${id}` });
  return {
    text: lines(
      messages.text('memory.newWording'),
      '',
      messages.text('memory.saysNow', { what: inline(suggestion.text) }),
    ),
    buttons: [
      suggestionButtons(suggestion, messages, viber).filter(({ label }) => label !== messages.text('memory.edit')),
    ],
  };
}

function closed(context: Deciding, viber: string, id: string): Text {
  const { messages } = context;
  const decision = decisionOn(context.gw.home, viber, id);
  if (!decision) return messages.text('memory.suggestionGone');
  const me = actorOf(context).by;
  const isRejected = decision.op === 'reject';
  if (decision.by === me) return messages.text(isRejected ? 'memory.youRejected' : 'memory.youAccepted');
  const name = plainName(decision.name ?? '');
  return messages.text(isRejected ? 'memory.rejectedBy' : 'memory.acceptedBy', { name });
}

const inline = (text: string): string => `${text.includes('\n') ? '\n' : ''}${shownMemory(text)}`;
