/**
 * `viber init`: runs a wizard on a terminal, or a script with options. Otherwise creates the home with its templates
 * and a configuration file to edit. Never overwrites what a person has written.
 */
import fs from 'node:fs';
import path from 'node:path';
import { channelKinds } from '../channels/index.ts';
import { keepSchemas, SCHEMA_LINE } from '../config/schema-file.ts';
import { viberCommand } from '../lib/invocation.ts';
import { type CliContext, EXIT } from '../runtime/contract/cli.ts';
import { openHome } from '../workspace/home.ts';

const commented = (lines: string, indent: number): string =>
  lines
    .split('\n')
    .map((line) => `#${' '.repeat(indent)}${line}\n`)
    .join('');

const starter = (): string => `${SCHEMA_LINE}
# What is left out has a default; the repository's config.example.yaml explains every key.
# model: anthropic/claude-sonnet-5-5        # without it, the provider key in the environment decides
# channels:
${channelKinds()
  .flatMap(({ name, setup }) => (setup ? [commented(`${name}:`, 3), commented(setup.starter, 5)] : []))
  .join('')}# people:
#   - { name: me, role: owner, ids: [${channelKinds()
  .map(({ examples }) => JSON.stringify(examples.account))
  .join(', ')}] }
`;

export async function run(context: CliContext): Promise<number> {
  const { home, json, print, messages } = context;
  const isTerminal = process.stdin.isTTY === true && process.stdout.isTTY === true;
  const { isScripted, script } = await import('./setup/script.ts');
  const { refuseReadOnly, Settings, writing } = await import('./setup/settings.ts');
  const settings = new Settings(context);
  if (isScripted(context)) return script(context, settings);
  if (isTerminal && !json) {
    refuseReadOnly(await settings.file());
    return (await import('./setup/wizard.ts')).wizard(settings, messages);
  }
  await writing(home, () => openHome(home));
  const file = path.join(home, 'config.yaml');
  const created = !fs.existsSync(file);
  if (created) await writing(file, async () => fs.writeFileSync(file, starter(), { mode: 0o600, flag: 'wx' }));
  await keepSchemas(file, home);
  if (json) print(JSON.stringify({ home, config: file, created }));
  else {
    print(messages.text('cli.homeMade', { home, file }));
    print(messages.text('setup.startWith', { command: viberCommand('start') }));
  }
  return EXIT.ok;
}
