/** Adds skills from elsewhere on the Board: fetches a skill, keeps every byte, and adds it once a person agrees. */
import fs from 'node:fs';
import { z } from 'zod';
import { principalText } from '../../access/principal.ts';
import { requireFresh } from '../../board/fresh.ts';
import { readBody, wrongField } from '../../board/respond.ts';
import { route } from '../../board/route.ts';
import { viberCommand } from '../../lib/invocation.ts';
import { scrub } from '../../log.ts';
import { type Messages, messagesIn, say } from '../../messages/messages.ts';
import type { BoardRoute } from '../../runtime/contract/board.ts';
import type { OfferedSkill } from '../../skills/add/add.ts';
import type { Gateway } from '../gateway.ts';
import { offerText } from './command/words.ts';
import { skillsOf } from './open.ts';

const MAX_SHOWN = 100_000;
const lookBody = z.strictObject({
  source: z.string().min(1).max(500),
  names: z.array(z.string().max(64)).max(50).optional(),
});
const verdictBody = z.strictObject({ verdict: z.enum(['take', 'leave']) });
/** Control characters and direction marks could hide what a person agrees to. */
const plain = (text: string): string => text.replace(/(?!\n)[\p{Cc}\p{Cf}]/gu, '\u{fffd}');

export const addingRoutes = (gw: Gateway): BoardRoute[] => [
  route('POST', '/api/setup/skills/look', 'owner', async (asked) => {
    requireFresh(asked.caller);
    const { source, names = [] } = await readBody(asked, lookBody);
    // A folder of the machine is named on the machine.
    if (/^\s*([./~\\]|file:)/i.test(source))
      throw wrongField('source', say('boardSetup.noFolder', { command: viberCommand('skills add') }));
    const looked = await (await skillsOf(gw).adding()).look(source, names, gw.home.cache);
    if (looked.kind === 'choose')
      return { choose: looked.skills.map(({ name, description }) => ({ name, description: plain(description) })) };
    return { offer: shownOffer(looked, messagesIn(asked.caller.language)) };
  }),
  route('POST', '/api/setup/skills/updates', 'owner', async ({ caller }) => {
    requireFresh(caller);
    const messages = messagesIn(caller.language);
    const { offer, same, failed } = await (await skillsOf(gw).adding()).lookForUpdates([]);
    return {
      same,
      failed: failed.map(({ name, why }) => ({ name, why: scrub(messages.said(why.said)) })),
      ...(offer && { offer: shownOffer(offer, messages) }),
    };
  }),
  route('POST', '/api/setup/skills/offers/:offer', 'owner', async (asked) => {
    requireFresh(asked.caller);
    const { verdict } = await readBody(asked, verdictBody);
    const { offer = '' } = asked.params;
    const adding = await skillsOf(gw).adding();
    if (verdict === 'leave') return { dropped: adding.drop(offer) };
    return { added: await adding.take(offer, principalText(asked.caller.principal)) };
  }),
  route('DELETE', '/api/setup/skills/:skill', 'owner', async ({ caller, params }) => {
    requireFresh(caller);
    const { skill = '' } = params;
    const adding = await skillsOf(gw).adding();
    await adding.lookBeforeRemoval(skill);
    return { kept: await adding.remove(skill) };
  }),
];

function shownOffer({ id, skills }: { id: string; skills: readonly OfferedSkill[] }, messages: Messages): object {
  return {
    id,
    skills: skills.map((skill) => ({
      name: skill.about.name,
      isUpdate: skill.update !== undefined,
      about: String(offerText(skill, messages, plain)),
      text: plain(skill.update?.changes.patch ?? fs.readFileSync(skill.text, 'utf8')).slice(0, MAX_SHOWN),
    })),
    trust: String(messages.text('adding.trust')),
  };
}
