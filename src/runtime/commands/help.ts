/** /help: what can be asked for, by group, in the words that can be typed where it is read, and buttons for the most usual. */
import { en } from '../../messages/en.ts';
import { lines, type MessageKey, words } from '../../messages/messages.ts';
import type { ButtonAction } from '../contract/buttons.ts';
import type { Command } from './command.ts';

const GROUPS = [
  'help.now',
  'help.tasks',
  'help.files',
  'help.memory',
  'help.routine',
  'help.model',
  'help.here',
] as const satisfies MessageKey[];

const named = new Set(
  Object.values(en.help).flatMap((text) => [...text.matchAll(/\/([a-z]+)/g)].map(([, name]) => name)),
);

export const help: Command = {
  name: 'help',
  description: 'What I can do',
  action: 'chat',
  async run({ list, messages }) {
    const rest = list().filter(({ name }) => name !== 'help' && !named.has(name));
    const names = messages.list(rest.map(({ name }) => `${messages.prefix}${name}`));
    const button = (key: MessageKey & `help.${string}Button`, command: string): ButtonAction => ({
      ...{ label: messages.text(key), command, args: '' },
    });
    return {
      text: lines(
        messages.text('help.about'),
        '',
        ...GROUPS.map((key) => words(`- ${messages.text(key)}`)),
        ...(rest.length > 0 ? [words(`- ${messages.text('help.more', { names })}`)] : []),
      ),
      buttons: [
        [button('help.statusButton', 'status'), button('help.planButton', 'plan')],
        [button('help.tasksButton', 'tasks'), button('help.newButton', 'new')],
      ],
    };
  },
};
