/**
 * `/skills add`, `update` and `remove`, for owners. The change is shown first, with buttons. The buttons refer to an
 * offer that the home stores with every byte of it, so after a restart they still mean exactly what was shown.
 */

import fs from 'node:fs';
import path from 'node:path';
import { principalText } from '../../../access/principal.ts';
import type { Attachment } from '../../../channels/channel.ts';
import { UserError } from '../../../errors.ts';
import { hashText, writeFileAtomic } from '../../../lib/files.ts';
import { within } from '../../../lib/within.ts';
import { labelOf, lines, paragraphs, say, type Text, type Wording, words } from '../../../messages/messages.ts';
import { askedAgain, shownStamp, stamped } from '../../../runtime/commands/as-shown.ts';
import { type CommandReply, type Invocation, mayUse } from '../../../runtime/commands/command.ts';
import { type ButtonAction, questionId } from '../../../runtime/contract/buttons.ts';
import { escapeMarkdown, plainName } from '../../../runtime/conversations/places.ts';
import { byAt } from '../../../runtime/reply/outcomes.ts';
import type { OfferedSkill } from '../../../skills/add/add.ts';
import { openTask, sweepTranscripts } from '../../../workspace/tasks/index.ts';
import { skillsOf } from '../open.ts';
import type { SkillAdding } from '../service.ts';
import { offerText } from './words.ts';

type Reply = CommandReply;
type Act = (context: Invocation, words: string[], adding: SkillAdding) => Promise<CommandReply> | CommandReply;

/** A repository may take a minute to load; the person's next command waits no longer than this, in ms. */
const WAIT_MS = 2_000;
/** How long the files of a question are kept for sending, in ms. */
const SHOWN_MS = 3 * 86_400_000;
const LISTED = 30;
const WITH_BUTTONS = 10;
const MAX_WHAT = 100;

/** Whether the words after `/skills` are about adding; only owners may run these. */
export const changes = (verb: string): boolean => Object.hasOwn(VERBS, verb);

export async function replyToChange(context: Invocation, verb: string, rest: string): Promise<CommandReply> {
  const { gw, messages, task, principal } = context;
  if (!mayUse(principal, 'administer', task)) return { text: messages.text('adding.ownersOnly') };
  const words = rest.split(/\s+/).filter(Boolean);
  return VERBS[verb]?.(context, words, await skillsOf(gw).adding()) ?? { text: messages.text('adding.usage') };
}

/** The verbs. Those with `!` are sent by buttons and carry an offer's ID, or the name that was asked about. */
const VERBS: Readonly<Record<string, Act>> = {
  add: (context, [source = '', ...names], adding) =>
    source === ''
      ? { text: context.messages.text('adding.usage') }
      : soon(context, replyWithOffer(context, source, names, adding)),
  update: (context, names, adding) => soon(context, lookForUpdates(context, names, adding)),
  async 'take!'(context, [id = ''], adding) {
    const names = await adding.take(id, principalText(context.principal));
    return {
      text: context.messages.text('adding.added', { names: names.join(', ') }),
      decided: decided(context, id, true),
    };
  },
  'leave!'(context, [id = ''], adding) {
    const { messages } = context;
    const wasThere = adding.drop(id);
    const text = messages.text(wasThere ? 'adding.dropped' : 'adding.gone');
    return wasThere ? { text, decided: decided(context, id, false) } : { text };
  },
  remove: (context, [name], adding) =>
    name === undefined
      ? { text: context.messages.text('adding.which', { verb: 'remove' }) }
      : askToRemove(context, name, adding),
  async 'remove!'(context, [name = '', seen], adding) {
    const shown = await adding.lookBeforeRemoval(name);
    if (seen !== `=${shownStamp({ ...shown })}`)
      return askedAgain(await askToRemove(context, name, adding), context.messages);
    const kept = await adding.remove(name);
    const text = context.messages.text(kept ? 'adding.removedKept' : 'adding.removed', { name: escapeMarkdown(name) });
    return { text, decided: decided(context, `remove ${name}`, true) };
  },
};

async function askToRemove({ messages }: Invocation, name: string, adding: SkillAdding): Promise<CommandReply> {
  const shown = await adding.lookBeforeRemoval(name);
  const isEdited = shown.isOwn || shown.edited.length > 0;
  const text = messages.text(isEdited ? 'adding.reallyRemoveEdited' : 'adding.reallyRemove', {
    name: escapeMarkdown(name),
  });
  const decides = questionId.skills(`remove ${name}`);
  const args = stamped(`remove! ${name}`, { ...shown });
  return {
    text,
    buttons: [[{ label: messages.text('adding.remove'), command: 'skills', args, decides, means: 'yes' }]],
  };
}

function decided({ gw, principal }: Invocation, id: string, isYes: boolean): { question: string; outcome: Wording } {
  const when = byAt({
    name: plainName(principal.name),
    at: new Date(),
    zone: gw.people.zones.of(principal) ?? gw.config.jobs.timezone,
  });
  const outcome = isYes ? say('outcomes.skillTaken', when) : say('outcomes.skillLeft', when);
  return { question: questionId.skills(id), outcome };
}

