/**
 * Loads the packages and paths that the configuration names: channels by `channels.NAME.module`, features by `plugins`.
 * Each is first tried in a worker thread, which can always be terminated. If a plugin throws there, ends the process or
 * never finishes, it is left out: the gateway starts without it, and a problem names the setting.
 */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { findPackageJSON, registerHooks } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import type { z } from 'zod';
import { addKind, isBuiltIn } from '../channels/index.ts';
import type { ChannelKind } from '../channels/kind.ts';
import { type ConfigProblem, errorMessage, problemWith, UserError } from '../errors.ts';
import { isRecord } from '../lib/json.ts';
import { within } from '../lib/within.ts';
import { say, type Wording } from '../messages/messages.ts';

/** A plugin, and the setting that names it. */
export interface NamedPlugin {
  /** `channels.NAME.module` or `plugins.0`. */
  setting: string;
  /** A package, or a path: absolute, or relative to the home. */
  source: string;
  /** The channel's section in the configuration. */
  channel?: string;
}

/** An external feature. Only its name has been checked. */
export interface NamedFeature {
  name: string;
  /** The schema of the configuration section with its name. */
  settings?: z.ZodType;
}

export interface LoadedFeature {
  /** The setting that names it. */
  setting: string;
  feature: NamedFeature;
}

export interface LoadedPlugins {
  features: readonly LoadedFeature[];
  problems: readonly ConfigProblem[];
}

/** A busy machine may take long to read a package. */
const LOAD_MS = 30_000;
const NAME = /^[a-z][a-z0-9-]{0,31}$/;
const OWN = 'openviber-gateway/plugin';
const PLUGIN_API = new URL(import.meta.filename.endsWith('.ts') ? './plugin.ts' : './plugin.js', import.meta.url).href;

/** The worker thread's code. It only tests whether the plugin can be loaded. */
const TRIAL = `
const { parentPort, workerData } = require('node:worker_threads');
const { registerHooks } = require('node:module');
registerHooks({ resolve: (name, context, next) => name === workerData.own ? { url: workerData.api, shortCircuit: true } : next(name, context) });
import(workerData.url).then(() => parentPort.postMessage(''), (error) => parentPort.postMessage(String(error?.message ?? error) || 'it throws'));
`;

/**
 * Gives plugins this program's own modules, wherever they are installed, because errors from a second copy would fail
 * `instanceof`.
 */
const ownParts = (() => {
  let isOn = false;
  return () => {
    if (isOn) return;
    isOn = true;
    registerHooks({
      resolve: (name, context, next) => (name === OWN ? { url: PLUGIN_API, shortCircuit: true } : next(name, context)),
    });
  };
})();

const loaded = new Map<string, Promise<unknown>>();

/** Never rejects. */
export async function loadPlugins(named: readonly NamedPlugin[], home: string): Promise<LoadedPlugins> {
  const features: LoadedFeature[] = [];
  const problems: ConfigProblem[] = [];
  await Promise.all(
    named.map(async ({ setting, source, channel }) => {
      try {
        const plugin = await objectOf(
          await loadModule(locate(source, home)),
          channel === undefined ? 'feature' : 'channel',
        );
        if (channel === undefined) features.push({ setting, feature: featureOf(plugin, features) });
        else addKind(await readChannelKind(plugin, channel));
      } catch (error) {
        const why = error instanceof UserError ? error.said : errorMessage(error);
        problems.push(problemWith(setting, say('plugins.cannotLoad', { source, why })));
      }
    }),
  );
  // Sorted by setting, regardless of the order in which they were loaded.
  return { features, problems: problems.sort((one, other) => (one.path < other.path ? -1 : 1)) };
}

/** Returns the file to import. @throws an error with the reason. */
function locate(source: string, home: string): string {
  const written = source.startsWith('~/') ? path.join(os.homedir(), source.slice(2)) : source;
  if (/^[./]/.test(written)) {
    const at = path.resolve(home, written);
    if (!existsSync(at)) throw new UserError(say('plugins.noFile'));
    return statSync(at).isDirectory() ? entryIn(at) : at;
  }
  for (const base of [path.join(path.resolve(home), 'config.yaml'), import.meta.filename]) {
    const manifest = manifestOf(written, base);
    if (manifest !== undefined) return entryIn(path.dirname(manifest));
  }
  throw new UserError(say('plugins.noPackage'));
}

function manifestOf(name: string, base: string): string | undefined {
  try {
    return findPackageJSON(name, pathToFileURL(base));
  } catch {
    // This throws if there is no such package.
    return undefined;
  }
}

