/**
 * Applies a changed configuration to the one in use. Settings whose readers look again each time are replaced in place,
 * as are the lists and sections that their readers hold; all others wait for a restart.
 */
import { isDeepStrictEqual } from 'node:util';
import { isRecord } from '../lib/json.ts';
import { describeSettings } from './describe.ts';
import { type Config, configSchemaWith } from './schema.ts';

export interface LiveChanges {
  /** Paths of settings that are in use now. */
  applied: string[];
  /** Paths of those that need a restart. */
  waiting: string[];
}

type Values = Record<string, unknown>;

/** Changes `used` in place. A section that comes or goes, such as a channel, waits as a whole. */
export async function applyLive(used: Config, next: Config): Promise<LiveChanges> {
  const found: LiveChanges = { applied: [], waiting: [] };
  for (const [path, isLive] of await unitsOf([used, next])) {
    const steps = path.split(SEPARATOR);
    const [before, after] = [valueUnder(used, steps), valueUnder(next, steps)];
    if (isDeepStrictEqual(before, after)) continue;
    const isThere = isRecord(valueUnder(next, steps.slice(0, -1)));
    const isApplied = isLive && isThere && replaceAt(used, steps, after);
    (isApplied ? found.applied : found.waiting).push(steps.join('.'));
  }
  return found;
}

const SEPARATOR = '\0';

/** Returns what is replaced at once, with whether that may be: a single setting, or an entry that people have named. */
async function unitsOf(all: readonly object[]): Promise<Map<string, boolean>> {
  const units = new Map<string, boolean>();
  for (const { path, isLive = false } of describeSettings(await configSchemaWith())) {
    const star = path.indexOf('*');
    const [above, unit] = star < 0 ? [path, [path]] : [path.slice(0, star), [] as string[][]];
    if (star >= 0)
      for (const config of all)
        for (const name of Object.keys(Object(valueUnder(config, above)))) unit.push([...above, name]);
    for (const steps of unit) {
      const key = steps.join(SEPARATOR);
      units.set(key, (units.get(key) ?? true) && isLive);
    }
  }
  return units;
}

const valueUnder = (config: object, steps: readonly string[]): unknown =>
  steps.reduce<unknown>(
    (at, step) => (typeof at === 'object' && at !== null ? Reflect.get(at, step) : undefined),
    config,
  );

/** Returns false if the section is missing. */
function replaceAt(used: object, steps: readonly string[], value: unknown): boolean {
  const section = valueUnder(used, steps.slice(0, -1));
  const key = steps.at(-1) ?? '';
  if (!isRecord(section)) return false;
  const old = section[key];
  if (Array.isArray(old) && Array.isArray(value)) old.splice(0, old.length, ...(value as unknown[]));
  else if (isRecord(old) && isRecord(value)) replaceIn(old, value);
  else if (value === undefined) delete section[key];
  else section[key] = value;
  return true;
}

function replaceIn(old: Values, value: Values): void {
  for (const key of Object.keys(old)) delete old[key];
  Object.assign(old, value);
}