/** Replies at once if the work is quick, else later. An error that people can fix is a reply too. */
async function soon({ messages }: Invocation, work: Promise<Reply>): Promise<CommandReply> {
  const answer = work.catch((error: unknown): Reply => {
    if (error instanceof UserError) return { text: messages.said(error.said) };
    throw error;
  });
  const reply = await within(answer, WAIT_MS);
  return reply ?? { text: messages.text('adding.looking'), later: answer };
}

async function replyWithOffer(
  context: Invocation,
  source: string,
  names: string[],
  adding: SkillAdding,
): Promise<Reply> {
  const { messages } = context;
  const looked = await adding.look(await sentFile(context, source), names, '/');
  if (looked.kind === 'offer')
    return offer(context, looked, { yes: messages.text('adding.add'), no: messages.text('adding.addNot') });
  const { skills, source: from } = looked;
  const rest = skills.length - LISTED;
  const one = ({ name, description }: (typeof skills)[number]) =>
    messages.text('adding.chooseOne', {
      name: escapeMarkdown(name),
      what: escapeMarkdown(description.slice(0, MAX_WHAT).toWellFormed()),
    });
  return {
    text: lines(
      messages.text('adding.choose', { n: skills.length, source: escapeMarkdown(from) }),
      ...skills.slice(0, LISTED).map(one),
      ...(rest > 0 ? [messages.text('adding.more', { n: rest })] : []),
      messages.text('adding.chooseHow', { source: escapeMarkdown(from) }),
    ),
    buttons: skills
      .slice(0, WITH_BUTTONS)
      .map(({ name }) => [{ label: labelOf(words(name)), command: 'skills', args: `add ${from} ${name}` }]),
  };
}

async function sentFile({ gw, taskId }: Invocation, source: string): Promise<string> {
  const { home } = gw;
  if (!/^[^/]+\.(zip|skill)$/i.test(source)) return source;
  const found = openTask(home, taskId).artifacts.find(source);
  return found ? openTask(home, taskId).artifacts.pathOf(found) : source;
}

async function lookForUpdates(context: Invocation, names: string[], adding: SkillAdding): Promise<Reply> {
  const { messages } = context;
  const { offer: found, same, own, failed } = await adding.lookForUpdates(names);
  const list = (of: string[]) => of.map(escapeMarkdown).join(', ');
  const told: Text[] = [
    ...(same.length > 0 ? [messages.text('adding.same', { names: list(same) })] : []),
    // Skills that somebody wrote by hand are mentioned only if they were named.
    ...(own.length > 0 && names.length > 0 ? [messages.text('adding.own', { names: list(own) })] : []),
    ...failed.map(({ name, why }) => messages.text('adding.notUpdated', { name: escapeMarkdown(name), why: why.said })),
  ];
  if (!found) return { text: told.length > 0 ? lines(...told) : messages.text('adding.nothingAdded') };
  const labels = { yes: messages.text('adding.update'), no: messages.text('adding.updateNot') };
  const { text, ...rest } = await offer(context, found, labels);
  return { text: told.length > 0 ? paragraphs(text, lines(...told)) : text, ...rest };
}

/**
 * Shows an offer with the text of each skill, or its changes, as a file: nobody should agree to words they can't see.
 */
async function offer(
  { gw, messages }: Invocation,
  { id, skills }: { id: string; skills: OfferedSkill[] },
  { yes, no }: { yes: Text; no: Text },
): Promise<Reply> {
  const { home } = gw;
  const decides = questionId.skills(id);
  const shown = path.join(home.cache, 'skill-shown');
  sweepTranscripts(shown, SHOWN_MS);
  const folder = path.join(shown, id);
  const files = await Promise.all(skills.map((skill) => shownFile(folder, skill)));
  const asks: ButtonAction[] = [
    { label: yes, command: 'skills', args: `take! ${id}`, decides, means: 'yes' },
    { label: no, command: 'skills', args: `leave! ${id}`, decides, means: 'no' },
  ];
  return {
    text: paragraphs(
      ...skills.map((skill) => offerText(skill, messages, escapeMarkdown)),
      messages.text('adding.trust'),
    ),
    files: files.filter((file) => file !== undefined),
    buttons: [asks],
  };
}

async function shownFile(
  folder: string,
  { about: { name }, text, update }: OfferedSkill,
): Promise<Attachment | undefined> {
  const content = update ? update.changes.patch : fs.readFileSync(text, 'utf8');
  if (content === '') return undefined;
  const called = `${name}.${update ? 'diff' : 'md'}`;
  const file = `${folder}/${called}`;
  await writeFileAtomic(file, content);
  const mimeType = update ? 'text/x-diff' : 'text/markdown';
  return { path: file, name: called, mimeType, size: Buffer.byteLength(content), sha256: hashText(content) };
}
