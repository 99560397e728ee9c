/** /help: what can be asked for, by group, in the words that can be typed where it is read, and buttons for the most usual. */
import type { Principal } from '../../access/principal.ts';
import type { CommandSpec } from '../../channels/channel.ts';
import { en } from '../../messages/en.ts';
import { lines, type MessageKey, type Messages, type Text, words } from '../../messages/messages.ts';
import type { ButtonAction } from '../contract/buttons.ts';
import type { Gateway } from '../run/gateway.ts';
import type { Command } from './command.ts';

const groupsFor = (messages: Messages, { role }: Principal): Text[] => [
  ...(['help.now', 'help.tasks', 'help.files', 'help.memory'] as const).map((key) => messages.text(key)),
  messages.text('help.routine', { role }),
  messages.text('help.model'),
  messages.text('help.here', { role }),
];

const named = new Set(
  Object.values(en.help).flatMap((text) => [...text.matchAll(/\/([a-z]+)/g)].map(([, name]) => name)),
);

/** @param list the commands that people see there */
export const helpFor = (list: (gw: Gateway) => readonly CommandSpec[]): Command => ({
  name: 'help',
  // Telegram sends /start when somebody opens the chat for the first time.
  aliases: ['start'],
  description: 'What I can do',
  action: 'chat',
  async run({ gw, messages, principal }) {
    const rest = list(gw).filter(({ name }) => name !== 'help' && !named.has(name));
    const names = messages.list(rest.map(({ name }) => `${messages.prefix}${name}`));
    const button = (key: MessageKey & `help.${string}Button`, command: string): ButtonAction => ({
      ...{ label: messages.text(key), command, args: '' },
    });
    return {
      text: lines(
        messages.text('help.about'),
        '',
        ...groupsFor(messages, principal).map((group) => words(`- ${group}`)),
        ...(rest.length > 0 ? [words(`- ${messages.text('help.more', { names })}`)] : []),
      ),
      buttons: [
        [button('help.statusButton', 'status'), button('help.planButton', 'plan')],
        [button('help.tasksButton', 'tasks'), button('help.newButton', 'new')],
      ],
    };
  },
});
