/** /skills: what the viber can use, and what is missing for the rest, with the fix. What is wrong with files and servers is for owners alone. */
import { oneLine } from '../context/turn.ts';
import { escaped as plain } from '../conversations/places.ts';
import type { SkillList, SkillView } from '../tools/skills/service.ts';
import type { Command } from './command.ts';

const LISTED = 60;
const MAX_WORDS = 120;
const MAX_REASON = 300;

/** Up to the first full stop that ends a sentence. */
const what = (description: string): string =>
  plain(oneLine(description.split(/(?<=[.!?])\s/, 1)[0] ?? '', MAX_WORDS)).replace(/\.$/, '');

function skillLine({ name, description, isUsable, fixes }: SkillView): string {
  const state = isUsable && fixes.length === 0 ? 'ok' : `${isUsable ? 'ok, but' : 'missing:'} ${fixes.join('; ')}`;
  return `- **${plain(name)}**: ${what(description)} (${plain(state)})`;
}

function serverLine({ name, state, tools, problem }: SkillList['servers'][number], isOwner: boolean): string {
  const words = {
    idle: 'not used yet',
    connecting: 'being connected',
    connected: `ok, ${tools} tools`,
    failed: 'away',
  };
  const why = problem === undefined || !isOwner ? '' : `: ${plain(oneLine(problem, MAX_REASON))}`;
  return `- **${plain(name)}** (server of tools): ${words[state]}${why}`;
}

export const skills: Command = {
  name: 'skills',
  description: 'What I can use, and what is missing',
  action: 'look',
  async run({ viber, home, task, skills: service, mayUse }) {
    if (!service) return { text: 'There are no skills here.' };
    const list = await service.list(viber);
    const more = list.skills.length > LISTED ? [`and ${list.skills.length - LISTED} more`] : [];
    const isOwner = mayUse('administer', task);
    const servers = list.servers.map((server) => serverLine(server, isOwner));
    const lines = [...list.skills.slice(0, LISTED).map(skillLine), ...servers, ...more];
    const shown = (file: string) => (file.startsWith(`${home.root}/`) ? file.slice(home.root.length + 1) : file);
    const broken = isOwner
      ? list.problems
          .slice(0, LISTED)
          .map(({ file, reason }) => `- ${plain(shown(file))}: ${plain(oneLine(reason, MAX_REASON))}`)
      : [];
    const text = [
      lines.join('\n') || 'There are no skills.',
      broken.length > 0 ? `Not loaded:\n${broken.join('\n')}` : '',
    ];
    return { text: text.filter(Boolean).join('\n\n') };
  },
};
