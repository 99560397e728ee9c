/**
 * /skills: lists what the viber can use, and what the rest lacks, with the fix. Only owners see problems of files and
 * servers.
 */
import { lines, type Messages, say, type Text, type Wording, words } from '../../../messages/messages.ts';
import { type Command, mayUse } from '../../../runtime/commands/command.ts';
import { clipLine } from '../../../runtime/context/turn.ts';
import type { ServerHealth } from '../../../runtime/contract/feature.ts';
import { escapeMarkdown } from '../../../runtime/conversations/places.ts';
import { skillsOf } from '../open.ts';
import type { SkillView } from '../service.ts';
import { call } from './call.ts';
import { changes, replyToChange } from './change.ts';

const LISTED = 60;
const MAX_WORDS = 120;
const MAX_REASON = 300;

const firstSentence = (description: string): string =>
  escapeMarkdown(clipLine(description.split(/(?<=[.!?])\s/, 1)[0] ?? '', MAX_WORDS)).replace(/\.$/, '');

function stateInChat(skill: SkillView, messages: Messages): Wording {
  const { isUsable, lacks } = skill;
  const about = { fixes: skill.fixes.map(messages.said).join('; ') };
  if (!isUsable)
    return lacks.length > 0 ? say('skills.lacks', { what: lacks.join(', '), ...about }) : say('skills.missing', about);
  const state = canBe(skill);
  return skill.fixes.length > 0 ? say('skills.but', { state, ...about }) : state;
}

export function canBe({ kind, runs }: Pick<SkillView, 'kind' | 'runs'>): Wording {
  return say(kind === 'tool' ? 'skills.run' : runs ? 'skills.readAndRun' : 'skills.read');
}

function skillLine(skill: SkillView, messages: Messages): Text {
  const { name, description, forModel, forPeople, isUsable } = skill;
  const is = stateInChat(skill, messages);
  const isCalled = isUsable && forPeople && !forModel;
  const state = escapeMarkdown(messages.said(isCalled ? say('skills.ownWay', { state: is, name }) : is));
  return messages.text('skills.skill', { name: escapeMarkdown(name), what: firstSentence(description), state });
}

function serverLine({ name, state: is, tools, problem }: ServerHealth, isOwner: boolean, messages: Messages): Text {
  const state = is === 'connected' ? say('skills.connected', { n: tools }) : say(`skills.${is}`);
  const about = { name: escapeMarkdown(name), state };
  if (problem === undefined || !isOwner) return messages.text('skills.server', about);
  return messages.text('skills.serverWhy', { ...about, why: escapeMarkdown(clipLine(problem, MAX_REASON)) });
}

export const skills: Command = {
  name: 'skills',
  help: { group: 'model', does: 'does.skills' },
  description: 'What I can use (/skills use|add|update|remove)',
  argument: {
    name: 'action',
    description: 'use NAME ..., add SOURCE, update or remove NAME, prompts',
    suggests: false,
    pattern: '^(use|add|update|remove|prompts|take!|leave!|remove!)(\\s+\\S[\\s\\S]{0,2500})?$',
  },
  action: 'look',
  async run(context) {
    const [, verb = '', after = ''] = /^\s*(\S*)\s*([\s\S]*)$/.exec(context.args) ?? [];
    const prompts = verb.toLowerCase() === 'prompts' && context.gw.features.commands.byName.get('prompts');
    if (prompts) return prompts.run({ ...context, args: after });
    if (changes(verb.toLowerCase())) return replyToChange(context, verb.toLowerCase(), after);
    const { gw, viber, task, messages, principal } = context;
    const { home } = gw;
    if (verb.toLowerCase() === 'use' && after.trim() !== '') return call(context, after);
    if (verb !== '' && verb.toLowerCase() !== 'use') return call(context, context.args);
    const list = await skillsOf(gw).list(viber);
    const rest = list.skills.length - LISTED;
    const more = rest > 0 ? [messages.text('skills.more', { n: rest })] : [];
    const isOwner = mayUse(principal, 'administer', task);
    const health = await Promise.all(gw.features.on.map((feature) => feature.servers?.(gw) ?? []));
    const servers = health.flat().map((server) => serverLine(server, isOwner, messages));
    const listed = [...list.skills.slice(0, LISTED).map((skill) => skillLine(skill, messages)), ...servers, ...more];
    const shown = (file: string) => (file.startsWith(`${home.root}/`) ? file.slice(home.root.length + 1) : file);
    const about = (file: string, ...reasons: readonly Wording[]) => {
      const why = clipLine(reasons.map(messages.said).join('; '), MAX_REASON);
      return words(`- ${escapeMarkdown(shown(file))}: ${escapeMarkdown(why)}`);
    };
    const broken = isOwner ? list.problems.slice(0, LISTED).map(({ file, reason }) => about(file, reason)) : [];
    const warned = isOwner ? list.skills.filter(({ warnings }) => warnings.length > 0).slice(0, LISTED) : [];
    const odd = warned.map(({ file, warnings }) => about(file, ...warnings));
    return {
      text: lines(
        ...(listed.length > 0
          ? ([messages.text('skills.all'), '', ...listed] as const)
          : [messages.text('skills.none')]),
        ...(broken.length > 0 ? (['', messages.text('skills.broken'), ...broken] as const) : []),
        ...(odd.length > 0 ? (['', messages.text('skills.odd'), ...odd] as const) : []),
      ),
    };
  },
};
