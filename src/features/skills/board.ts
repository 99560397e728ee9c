/** The Board's pages of skills. */
import fs from 'node:fs';
import { orNotFound, pageOf, route } from '../../board/route.ts';
import { scrub } from '../../log.ts';
import { type Messages, messagesIn, say } from '../../messages/messages.ts';
import type { BoardAt, BoardRoute } from '../../runtime/contract/board.ts';
import type { Gateway } from '../gateway.ts';
import { skillsOf } from './open.ts';
import type { SkillView } from './service.ts';

const skillForBoard = ({ name, description, isUsable, lacks, fixes, level }: SkillView, messages: Messages) => ({
  name,
  description,
  ready: isUsable,
  place: level,
  missing: isUsable ? [] : [...lacks, ...fixes.map(messages.said)],
});

export const skillRoutes = ({ viberOf }: BoardAt, gw: Gateway): BoardRoute[] => [
  route('GET', '/api/skills', 'owner', async ({ url, caller }) => {
    const { skills } = await skillsOf(gw).list(viberOf(url));
    const messages = messagesIn(caller.language);
    const shown = skills.map((skill) => skillForBoard(skill, messages));
    const { items, next } = pageOf(shown, ({ name }) => name, url);
    return { skills: items, ...(next !== undefined && { next }) };
  }),
  route('GET', '/api/skills/:name', 'owner', async ({ params, url, caller }) => {
    const { skills } = await skillsOf(gw).list(viberOf(url));
    const skill = orNotFound(
      skills.find(({ name }) => name === params.name),
      say('requests.noSkill'),
    );
    return { ...skillForBoard(skill, messagesIn(caller.language)), text: scrub(fs.readFileSync(skill.file, 'utf8')) };
  }),
];
