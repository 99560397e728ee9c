/**
 * `viber init`: on a terminal a wizard, by options a script; without either the home with its templates, and a configuration file
 * to edit. What a person has written stays.
 */
import fs from 'node:fs';
import path from 'node:path';
import { openHome } from '../workspace/home.ts';
import { type CliContext, EXIT } from './command.ts';

const STARTER = `# What is left out has a default; the repository's config.example.yaml explains every key.
# model: anthropic/claude-sonnet-5-5        # without it, the provider key in the environment decides
# channels:
#   telegram:
#     token: "\${TELEGRAM_BOT_TOKEN}"
#   discord:
#     token: "\${DISCORD_BOT_TOKEN}"
#     guilds: [175928847299117063]
#   slack:
#     botToken: "\${SLACK_BOT_TOKEN}"
#     appToken: "\${SLACK_APP_TOKEN}"
#     access: { chats: [C024BE91L] }
# people:
#   - { name: me, role: owner, ids: ["telegram:1001", "discord:2002", "slack:T01:U03"] }
`;

export async function run(context: CliContext): Promise<number> {
  const { home, json, print } = context;
  const isTerminal = process.stdin.isTTY === true && process.stdout.isTTY === true;
  const { isScripted, script } = await import('./setup/script.ts');
  const { Settings } = await import('./setup/settings.ts');
  if (isScripted(context)) return script(context, new Settings(context));
  if (isTerminal && !json) return (await import('./setup/wizard.ts')).wizard(new Settings(context));
  await openHome(home);
  const file = path.join(home, 'config.yaml');
  const created = !fs.existsSync(file);
  if (created) fs.writeFileSync(file, STARTER, { mode: 0o600, flag: 'wx' });
  print(
    json
      ? JSON.stringify({ home, config: file, created })
      : `The home is ${home}; ${created ? 'edit' : 'kept'} ${file}.`,
  );
  return EXIT.ok;
}
