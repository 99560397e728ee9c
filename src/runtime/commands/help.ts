/**
 * /help: lists what people can ask for, by group, as typed on the platform, with buttons for the most common commands.
 */
import type { Principal } from '../../access/principal.ts';
import type { CommandSpec } from '../../channels/channel.ts';
import { lines, type MessageKey, type Messages, type Text, words } from '../../messages/messages.ts';
import type { ButtonAction } from '../contract/buttons.ts';
import { HELP_GROUPS } from '../contract/command.ts';
import type { Gateway } from '../run/gateway.ts';
import type { Command } from './command.ts';

/** Returns a line per group with its commands, as far as the person may use them. */
const groupsFor = (commands: readonly Command[], messages: Messages, { role }: Principal): Text[] =>
  HELP_GROUPS.flatMap((group) => {
    const inGroup = commands.filter(({ help }) => help?.group === group && (help.for !== 'owner' || role === 'owner'));
    const phrases = inGroup.flatMap(({ name, help }) =>
      help ? [`${messages.prefix}${name} ${messages.text(help.does)}`] : [],
    );
    return phrases.length === 0 ? [] : [words(`**${messages.text(`help.${group}`)}**: ${phrases.join(', ')}`)];
  });

/** @param list the commands that people see there */
export const helpFor = (list: (gw: Gateway) => readonly CommandSpec[]): Command => ({
  name: 'help',
  // Telegram sends /start when somebody opens the chat for the first time.
  aliases: ['start'],
  description: 'What I can do',
  action: 'chat',
  async run({ gw, messages, principal }) {
    const { all, byName } = gw.features.commands;
    const rest = list(gw).filter(({ name }) => name !== 'help' && byName.get(name)?.help === undefined);
    const names = messages.list(rest.map(({ name }) => `${messages.prefix}${name}`));
    const button = (key: MessageKey & `help.${string}Button`, command: string): ButtonAction => ({
      label: messages.text(key),
      command,
      args: '',
    });
    return {
      text: lines(
        messages.text('help.about'),
        '',
        ...groupsFor(all, messages, principal).map((group) => words(`- ${group}`)),
        ...(rest.length > 0 ? [words(`- ${messages.text('help.more', { names })}`)] : []),
      ),
      buttons: [
        [button('help.statusButton', 'status'), button('help.planButton', 'plan')],
        [button('help.tasksButton', 'tasks'), button('help.newButton', 'new')],
      ],
    };
  },
});
