/** /skills use NAME WORDS: lets a person call a skill by its name, unless its bundle hides it from people. */
import { cutText, plainLine } from '../../../lib/text.ts';
import type { CommandReply, Invocation } from '../../../runtime/commands/command.ts';
import { plainName } from '../../../runtime/conversations/places.ts';
import { skillsOf } from '../open.ts';

/** @param words the skill's name and the task for it, in the person's words */
export async function call(context: Invocation, words: string): Promise<CommandReply> {
  const { gw, viber, taskId, principal, messages } = context;
  if (principal.role === 'guest') return { text: messages.text('skills.membersOnly') };
  const [, typed = '', rest = ''] = /^(\S+)\s*([\s\S]*)$/.exec(words.trim()) ?? [];
  const found = await skillsOf(gw).find(viber, typed);
  if (!found) return { text: messages.text('skills.unknown', { name: plainName(cutText(plainLine(typed), 64)) }) };
  const { name } = found;
  if (!found.forPeople) return { text: messages.text('skills.notByName', { name }) };
  if (!found.isUsable)
    return { text: messages.text('skills.notYet', { name, fixes: found.fixes.map(messages.said).join('; ') }) };
  await context.put(taskId, `Use the skill ${name}${rest === '' ? '.' : `: ${rest}`}`, { skill: name });
  return { text: messages.text('skills.calling', { name }) };
}
