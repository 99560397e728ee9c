/** `viber init`: the home with its templates, and a configuration file to edit. Changes nothing that exists. */
import fs from 'node:fs';
import path from 'node:path';
import { openHome } from '../workspace/home.ts';
import { type CliContext, EXIT } from './command.ts';

const STARTER = `# What is left out has a default; the repository's config.example.yaml explains every key.
# model: anthropic/claude-sonnet-5-5        # without it, the provider key in the environment decides
# channels:
#   telegram:
#     token: "\${TELEGRAM_BOT_TOKEN}"
# people:
#   - { name: me, role: owner, ids: ["telegram:1001"] }
`;

export async function run({ home, json, print }: CliContext): Promise<number> {
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
