/**
 * Spells the commands that sentences name, the way a person runs this program: `viber pair list`, or `./viber pair
 * list` in a checkout. No sentence spells a command itself.
 */
import fs from 'node:fs';
import path from 'node:path';

export interface Invocation {
  /** This process's arguments, which select its home and configuration. */
  argv: readonly string[];
  env: NodeJS.ProcessEnv;
}

const HERE: Invocation = { argv: process.argv, env: process.env };

/** Returns a command line that runs `words` on the same home and configuration as this process. */
export function viberCommand(words: string, { argv, env }: Invocation = HERE): string {
  if (env.OPENVIBER_COMMAND?.trim()) return commandForAnyone(words, { argv, env });
  const home = optionOf(argv, '--home') ?? env.OPENVIBER_HOME;
  const config = optionOf(argv, '--config');
  const where = [
    ...(home ? ['--home', quotePath(home, env)] : []),
    ...(config === undefined ? [] : ['--config', quotePath(config, env)]),
  ];
  return [commandForAnyone(words, { argv, env }), ...where].join(' ');
}

/** Returns the command without its home and configuration, for readers who aren't to see this machine's folders. */
export const commandForAnyone = (words: string, at: Invocation = HERE): string => `${programOf(at)} ${words}`;

export function programOf({ argv: [, main = ''], env }: Invocation = HERE): string {
  // A packager, for example of a container, knows best how to run it.
  const given = env.OPENVIBER_COMMAND?.trim();
  if (given) return given;
  if (path.basename(main) === 'viber') return 'viber';
  const file = fs.existsSync(main) ? fs.realpathSync(main) : main;
  if (file.includes('/_npx/')) return 'npx openviber-gateway';
  const root = path.resolve(path.dirname(file), '..');
  const isCheckout = /^main\.(ts|js)$/.test(path.basename(file)) && fs.existsSync(path.join(root, 'src', 'main.ts'));
  return isCheckout && !file.includes('/node_modules/') ? './viber' : 'viber';
}

function optionOf(argv: readonly string[], name: string): string | undefined {
  const at = argv.indexOf(name);
  if (at >= 0) return argv[at + 1];
  return argv.find((each) => each.startsWith(`${name}=`))?.slice(name.length + 1);
}

/** Quotes an absolute path for a shell, with the user's home folder as `~`. */
function quotePath(file: string, env: NodeJS.ProcessEnv): string {
  const full = path.resolve(file.replace(/^~(?=\/|$)/, env.HOME ?? '~'));
  const own = env.HOME !== undefined && full.startsWith(`${env.HOME}/`) ? `~${full.slice(env.HOME.length)}` : full;
  return /^[\w./~-]+$/.test(own) ? own : `'${full.replaceAll("'", `'\\''`)}'`;
}
