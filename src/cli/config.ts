/**
 * `viber config`: shows and changes single settings. A change is checked by the loader before anything is written, and
 * secrets go into `.env`, never into the terminal.
 */
import { text as readAll } from 'node:stream/consumers';
import { writtenSettings } from '../config/change.ts';
import { describeSettings, type SettingInfo } from '../config/describe.ts';
import { envFileOf, namesInEnvFile, setOutside } from '../config/env-file.ts';
import { givenValue } from '../config/given-value.ts';
import type { Data } from '../config/parse.ts';
import { configSchemaWith } from '../config/schema.ts';
import { keepSchemas } from '../config/schema-file.ts';
import { isSecretPath } from '../config/secret-names.ts';
import { platformVariables, secretChange } from '../config/secret-setting.ts';
import { masked } from '../config/secrets.ts';
import { type SettingAt, sectionAt, settingAt, settingsBelow, similarSetting } from '../config/setting-path.ts';
import { oddToken } from '../config/token-forms.ts';
import { valueAt } from '../config/validate.ts';
import { loadConfig } from '../config.ts';
import { ConfigError, type ConfigProblem, problemSaid, problemWith, UserError } from '../errors.ts';
import { isRecord } from '../lib/json.ts';
import { type Messages, say } from '../messages/messages.ts';
import { type CliContext, EXIT } from '../runtime/contract/cli.ts';
import { openScreen } from './setup/screen.ts';
import { type Change, Settings } from './setup/settings.ts';

const REFERENCE = /^\$\{[A-Za-z_][A-Za-z0-9_]*(:-[^}]*)?\}$/;

export async function run(context: CliContext): Promise<number> {
  const [verb, path = '', ...words] = context.args;
  if (verb === 'check') return checkFile(context);
  const settings = new Settings(context);
  const all = describeSettings(await configSchemaWith());
  if (verb === 'get') return showSetting(context, path, all);
  const setting = settingAt(path, all);
  const steps = setting?.path ?? (verb === 'unset' ? sectionAt(path, all) : undefined);
  if (!steps) throw sectionAt(path, all) ? insteadOfSection(path, all) : unknownSetting(path, all);
  const file = await settings.file();
  const change =
    setting && verb !== 'unset' ? await changeFor(setting, words, file, context) : await removal(steps, settings);
  if (!change) return leaveUnset(context, steps.join('.'), file);
  return saveSetting(context, settings, { path: steps, isLive: setting?.info.isLive === true }, change);
}

/**
 * Returns the removal of a setting or section, with those above it that it leaves empty; undefined if neither the file
 * nor `.env` has it.
 */
async function removal(steps: readonly (string | number)[], settings: Settings): Promise<Change | undefined> {
  const written = await writtenSettings(await settings.file());
  let path = steps;
  for (let above = path.slice(0, -1); above.length > 0; above = above.slice(0, -1)) {
    const section = valueAt(written, above.map(String));
    if (!isRecord(section) || Object.keys(section).some((key) => key !== String(path.at(-1)))) break;
    path = above;
  }
  const still = platformVariables(steps).find((name) => setOutside(process.env, settings.home, [name]).length > 0);
  if (still !== undefined) throw new UserError(say('cli.setOutside', { name: still }));
  const change = await settings.removal(steps);
  const isKept = namesInEnvFile(settings.home).some((name) => Object.hasOwn(change.secrets, name));
  if (valueAt(written, steps.map(String)) !== undefined)
    return { ...change, settings: [{ path: [...path], value: undefined }] };
  return isKept ? { ...change, settings: [] } : undefined;
}

function insteadOfSection(path: string, all: readonly SettingInfo[]): UserError {
  return new UserError(say('cli.isSection', { path, example: settingsBelow(path, all)[0]?.shown ?? path }));
}

function unknownSetting(path: string, all: readonly SettingInfo[]): UserError {
  const guess = similarSetting(path, all);
  return new UserError(
    guess === undefined ? say('cli.noSetting', { path }) : say('cli.noSettingMean', { path, guess }),
  );
}

/** Reads a value from the words of the command, or from its input for `-` and for a secret without a word. */
async function changeFor(
  { info, path }: SettingAt,
  words: readonly string[],
  file: string,
  { env, home, messages }: CliContext,
): Promise<Change> {
  const steps = path.map(String);
  const isSecret = isSecretPath(steps);
  const typed = words.join(' ');
  if (typed === '' && !isSecret) throw new UserError(say('cli.noValueGiven', { path: steps.join('.') }));
  const given = typed === '' || typed === '-' ? await readGiven(steps, isSecret, messages) : typed;
  if (given === '') throw new UserError(say('cli.noValueGiven', { path: steps.join('.') }));
  if (!isSecret || REFERENCE.test(given)) {
    const isWords = info.kind === 'list' && words.length > 1;
    const value = isSecret ? given : isWords ? [...words] : await givenValue(given, info);
    return { settings: [{ path, value }], secrets: {} };
  }
  const change = secretChange(steps, given, await writtenSettings(file));
  const [section = '', channel = '', key = ''] = steps;
  const what = section === 'channels' ? oddToken(channel, key, given) : undefined;
  const [variable = ''] = Object.keys(change.secrets);
  if (what)
    throw new ConfigError([problemWith('', say('config.oddRefused', { what, variable, file: envFileOf(home) }))]);
  const [name] = setOutside(process.env, home, Object.keys(change.secrets));
  if (name !== undefined && env[name] !== given) throw new UserError(say('cli.setOutside', { name }));
  return change;
}

