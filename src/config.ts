/** The configuration: reads one file and the environment, and returns complete settings or every problem at once. */
import { lstat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { addChannels } from './config/channel-variables.ts';
import { hideEnvironment, substitute, tidy } from './config/environment.ts';
import { type Data, type ParsedYaml, parseYamlLines, readBounded } from './config/parse.ts';
import { withPlugins } from './config/plugins.ts';
import { brokenRules, oddSettings } from './config/rules.ts';
import type { Config, Section } from './config/schema.ts';
import { oldSpellings, respell } from './config/spelling.ts';
import { validate } from './config/validate.ts';
import { unknownVibers } from './config/vibers.ts';
import { ConfigError, type ConfigProblem, errorCode, errorMessage, problemSaid, problemWith } from './errors.ts';
import { isRecord } from './lib/json.ts';
import { say, type Wording } from './messages/messages.ts';
import type { LoadedFeature } from './plugin/load.ts';

export type { AccessConfig, ChatChannelConfig } from './channels/kind.ts';
export { joinWarnings, loadAgent } from './config/agent.ts';
export { isLoopback } from './config/rules.ts';
export type { AgentConfig, Config } from './config/schema.ts';
export type { EngineConfig, EngineRole } from './config/sections/engine.ts';
export type { TelemetryConfig } from './config/sections/outside.ts';
export type { VoiceConfig } from './config/sections/voice.ts';
export { accessRulesOf, configuredViber } from './config/vibers.ts';

const NAMES = ['config.yaml', 'config.json', 'openai.yaml'];

export interface LoadedConfig {
  config: Config;
  /** The absolute path of its file; undefined if there is none. */
  source: string | undefined;
  /** One sentence each, for the log. */
  warnings: Wording[];
  /** `http.port` was set explicitly, so no other port may be used. */
  isPortChosen: boolean;
  /** Plugins that failed to load, each with the setting that names it. */
  problems: readonly ConfigProblem[];
  /** Plugins that add more than a channel. */
  features: readonly LoadedFeature[];
}

/**
 * Reads `file`, or the first of config.yaml, config.json and openai.yaml in `home`, if any; missing tokens come from
 * the environment. Registers secrets with the log.
 * @throws {ConfigError} with every wrong key at once, or if `file` is given but can't be read
 */
export async function loadConfig(options: {
  file?: string | undefined;
  home: string;
  env: NodeJS.ProcessEnv;
  sections?: readonly Section[];
}): Promise<LoadedConfig> {
  const { env, home, sections } = options;
  const source = options.file === undefined ? await findFile(home) : resolve(options.file);
  try {
    return await configOf(source === undefined ? undefined : await readSource(source), source, env, { home, sections });
  } catch (error) {
    if (error instanceof ConfigError) error.file = source;
    throw error;
  }
}

/** Returns the file to write settings to: `file`, or the one in use in the home. */
export async function configFileOf(home: string, file?: string): Promise<string> {
  return file === undefined ? ((await findFile(home)) ?? resolve(join(home, 'config.yaml'))) : resolve(file);
}

/**
 * Returns the settings from a file's text and the environment.
 * @param options.home also checks that the vibers exist
 * @param options.sections sections of features that are known only at startup
 * @throws {ConfigError} as `loadConfig` does
 */
export async function configOf(
  text: string | undefined,
  source: string | undefined,
  env: NodeJS.ProcessEnv,
  { home, sections = [] }: { home?: string; sections?: readonly Section[] | undefined } = {},
): Promise<LoadedConfig> {
  hideEnvironment(env);
  const written = text === undefined ? undefined : await parseYamlLines(text, source ?? '');
  const placed = (found: readonly ConfigProblem[]) => found.map((problem) => withPlace(problem, written));
  try {
    // JSON names its schema for editors by a key.
    const { $schema: _forEditors, ...settings } = written?.data ?? {};
    return await configFrom(settings, { source, env, home, sections, placed });
  } catch (error) {
    if (error instanceof ConfigError) throw new ConfigError(placed(error.problems), { cause: error });
    throw error;
  }
}

const withPlace = (problem: ConfigProblem, written: ParsedYaml | undefined): ConfigProblem => {
  const at = written?.placeOf(problem.path);
  return at ? { ...problem, at } : problem;
};

interface Reading {
  source: string | undefined;
  env: NodeJS.ProcessEnv;
  home: string | undefined;
  sections: readonly Section[];
  placed: (found: readonly ConfigProblem[]) => ConfigProblem[];
}

async function configFrom(
  file: { [key: string]: Data },
  { source, env, home, sections, placed }: Reading,
): Promise<LoadedConfig> {
  const missing: ConfigProblem[] = [];
  const plain = tidy(substitute(file, env, missing));
  const { data: plugged, features, problems } = await withPlugins(plain, home ?? dirname(resolve(source ?? '')));
  const { configSchema, configSchemaWith } = await import('./config/schema.ts');
  const theirs = features.flatMap(({ feature: { name, settings } }) =>
    settings && !Object.hasOwn(configSchema.shape, name) ? [{ name, settings }] : [],
  );
  const schema = await configSchemaWith([...sections, ...theirs]);
  const { data: own, old } = respell(schema, plugged);
  const { data, warnings } = addChannels(own, env);
  const broken = [...missing, ...(await brokenRules(data)), ...(home === undefined ? [] : unknownVibers(data, home))];
  const { value: config, warnings: unknown } = validatedAfter(problems, () => validate(schema, data, broken));
  const isPortChosen = isRecord(data.http) && data.http.port !== undefined;
  return {
    config,
    source,
    warnings: [...warnings, ...oldSpellings(old), ...placed(unknown).map(problemSaid), ...oddSettings(config, env)],
    isPortChosen,
    problems: placed(problems),
    features,
  };
}

/** Puts the problems of plugins first where the rest is refused: without its channel, a person's ID isn't understood. */
function validatedAfter<T>(problems: readonly ConfigProblem[], check: () => T): T {
  try {
    return check();
  } catch (error) {
    if (!(error instanceof ConfigError) || problems.length === 0) throw error;
    throw new ConfigError([...problems, ...error.problems], { cause: error });
  }
}

/** Returns whether the terminal is a channel of this gateway; `auto` makes it one if there is no chat channel. */
export function terminalEnabled(config: Config): boolean {
  const { terminal, ...chats } = config.channels;
  return terminal.enabled === 'auto' ? Object.keys(chats).length === 0 : terminal.enabled;
}

async function findFile(home: string): Promise<string | undefined> {
  for (const name of NAMES) {
    const file = resolve(join(home, name));
    try {
      // A dangling link was put there deliberately, so it isn't skipped.
      const found = await lstat(file);
      // Reading a pipe in the home would wait for its writer.
      if (!found.isFIFO()) return file;
    } catch (error) {
      // ENOTDIR: the home itself isn't a directory; opening it reports that.
      if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ENOTDIR') continue;
      return file;
    }
    throw new ConfigError([problemWith('', say('config.pipe', { file }))]);
  }
  return undefined;
}

async function readSource(file: string): Promise<string> {
  try {
    return await readBounded(file);
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    const reasons: Record<string, Wording> = {
      ENOENT: say('config.noFile', { file }),
      ENOTDIR: say('config.noFile', { file }),
      EISDIR: say('config.directory', { file }),
      EACCES: say('config.forbidden', { file }),
    };
    const reason = reasons[errorCode(error) ?? ''];
    const problem = reason ? problemWith('', reason) : { path: '', message: `${file}: ${errorMessage(error)}` };
    throw new ConfigError([problem], { cause: error });
  }
}
