/** Writes docs/commands.md from the tables of the commands of `viber` and of the chats: npm run commands. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { commandsPage } from '../src/cli/help.ts';
import { MENU_GROUPS } from '../src/messages/menu.ts';
import { LISTED } from './helpers/commands.ts';

const PAGE = join(import.meta.dirname, '..', 'docs/commands.md');

const groups = Object.entries(MENU_GROUPS).map(
  ([group, { entries }]) => `\`${group}\` (${Object.keys(entries).join(', ')})`,
);

const rows = LISTED.map(({ name, description, argument }) => {
  const what = argument ? `${description}. ${argument.description}` : description;
  return `| \`/${name}\` | ${what.replaceAll('|', '\\|')} |`;
});

export const page = (): string =>
  [
    commandsPage(),
    '## In every chat',
    'People type these in a chat. On Slack and Discord they are subcommands of `/viber`, as in `/viber plan`; typed as a message, each works',
    `everywhere. Discord keeps some in groups: ${groups.join(', ')}.`,
    '',
    '| command | what it does, and what may follow it |',
    '|---|---|',
    ...rows,
    '',
  ].join('\n');

if (import.meta.main) writeFileSync(PAGE, page());
