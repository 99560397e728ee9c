/**
 * What a skill says it needs. Published bundles say it below `metadata.openclaw` (older names: `clawdbot`, `clawdis`), often as JSON
 * in one line; our own keys stand below `metadata.openviber`.
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
  /** Overrides what the body looks like. */
  kind?: 'tool' | 'instructions';
}

const PUBLISHED = ['openclaw', 'clawdbot', 'clawdis'];
const PLATFORMS: Record<string, string> = { macos: 'darwin', mac: 'darwin', osx: 'darwin', windows: 'win32' };

const BIN = /^[\w.+@-]{1,64}$/;
const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]{0,127}$/;

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

/** Whether the bundle was made for an agent that reads skills as instructions, its code blocks being examples. */
export function isPublished(metadata: Record<string, unknown>): boolean {
  return PUBLISHED.some((key) => Object.hasOwn(metadata, key));
}

/** What is not a list of names is left out: a bundle that says it wrongly still loads. */
export function readRequirements(metadata: Record<string, unknown>): Requirements {
  const published = PUBLISHED.map((key) => metadata[key]).find(isRecord) ?? metadata;
  const sources = [published, metadata.openviber].filter(isRecord);
  const requires = sources.map((source) => source.requires).filter(isRecord);
  const names = (key: string, pattern: RegExp) =>
    unique(requires.flatMap((source) => list(source[key])).filter((name) => pattern.test(name)));
  const declared = list(published.envVars, (item) =>
    isRecord(item) && item.required === true ? item.name : undefined,
  );
  return {
    bins: names('bins', BIN),
    anyBins: names('anyBins', BIN),
    env: unique([...names('env', VARIABLE), ...declared.filter((name) => VARIABLE.test(name))]),
    os: unique(
      sources.flatMap((source) => list(source.os)).map((name) => PLATFORMS[name.toLowerCase()] ?? name.toLowerCase()),
    ),
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

function list(value: unknown, pick: (item: unknown) => unknown = (item) => item): string[] {
  const items = Array.isArray(value) ? value.slice(0, 50) : value === undefined ? [] : [value];
  return items.map(pick).filter((item) => typeof item === 'string');
}

function unique(names: string[]): string[] {
  return [...new Set(names)];
}