function entryIn(folder: string): string {
  const file = path.join(folder, 'package.json');
  const manifest: unknown = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
  const { exports: exported, main } = isRecord(manifest) ? manifest : {};
  const given = entryOf(isRecord(exported) && '.' in exported ? exported['.'] : exported) ?? main;
  const names = typeof given === 'string' ? [given] : ['index.js', 'index.ts'];
  const entry = names.map((name) => path.join(folder, name)).find((each) => existsSync(each));
  if (entry === undefined) throw new UserError(say('plugins.noEntry', { folder, names: names.join(', ') }));
  return entry;
}

function entryOf(exported: unknown): string | undefined {
  if (typeof exported === 'string' || !isRecord(exported)) return typeof exported === 'string' ? exported : undefined;
  return entryOf(exported.node) ?? entryOf(exported.import) ?? entryOf(exported.default);
}

function loadModule(file: string): Promise<unknown> {
  const url = pathToFileURL(file).href;
  const known = loaded.get(url) ?? loadOnce(url);
  loaded.set(url, known);
  return known;
}

async function loadOnce(url: string): Promise<unknown> {
  await rehearse(url);
  ownParts();
  const late = () => {
    throw new UserError(say('plugins.late', { seconds: LOAD_MS / 1000 }));
  };
  return within<unknown, never>(import(/* @vite-ignore */ url), LOAD_MS, late);
}

/** Rejects with the reason if the plugin must not be loaded here. */
async function rehearse(url: string): Promise<void> {
  const workerData = { url, own: OWN, api: PLUGIN_API };
  const trial = new Worker(TRIAL, { eval: true, workerData, stdout: true, stderr: true });
  const ended = Promise.withResolvers<Wording | string>();
  trial.once('message', (problem: string) => ended.resolve(problem));
  trial.once('error', (error) => ended.resolve(errorMessage(error)));
  trial.once('exit', () => ended.resolve(say('plugins.exits')));
  const problem = await within(ended.promise, LOAD_MS, () => say('plugins.late', { seconds: LOAD_MS / 1000 }));
  await trial.terminate();
  if (problem !== '') throw new UserError(problem);
}

/** Returns the one object that a module exports: its default, or the export named `channel` or `feature`. */
function objectOf(module: unknown, what: 'channel' | 'feature'): Record<string, unknown> {
  const exported = isRecord(module) ? (module.default ?? module[what]) : undefined;
  if (isRecord(exported)) return exported;
  throw new UserError(say('plugins.noExport', { what }));
}

function readPluginName({ name }: Record<string, unknown>): string {
  if (typeof name === 'string' && NAME.test(name)) return name;
  throw new UserError(say('plugins.name'));
}

const KIND_FUNCTIONS = ['commandPrefix', 'settings', 'open'] as const;

/**
 * Returns whether the plugin has the functions of a kind. They are checked one by one, so that missing ones can be
 * named.
 */
const isKind = (plugin: unknown): plugin is ChannelKind =>
  isRecord(plugin) && KIND_FUNCTIONS.every((key) => typeof plugin[key] === 'function');

async function readChannelKind(plugin: Record<string, unknown>, channel: string): Promise<ChannelKind> {
  const name = readPluginName(plugin);
  if (name !== channel) throw new UserError(say('plugins.section', { name }));
  if (isBuiltIn(name)) throw new UserError(say('plugins.builtIn', { name }));
  const { accountPattern, label = name, examples } = plugin;
  if (typeof accountPattern !== 'string' || !isPattern(accountPattern)) throw new UserError(say('plugins.pattern'));
  const example = { account: `${name}:ID`, conversation: `${name}:CHAT`, ...(isRecord(examples) && examples) };
  const kind: unknown = Object.assign(plugin, { label, examples: example });
  if (!isKind(kind)) {
    const missing = KIND_FUNCTIONS.filter((key) => typeof plugin[key] !== 'function');
    throw new UserError(say('plugins.lacks', { what: missing.join(', ') }));
  }
  const late = () => {
    throw new UserError(say('plugins.lateSettings', { seconds: LOAD_MS / 1000 }));
  };
  const schema = await within<unknown, never>(Promise.resolve(kind.settings()), LOAD_MS, late);
  if (!isSchema(schema)) throw new UserError(say('plugins.schema'));
  return Object.assign(kind, { settings: () => schema });
}

const isSchema = (value: unknown): value is z.ZodType =>
  typeof value === 'object' &&
  value !== null &&
  ['safeParse', 'prefault', 'exactOptional'].every((key) => typeof Reflect.get(value, key) === 'function');

function isPattern(source: string): boolean {
  try {
    return new RegExp(source) !== undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}

function featureOf(plugin: Record<string, unknown>, others: readonly LoadedFeature[]): NamedFeature {
  const name = readPluginName(plugin);
  if (others.some(({ feature }) => feature.name === name)) throw new UserError(say('plugins.taken', { name }));
  if (plugin.settings !== undefined && !isSchema(plugin.settings)) throw new UserError(say('plugins.schema'));
  return Object.assign(plugin, { name });
}
