/** The configuration: one file and the environment in, complete settings or every problem at once out. */
import { access } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { defaults } from './config/defaults.ts';
import { hideEnvironment, substitute, tidy, variable } from './config/environment.ts';
import { type Data, parseYaml, readBounded } from './config/parse.ts';
import type { Config } from './config/types.ts';
import { ConfigError, type ConfigProblem, errorCode, errorMessage } from './errors.ts';
import { addSecret } from './log.ts';

export { loadAgent } from './config/agent.ts';
export { isLoopback } from './config/rules.ts';
export type * from './config/types.ts';

const NAMES = ['config.yaml', 'config.json', 'openai.yaml'];
const UNAVAILABLE = [
  { channel: 'discord', variables: ['DISCORD_BOT_TOKEN'] },
  { channel: 'slack', variables: ['SLACK_BOT_TOKEN', 'SLACK_APP_TOKEN', 'SLACK_SIGNING_SECRET'] },
];

export interface LoadedConfig {
  config: Config;
  /** The file it came from, absolute; undefined when there is none. */
  source: string | undefined;
  /** One sentence each, for the log. */
  warnings: string[];
}

/**
 * Reads `file`, or the first of config.yaml, config.json and openai.yaml in `home`, or nothing; the environment fills in tokens
 * that are not there. Secrets are registered with the log on the way.
 * Throws ConfigError with every wrong key at once, and when `file` is given but cannot be read.
 */
export async function loadConfig(options: {
  file?: string | undefined;
  home: string;
  env: NodeJS.ProcessEnv;
}): Promise<LoadedConfig> {
  const { env, home } = options;
  hideEnvironment(env);
  const source = options.file === undefined ? await findFile(home) : resolve(options.file);
  const missing: ConfigProblem[] = [];
  const file = source === undefined ? {} : await parseYaml(await readSource(source), source);
  const data = fillIn(tidy(substitute(file, env, missing)), env);
  const warnings = unavailable(data, env);
  if (Object.keys(data).length === 0) return { config: structuredClone(defaults), source, warnings };
  const [{ configSchema }, { validate }, { brokenRules }] = await Promise.all([
    import('./config/schema.ts'),
    import('./config/validate.ts'),
    import('./config/rules.ts'),
  ]);
  // A section that is left out needs none of its variables.
  const needed = missing.filter(({ path }) => !/^channels\.(discord|slack)\./.test(path));
  const checked = validate<Config>(configSchema, data, [...needed, ...brokenRules(data)]);
  return { config: checked.value, source, warnings: [...warnings, ...checked.warnings] };
}

/** Whether the terminal is a channel of this gateway: `auto` means when there is no chat channel. */
export function terminalEnabled(config: Config): boolean {
  const { telegram, terminal } = config.channels;
  return terminal.enabled === 'auto' ? telegram === undefined : terminal.enabled;
}

async function findFile(home: string): Promise<string | undefined> {
  for (const name of NAMES) {
    const file = resolve(join(home, name));
    try {
      await access(file);
      return file;
    } catch (error) {
      // ENOTDIR: the home itself is not a directory; whoever opens it says so.
      if (errorCode(error) !== 'ENOENT' && errorCode(error) !== 'ENOTDIR') return file;
    }
  }
  return undefined;
}

async function readSource(file: string): Promise<string> {
  try {
    return await readBounded(file);
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    const reasons: Record<string, string> = {
      ENOENT: 'there is no such file',
      ENOTDIR: 'there is no such file',
      EISDIR: 'this is a directory, expected a file',
      EACCES: 'may not be read by this user',
    };
    const reason = reasons[errorCode(error) ?? ''] ?? errorMessage(error);
    throw new ConfigError([{ path: '', message: `${file}: ${reason}` }], { cause: error });
  }
}

/** TELEGRAM_BOT_TOKEN switches Telegram on; what the file says comes first. */
function fillIn(data: { [key: string]: Data }, env: NodeJS.ProcessEnv): { [key: string]: Data } {
  const token = variable(env, 'TELEGRAM_BOT_TOKEN')?.trim();
  const apiRoot = variable(env, 'TELEGRAM_API_ROOT');
  const channels = data.channels ?? {};
  if (!isSection(channels)) return data;
  const telegram = channels.telegram ?? (token === undefined ? undefined : {});
  if (!isSection(telegram)) return data;
  addSecret(token);
  const given = { ...(token === undefined ? {} : { token }), ...(apiRoot === undefined ? {} : { apiRoot }) };
  return { ...data, channels: { ...channels, telegram: { ...given, ...telegram } } };
}

function isSection(data: Data | undefined): data is { [key: string]: Data } {
  return typeof data === 'object' && data !== null && !Array.isArray(data);
}

/** Channels that are asked for and that this version does not have. */
function unavailable(data: { [key: string]: Data }, env: NodeJS.ProcessEnv): string[] {
  const channels = isSection(data.channels) ? data.channels : {};
  return UNAVAILABLE.flatMap(({ channel, variables }) => {
    const asked = channel in channels ? `channels.${channel}` : variables.find((name) => variable(env, name));
    return asked === undefined
      ? []
      : [`${asked}: the channel ${channel} is not available in this version and stays off`];
  });
}
