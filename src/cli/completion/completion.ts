/** `viber completion SHELL`: prints a script by which that shell completes commands, verbs and options. */
import { type CliContext, type CliServices, EXIT } from '../../runtime/contract/cli.ts';
import { bashScript } from './bash.ts';
import { fishScript } from './fish.ts';
import { offersOf } from './offers.ts';
import { zshScript } from './zsh.ts';

const SCRIPTS = { bash: bashScript, zsh: zshScript, fish: fishScript };

export async function run({ args: [shell], print, messages }: CliContext, { table }: CliServices): Promise<number> {
  const script = SCRIPTS[shell as keyof typeof SCRIPTS];
  print(script(offersOf(table, messages)));
  return EXIT.ok;
}
