/** Reads the configuration file, with the schema's description of each setting. Shows no secret. */
import path from 'node:path';
import { freshUntil } from '../../board/fresh.ts';
import type { SettingProblem, SettingShown, SettingsShown, SettingValue } from '../../client/setup-shapes.ts';
import { describeSettings, type SettingInfo } from '../../config/describe.ts';
import { withEnvFile } from '../../config/env-file.ts';
import { type Data, parseYaml } from '../../config/parse.ts';
import { configSchemaWith } from '../../config/schema.ts';
import { isSecretPath } from '../../config/secret-names.ts';
import { masked } from '../../config/secrets.ts';
import { respell } from '../../config/spelling.ts';
import { valueAt } from '../../config/validate.ts';
import { configOf as configIn } from '../../config.ts';
import { ConfigError } from '../../errors.ts';
import { hashText, readTextSync } from '../../lib/files.ts';
import { viberCommand } from '../../lib/invocation.ts';
import { isRecord } from '../../lib/json.ts';
import { scrub } from '../../log.ts';
import { type Messages, messagesIn } from '../../messages/messages.ts';
import { settingWords } from '../../messages/settings.ts';
import type { BoardAt, Caller } from '../../runtime/contract/board.ts';
import { configOf, type Gateway } from '../gateway.ts';
import { machineCommand, settingLevel } from './rights.ts';

const REFERENCE = /^\$\{([A-Za-z_]\w*)\}$/;

export interface SettingsFile {
  file: string;
  /** '' if there is no file yet. */
  text: string;
  /** The data in the file; `{}` while it can't be read. */
  data: { [key: string]: Data };
}

export async function readSettings({ program }: BoardAt): Promise<SettingsFile> {
  const file = await program.configFile();
  const text = readTextSync(file) ?? '';
  return { file, text, data: await readableData(text, file) };
}

async function readableData(text: string, file: string): Promise<{ [key: string]: Data }> {
  try {
    return text.trim() === '' ? {} : respell(await configSchemaWith(), await parseYaml(text, file)).data;
  } catch (error) {
    if (error instanceof ConfigError) return {};
    throw error;
  }
}

export const environmentOf = (gw: Gateway): NodeJS.ProcessEnv => withEnvFile(process.env, gw.home.root);

/** Returns the settings that this file can have. Those of a channel or a server are included only if it is there. */
export async function knownSettings(
  data: SettingsFile['data'],
  gw: Gateway,
  language?: string,
): Promise<SettingShown[]> {
  const all = describeSettings(await configSchemaWith());
  const { channels } = configOf(gw);
  const wordsFor = await settingWords(language);
  return all.flatMap((info) => {
    const words = wordsFor(info.path);
    return pathsOf(info.path, data, channels).map((at) => ({
      ...shownSetting(info, at, data),
      ...(words && { ...words, label: [...chosenNames(info.path, at), words.label].join(' · ') }),
    }));
  });
}

/** Returns the names on the path to a setting that people have chosen, and the chat platform's. */
const chosenNames = (steps: readonly string[], at: readonly string[]): string[] =>
  at.flatMap((step, index) => {
    if (steps[0] === 'channels' && index === 1) return [step.charAt(0).toUpperCase() + step.slice(1)];
    if (steps[index] !== '*') return [];
    return [/^\d+$/.test(step) ? String(Number(step) + 1) : step];
  });

function pathsOf(steps: readonly string[], data: Data, channels: object): string[][] {
  const [first = '', second = ''] = steps;
  if (first === 'channels' && !(second in channels) && valueAt(data, [first, second]) === undefined) return [];
  let found: string[][] = [[]];
  for (const step of steps)
    found = found.flatMap((at) => {
      if (step !== '*') return [[...at, step]];
      const section = valueAt(data, at);
      return typeof section === 'object' && section !== null ? Object.keys(section).map((name) => [...at, name]) : [];
    });
  return found;
}

function shownSetting(info: SettingInfo, at: string[], data: Data): SettingShown {
  const { shown: _name, path: _path, usual, ...form } = info;
  const value = valueAt(data, at);
  const isSecret = isSecretPath(at);
  const variable = typeof value === 'string' ? REFERENCE.exec(value)?.[1] : undefined;
  const plain = isSecret ? undefined : displayable(masked(value, at));
  const level = settingLevel(at);
  const command = level === 'machine' ? machineCommand(at) : undefined;
  const asUsual = displayable(usual);
  return {
    ...form,
    path: at,
    level,
    isSet: value !== undefined && value !== null,
    ...(asUsual !== undefined && { usual: asUsual }),
    ...(plain !== undefined && { value: plain }),
    ...(isSecret && { isSecret }),
    ...(variable !== undefined && { variable }),
    ...(command !== undefined && { command }),
  };
}

function displayable(value: unknown): SettingValue | undefined {
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value;
  return Array.isArray(value) && value.every((item) => typeof item === 'string' || typeof item === 'number')
    ? value.map(String)
    : undefined;
}

/** Returns the problems in words for an owner. */
export const problemsOf = ({ problems }: ConfigError, messages: Messages): SettingProblem[] =>
  problems.map(({ path: at, message, said }) => ({ path: at, message: scrub(messages.said(said ?? message)) }));

/** Returns the sections of the file that aren't in use yet, and its errors. */
export async function waitingIn(
  { file, text }: SettingsFile,
  gw: Gateway,
  messages: Messages,
): Promise<{ waiting: string[]; problems: SettingProblem[] }> {
  try {
    const { config } = await configIn(text === '' ? undefined : text, file, environmentOf(gw), { home: gw.home.root });
    const used: object = gw.config;
    const keys = Object.keys(config);
    const differs = (key: string) =>
      JSON.stringify(sortedKeys(Reflect.get(config, key))) !== JSON.stringify(sortedKeys(Reflect.get(used, key)));
    return { waiting: keys.filter(differs), problems: [] };
  } catch (error) {
    if (error instanceof ConfigError) return { waiting: [], problems: problemsOf(error, messages) };
    throw error;
  }
}

/** Compares without regard to the order of keys. */
function sortedKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortedKeys);
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((key) => [key, sortedKeys(value[key])]),
  );
}

export async function showSettings(at: BoardAt, caller: Caller, gw: Gateway): Promise<SettingsShown> {
  const written = await readSettings(at);
  const until = freshUntil(caller, Date.now());
  return {
    file: path.basename(written.file),
    hash: hashText(written.text),
    settings: await knownSettings(written.data, gw, caller.language),
    ...(await waitingIn(written, gw, messagesIn(caller.language))),
    canRestart: at.program.restart !== undefined,
    restartCommand: viberCommand('start'),
    ...(until !== undefined && { freshUntil: new Date(until).toISOString() }),
    loginCommand: viberCommand('board'),
  };
}
