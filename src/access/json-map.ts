/**
 * Small JSON files in `access/` that hold values by name and that several processes may change: each change is made
 * under a lock file, on the current content, so that no entry is lost. Unreadable content is set aside.
 */
import { type About, statOf } from '../lib/damage.ts';
import { parseJson, readRecords, readWhole, salvage } from '../lib/json.ts';
import type { Schema } from '../lib/shape.ts';
import { writeJson } from '../lib/write-json.ts';
import { locked } from './json-file.ts';

export interface JsonMap<T> {
  /** Returns the current content, at the cost of one `stat` while it is unchanged. Shared: do not modify. */
  read(): ReadonlyMap<string, T>;
  /** Changes the map; durable on return. Beyond the maximum, the first entries are dropped. */
  change(next: (all: Map<string, T>) => void): void;
}

export interface JsonMapOptions {
  max?: number;
}

/** Opens the file, which need not exist and is not read before it is needed. */
export function openJsonMap<T>(
  file: string,
  schema: Schema<T>,
  about: About,
  { max = Number.POSITIVE_INFINITY }: JsonMapOptions = {},
): JsonMap<T> {
  let known: { stamp: string; all: Map<string, T> } | undefined;

  /** @param isHeld this process already holds the lock */
  function load(isHeld: boolean): Map<string, T> {
    const read = readWhole(file);
    if (read === undefined) return new Map();
    const { text = '', why } = read;
    const { records, isWhole } = salvage(text, schema);
    if (why === undefined && isWhole && !Array.isArray(parseJson(text))) return records;
    const mend = () =>
      readRecords(file, schema, { ...about, asMap: true }, (left) => writeJson(file, Object.fromEntries(left)));
    return isHeld ? mend() : locked(file, mend);
  }

  return {
    read() {
      const stamp = stampOf(file);
      if (known?.stamp !== stamp) known = { stamp, all: load(false) };
      return known.all;
    },
    change(next) {
      locked(file, () => {
        const all = load(true);
        const before = JSON.stringify([...all]);
        next(all);
        for (const oldest of all.keys()) {
          if (all.size <= max) break;
          all.delete(oldest);
        }
        if (JSON.stringify([...all]) !== before) writeJson(file, Object.fromEntries(all));
        known = { stamp: stampOf(file), all };
      });
    },
  };
}

function stampOf(file: string): string {
  const stat = statOf(file);
  return stat ? `${stat.ino} ${stat.size} ${stat.ctimeMs}` : 'none';
}
