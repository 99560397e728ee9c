/**
 * Reads what a skill needs, and how to install that. Published bundles say it in many places: below `metadata.openclaw`
 * (older names: `moltbot`, `clawdbot`, `clawdis`) or `metadata.hermes`, in `metadata` itself, in the front matter; our
 * own keys are below `metadata.openviber`.
 */
import { z } from 'zod';
import { UserError } from '../errors.ts';
import { isRecord, parseJson } from '../lib/json.ts';
import { expects } from '../messages/expects.ts';
import { say } from '../messages/messages.ts';
import { invalidKey } from './invalid-key.ts';

export interface Requirements {
  /** Programs that are all required. */
  bins: string[];
  /** Programs of which one is required. */
  anyBins: string[];
  /** Variables that must be granted. */
  env: string[];
  /** `linux`, `darwin`, `win32`; empty for any. */
  os: string[];
}

export interface OwnSettings {
  /** Its script may reach the network. */
  network: boolean;
  /** Time limit of its script in seconds. */
  timeout?: number;
  /** Overrides what the front matter declares. */
  kind?: 'tool' | 'instructions';
  /** The gateway has code for it; counts for bundled skills alone. */
  code?: boolean;
}

/** The agents a bundle was made for, newest first: the first one present counts. */
const FAMILY = ['openclaw', 'moltbot', 'clawdbot', 'clawdis'];
const PLATFORMS: Record<string, string> = { macos: 'darwin', mac: 'darwin', osx: 'darwin', windows: 'win32' };
const SYSTEMS = ['linux', 'darwin', 'win32'];
const ANY_SYSTEM = ['any', 'all', '*'];

const BIN = /^[\w.+@-]{1,64}$/;
const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]{0,127}$/;
const SYSTEM = /^[a-z0-9*]{1,20}$/;

const own = z.looseObject({
  network: z.boolean(expects('expected.flag')).default(false),
  timeout: z
    .number(expects('expected.seconds'))
    .min(1, expects('skillFiles.shortTimeout'))
    .max(3600, expects('skillFiles.longTimeout'))
    .nullish(),
  kind: z.enum(['tool', 'instructions'], expects('skillFiles.kind')).nullish(),
});

/** Returns the `metadata` of a front matter as an object; a string is parsed as JSON, anything else is ignored. */
export function readMetadata(value: unknown): Record<string, unknown> {
  if (typeof value !== 'string') return isRecord(value) ? value : {};
  const parsed = parseJson(value);
  if (parsed === undefined) throw new UserError(say('skillFiles.metadata'));
  return isRecord(parsed) ? parsed : {};
}

/** Returns the metadata written for one kind of agent. */
export const familyOf = (metadata: Record<string, unknown>): Record<string, unknown> =>
  FAMILY.map((key) => (Object.hasOwn(metadata, key) ? metadata[key] : undefined)).find(isRecord) ?? {};

/** Returns every place where a bundle may say what it needs. */
export function sourcesOf(
  front: ReadonlyMap<string, unknown>,
  metadata: Record<string, unknown>,
): Record<string, unknown>[] {
  return [familyOf(metadata), metadata.hermes, metadata, Object.fromEntries(front), metadata.openviber].filter(
    isRecord,
  );
}

/** Skips anything that isn't a list of names: a bundle with such mistakes still loads. */
export function readRequirements(front: ReadonlyMap<string, unknown>, metadata: Record<string, unknown>): Requirements {
  const sources = sourcesOf(front, metadata);
  const needs = sources.flatMap((source) => [source.requires, source.prerequisites, source]).filter(isRecord);
  const os = [...needs.flatMap((need) => systems(need.os)), ...systems(front.get('platforms')).filter(isSystem)];
  const bins = needs.flatMap((need) => [...stringList(need.bins), ...stringList(need.commands)]);
  const env = needs.flatMap((need) => [
    ...variables(need.env),
    ...variables(need.env_vars),
    ...variables(need.required_environment_variables),
    ...stringList(need.envVars, (item) => (isRecord(item) && item.required === true ? item.name : undefined)),
  ]);
  // The bundle also works without what it names.
  const isAlways = familyOf(metadata).always === true;
  const names = (found: readonly string[], pattern: RegExp) =>
    isAlways ? [] : [...new Set(found.filter((name) => pattern.test(name)))];
  return {
    bins: names(bins, BIN),
    anyBins: names(
      needs.flatMap((need) => stringList(need.anyBins)),
      BIN,
    ),
    env: names(env, VARIABLE),
    os: [...new Set(os)],
  };
}

/** @throws UserError naming the key */
export function readOwnSettings(metadata: Record<string, unknown>): OwnSettings {
  const parsed = own.safeParse(metadata.openviber ?? {});
  if (!parsed.success) throw invalidKey(parsed.error, 'metadata', 'openviber');
  const { network, timeout, kind, code } = parsed.data;
  return { network, ...(timeout ? { timeout } : {}), ...(kind ? { kind } : {}), ...(code === true && { code }) };
}

/** Returns the strings of a list, or of a single value. */
export function stringList(value: unknown, pick: (item: unknown) => unknown = (item) => item): string[] {
  const items = Array.isArray(value) ? value.slice(0, 50) : value === undefined ? [] : [value];
  return items.map(pick).filter((item) => typeof item === 'string');
}

const isSystem = (name: string): boolean => SYSTEMS.includes(name);

/** Returns the names of systems as Node spells them. */
export const systems = (value: unknown): string[] => {
  const named = stringList(value).map((name) => PLATFORMS[name.toLowerCase()] ?? name.toLowerCase());
  return named.some((name) => ANY_SYSTEM.includes(name)) ? [] : named.filter((name) => SYSTEM.test(name));
};

/** Accepts names, objects with a name, or an object keyed by name; optional ones are left out. */
function variables(value: unknown): string[] {
  if (Array.isArray(value) || !isRecord(value))
    return stringList(value, (item) => (isRecord(item) ? (item.required === false ? undefined : item.name) : item));
  return Object.entries(value).flatMap(([name, said]) => (isRecord(said) && said.required === false ? [] : [name]));
}