/** Reads standard input. A secret typed at a terminal isn't shown. */
async function readGiven(steps: readonly string[], isSecret: boolean, messages: Messages): Promise<string> {
  if (!isSecret || !process.stdin.isTTY) return (await readAll(process.stdin)).replace(/[\r\n]+$/, '');
  const screen = await openScreen(messages);
  return screen.secret(say('setup.secretValue', { variable: steps.join('.') }));
}

async function saveSetting(
  { home, json, print, messages }: CliContext,
  settings: Settings,
  { path, isLive }: { path: readonly (string | number)[]; isLive: boolean },
  wantedChange: Change,
): Promise<number> {
  await settings.with(wantedChange, home);
  const secrets = namesInEnvFile(home).filter((each) => Object.hasOwn(wantedChange.secrets, each));
  await settings.save(wantedChange);
  const file = await settings.file();
  const name = path.join('.');
  const kept = Object.values(wantedChange.secrets).some((value) => value !== undefined);
  const isSet = kept || wantedChange.settings.some(({ value }) => value !== undefined);
  const needsRestart = !isLive;
  if (json) print(JSON.stringify({ path: name, file, isSet, needsRestart }));
  else {
    const where = kept || wantedChange.settings.length === 0 ? envFileOf(home) : file;
    print(messages.text(isSet ? 'cli.settingSaved' : 'cli.settingRemoved', { path: name, file: where }));
    if (!isSet && where === file)
      for (const secret of secrets) print(messages.text('cli.settingRemoved', { path: secret, file: envFileOf(home) }));
    print(messages.text(needsRestart ? 'cli.appliesLater' : 'cli.appliesNow'));
  }
  return EXIT.ok;
}

function leaveUnset({ json, print, messages }: CliContext, path: string, file: string): number {
  if (json) print(JSON.stringify({ path, file, isSet: false, needsRestart: false }));
  else print(messages.text('cli.settingNotSet', { path, file }));
  return EXIT.ok;
}

async function showSetting(
  { json, print, messages, ...context }: CliContext,
  path: string,
  all: readonly SettingInfo[],
): Promise<number> {
  const { home, config: file, env } = context;
  const { config, source } = await loadConfig({ file, home, env });
  const data = source === undefined ? {} : await writtenSettings(source);
  const one = settingAt(path, all);
  if (one) return show(one);
  const below = settingsBelow(path, all);
  if (below.length === 0) throw unknownSetting(path, all);
  const rows = below
    .flatMap(({ path: steps }) => pathsIn(steps, config as unknown as Data))
    .map((steps) => rowOf(steps));
  const shown = path === '' ? rows.filter(({ isSet }) => isSet) : rows.filter(({ value }) => value !== undefined);
  if (json) print(JSON.stringify({ settings: shown }));
  else if (shown.length > 0) for (const { path: name, value } of shown) print(`${name}: ${value}`);
  else if (path !== '') print(messages.text('cli.notSet', { path }));
  else print(messages.text(source === undefined ? 'cli.noConfigFile' : 'cli.noneSet', { file: source ?? '' }));
  return EXIT.ok;

  function rowOf(steps: readonly string[]) {
    const value = valueAt(config as unknown as Data, steps);
    const isSet = (valueAt(data, steps) ?? undefined) !== undefined;
    const isHidden = value !== undefined && isSecretPath(steps);
    return {
      path: steps.join('.'),
      value: isHidden ? messages.text('cli.hidden') : printedValue(masked(value, steps)),
      isSet,
    };
  }

  function show({ path: steps }: SettingAt): number {
    const row = rowOf(steps.map(String));
    if (json) print(JSON.stringify(row));
    else if (row.value === undefined) throw new UserError(say('cli.notSet', { path: row.path }));
    else print(row.value);
    return row.value === undefined ? EXIT.failed : EXIT.ok;
  }
}

const printedValue = (value: unknown): string | undefined =>
  value === undefined || typeof value === 'string' ? value : JSON.stringify(value);

/** Fills the names that people have chosen into the steps of a setting. */
function pathsIn(steps: readonly string[], config: Data): string[][] {
  let found: string[][] = [[]];
  for (const step of steps)
    found = found.flatMap((at) => {
      if (step !== '*') return [[...at, step]];
      const section = valueAt(config, at);
      return typeof section === 'object' && section !== null ? Object.keys(section).map((name) => [...at, name]) : [];
    });
  return found;
}

/** Reads the configuration as a start would, and asks nobody. */
async function checkFile({ json, print, messages, home, config: file, env }: CliContext): Promise<number> {
  const shown = ({ path, message, at, isWarning }: ConfigProblem) => ({
    path,
    message,
    ...at,
    ...(isWarning && { isWarning }),
  });
  try {
    const { source, warnings, problems } = await loadConfig({ file, home, env });
    if (source !== undefined) await keepSchemas(source, home);
    const said = warnings.map((warning) => messages.said(warning));
    if (json)
      print(JSON.stringify({ ok: problems.length === 0, file: source, problems: problems.map(shown), warnings: said }));
    else {
      for (const line of [...problems.map((problem) => messages.said(problemSaid(problem))), ...said]) print(line);
      if (problems.length === 0)
        print(
          source === undefined
            ? messages.text('cli.noConfigFile')
            : messages.text(said.length === 0 ? 'cli.configFine' : 'cli.configWarned', {
                file: source,
                n: said.length,
              }),
        );
    }
    return problems.length === 0 ? EXIT.ok : EXIT.badConfig;
  } catch (error) {
    if (!json || !(error instanceof ConfigError)) throw error;
    print(JSON.stringify({ ok: false, file: error.file, problems: error.problems.map(shown), warnings: [] }));
    return EXIT.badConfig;
  }
}
