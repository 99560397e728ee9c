/**
 * What a skill says it needs, and what would install it. Published bundles say it in many places: below `metadata.openclaw` (older names:
 * `moltbot`, `clawdbot`, `clawdis`) or `metadata.hermes`, in `metadata` itself, in the front matter; our own keys stand below `metadata.openviber`.
 */
import { z } from 'zod';
import { UserError } from '../errors.ts';
import { isRecord } from '../lib/json.ts';

export interface Requirements {
  /** Programs that must all be there. */
  bins: string[];
  /** Programs of which one must be there. */
  anyBins: string[];
  /** Variables that must be granted. */
  env: string[];
  /** `linux`, `darwin`, `win32`; empty: any. */
  os: string[];
}

export interface OwnSettings {
  /** Its script may reach the network. */
  network: boolean;
  /** Seconds its script may run. */
  timeout?: number;
  /** Overrides what the front matter declares. */
  kind?: 'tool' | 'instructions';
}

/** What a bundle was made for, newest first: the first one that is there counts. */
const FAMILY = ['openclaw', 'moltbot', 'clawdbot', 'clawdis'];
const PLATFORMS: Record<string, string> = { macos: 'darwin', mac: 'darwin', osx: 'darwin', windows: 'win32' };
const SYSTEMS = ['linux', 'darwin', 'win32'];
const ANY_SYSTEM = ['any', 'all', '*'];

const BIN = /^[\w.+@-]{1,64}$/;
const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]{0,127}$/;
const SYSTEM = /^[a-z0-9*]{1,20}$/;

const own = z.looseObject({
  network: z.boolean('expected true or false').default(false),
  timeout: z.number('expected seconds').min(1, 'at least 1 second').max(3600, 'at most 3,600 seconds').nullish(),
  kind: z.enum(['tool', 'instructions'], 'expected tool or instructions').nullish(),
});

/** The `metadata` of a front matter as an object; a text is taken for JSON, anything else is nothing. */
export function readMetadata(value: unknown): Record<string, unknown> {
  if (typeof value !== 'string') return isRecord(value) ? value : {};
  try {
    const parsed: unknown = JSON.parse(value);
    return isRecord(parsed) ? parsed : {};
  } catch (error) {
    if (error instanceof SyntaxError) throw new UserError('metadata: the text is not JSON', { cause: error });
    throw error;
  }
}

/** What of the metadata was written for one kind of agent. */
export const familyOf = (metadata: Record<string, unknown>): Record<string, unknown> =>
  FAMILY.map((key) => (Object.hasOwn(metadata, key) ? metadata[key] : undefined)).find(isRecord) ?? {};

/** Every place in which a bundle may say what it needs. */
export function sourcesOf(
  front: ReadonlyMap<string, unknown>,
  metadata: Record<string, unknown>,
): Record<string, unknown>[] {
  return [familyOf(metadata), metadata.hermes, metadata, Object.fromEntries(front), metadata.openviber].filter(
    isRecord,
  );
}

/** What is not a list of names is left out: a bundle that says it wrongly still loads. */
export function readRequirements(front: ReadonlyMap<string, unknown>, metadata: Record<string, unknown>): Requirements {
  const sources = sourcesOf(front, metadata);
  const needs = sources.flatMap((source) => [source.requires, source.prerequisites, source]).filter(isRecord);
  const os = [...needs.flatMap((need) => systems(need.os)), ...systems(front.get('platforms')).filter(isSystem)];
  const bins = needs.flatMap((need) => [...list(need.bins), ...list(need.commands)]);
  const env = needs.flatMap((need) => [
    ...variables(need.env),
    ...variables(need.env_vars),
    ...variables(need.required_environment_variables),
    ...list(need.envVars, (item) => (isRecord(item) && item.required === true ? item.name : undefined)),
  ]);
  // Said by a bundle that goes on without what it names.
  const isAlways = familyOf(metadata).always === true;
  const names = (found: readonly string[], pattern: RegExp) =>
    isAlways ? [] : [...new Set(found.filter((name) => pattern.test(name)))];
  return {
    bins: names(bins, BIN),
    anyBins: names(
      needs.flatMap((need) => list(need.anyBins)),
      BIN,
    ),
    env: names(env, VARIABLE),
    os: [...new Set(os)],
  };
}

/** @throws UserError naming the key */
export function readOwnSettings(metadata: Record<string, unknown>): OwnSettings {
  const parsed = own.safeParse(metadata.openviber ?? {});
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new UserError(`${['metadata', 'openviber', ...(issue?.path ?? [])].join('.')}: ${issue?.message}`);
  }
  const { network, timeout, kind } = parsed.data;
  return { network, ...(timeout ? { timeout } : {}), ...(kind ? { kind } : {}) };
}

/** The texts of a list, or of one value alone. */
export function list(value: unknown, pick: (item: unknown) => unknown = (item) => item): string[] {
  const items = Array.isArray(value) ? value.slice(0, 50) : value === undefined ? [] : [value];
  return items.map(pick).filter((item) => typeof item === 'string');
}

const isSystem = (name: string): boolean => SYSTEMS.includes(name);

/** The names of systems as Node has them. */
export const systems = (value: unknown): string[] => {
  const named = list(value).map((name) => PLATFORMS[name.toLowerCase()] ?? name.toLowerCase());
  return named.some((name) => ANY_SYSTEM.includes(name)) ? [] : named.filter((name) => SYSTEM.test(name));
};

/** Names, objects with a name, or an object whose keys are the names; those that may be absent are left out. */
function variables(value: unknown): string[] {
  if (Array.isArray(value) || !isRecord(value))
    return list(value, (item) => (isRecord(item) ? (item.required === false ? undefined : item.name) : item));
  return Object.entries(value).flatMap(([name, said]) => (isRecord(said) && said.required === false ? [] : [name]));
}
