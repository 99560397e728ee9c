/** /use: shows which viber answers here, or picks another, before this replies. */
import { cutText, plainLine } from '../../../lib/text.ts';
import { labelOf, lines, type Messages, type Text, words } from '../../../messages/messages.ts';
import { choosable, mayChoose, type Standing, type ViberRules } from '../../conversations/conversations.ts';
import { escapeMarkdown, plainName } from '../../conversations/places.ts';
import type { Command, CommandReply, Invocation } from '../command.ts';

const MAX_LISTED = 30;
const MAX_BUTTONS = 8;
const MAX_ABOUT = 160;

export const use: Command = {
  name: 'use',
  help: { group: 'here', does: 'does.use' },
  description: 'Who answers here (/use NAME for another viber)',
  argument: { name: 'viber', description: 'Its name', suggests: true, pattern: '^\\S+$' },
  action: 'look',
  binds: true,
  async run(context) {
    const { gw, viber, args, messages } = context;
    const wanted = args.trim().toLowerCase();
    if (wanted === '') return replyWithVibers(context);
    if (!mayChoose(standingOf(context), wanted, gw.places.vibers))
      return refuseViber(context, gw.places.vibers, wanted);
    const name = escapeMarkdown(viber);
    const { task } = context;
    return {
      text: task ? messages.text('vibers.goesOn', { name, title: task.title }) : messages.text('vibers.now', { name }),
    };
  },
};

const standingOf = ({ principal, address, isDirect }: Invocation): Standing => ({ principal, address, isDirect });

async function replyWithVibers(context: Invocation): Promise<CommandReply> {
  const { gw, viber, messages } = context;
  const others = choosable(standingOf(context), gw.places.vibers).filter((id) => id !== viber);
  const head = messages.text('vibers.here', { name: escapeMarkdown(viber) });
  if (others.length === 0) return { text: head };
  const rows = await Promise.all(others.slice(0, MAX_LISTED).map((id) => viberLine(id, context)));
  return { text: lines(head, '', messages.text('vibers.others'), ...rows), buttons: buttonsFor(others, messages) };
}

async function viberLine(id: string, { gw }: Invocation): Promise<Text> {
  const about = cutText(plainLine((await gw.places.vibers.about(id)) ?? ''), MAX_ABOUT);
  return words(about === '' ? `- **${escapeMarkdown(id)}**` : `- **${escapeMarkdown(id)}**: ${escapeMarkdown(about)}`);
}

const buttonsFor = (ids: readonly string[], messages: Messages) =>
  ids
    .slice(0, MAX_BUTTONS)
    .map((id) => [{ label: labelOf(messages.text('vibers.use', { name: id })), command: 'use', args: id }]);

function refuseViber(context: Invocation, vibers: ViberRules, wanted: string): CommandReply {
  const { messages, principal } = context;
  if (principal.role === 'guest') return { text: messages.text('commands.membersOnly') };
  const name = plainName(wanted);
  if (vibers.has(wanted)) return { text: messages.text('vibers.notYours', { name }) };
  const all = choosable(standingOf(context), vibers);
  const names = messages.list(all.slice(0, MAX_LISTED));
  const others = all.filter((id) => id !== context.viber);
  return { text: messages.text('vibers.noSuch', { name, names }), buttons: buttonsFor(others, messages) };
}
