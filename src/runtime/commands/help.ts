/** /help: shows the five commands that help most, and with `all` every one by group, as typed on the platform. */
import type { Principal } from '../../access/principal.ts';
import type { CommandSpec } from '../../channels/channel.ts';
import { lines, type MessageKey, type Messages, type Text, words } from '../../messages/messages.ts';
import type { ButtonAction } from '../contract/buttons.ts';
import { HELP_GROUPS } from '../contract/command.ts';
import type { Gateway } from '../run/gateway.ts';
import type { Command } from './command.ts';

const groupsFor = (commands: readonly Command[], messages: Messages, { role }: Principal): Text[] =>
  HELP_GROUPS.flatMap((group) => {
    const inGroup = commands.filter(({ help }) => help?.group === group && (help.for !== 'owner' || role === 'owner'));
    const phrases = inGroup.flatMap(({ name, help }) =>
      help ? [`${messages.prefix}${name} ${messages.text(help.does)}`] : [],
    );
    return phrases.length === 0 ? [] : [words(`**${messages.text(`help.${group}`)}**: ${phrases.join(', ')}`)];
  });

/** A later one stands in for one that is switched off. */
const FIRST = ['new', 'status', 'stop', 'tasks', 'memory', 'plan'];
const MOST_FIRST = 5;

const firstOf = (byName: ReadonlyMap<string, Command>, messages: Messages): Text[] =>
  FIRST.flatMap((name) => {
    const help = byName.get(name)?.help;
    return help ? [words(`${messages.prefix}${name}: ${messages.text(help.does)}`)] : [];
  }).slice(0, MOST_FIRST);

/** @param list the commands that people see there */
export const helpFor = (list: (gw: Gateway) => readonly CommandSpec[]): Command => ({
  name: 'help',
  // Telegram sends /start when somebody opens the chat for the first time.
  aliases: ['start'],
  description: 'What I can do (/help all for every command)',
  argument: { name: 'all', description: 'all: every command', pattern: '^all$' },
  action: 'chat',
  async run({ gw, messages, principal, args }) {
    const { all, byName } = gw.features.commands;
    const button = (key: MessageKey & `help.${string}Button`, command: string): ButtonAction => ({
      label: messages.text(key),
      command,
      args: '',
    });
    const rest = list(gw).filter(({ name }) => name !== 'help' && byName.get(name)?.help === undefined);
    const names = messages.list(rest.map(({ name }) => `${messages.prefix}${name}`));
    const isAll = args.trim().toLowerCase() === 'all';
    const shown = !isAll
      ? firstOf(byName, messages)
      : [...groupsFor(all, messages, principal), ...(rest.length > 0 ? [messages.text('help.more', { names })] : [])];
    return {
      text: lines(
        messages.text('help.about'),
        '',
        ...shown.map((line) => words(`- ${line}`)),
        ...(!isAll ? (['', messages.text('help.all')] as const) : []),
      ),
      buttons: [
        [button('help.statusButton', 'status'), button('help.planButton', 'plan')],
        [button('help.tasksButton', 'tasks'), button('help.newButton', 'new')],
      ],
    };
  },
});
