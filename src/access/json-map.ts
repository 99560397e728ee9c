/**
 * Small JSON files of `access/` that hold values by name and that several processes may change: each change is made under a lock file,
 * on what the file says at that moment, so that nobody's line is lost. What cannot be read is set aside.
 */
import fs from 'node:fs';
import type { About } from '../lib/damage.ts';
import { parseJson, readRecords, readWhole, salvage } from '../lib/read-json.ts';
import type { Schema } from '../lib/shape.ts';
import { writeJson } from '../lib/write-json.ts';
import { locked } from './json-file.ts';

export interface JsonMap<T> {
  /** As the file says it now, which costs one `stat` while it is unchanged. Shared: do not change it. */
  read(): ReadonlyMap<string, T>;
  /** On the disk when it returns, unless nothing was changed. Of too many the first go. */
  change(next: (all: Map<string, T>) => void): void;
}

export interface JsonMapOptions {
  max?: number;
}

/** The file need not exist, and nothing is read before it is asked for. */
export function openJsonMap<T>(
  file: string,
  schema: Schema<T>,
  about: About,
  { max = Number.POSITIVE_INFINITY }: JsonMapOptions = {},
): JsonMap<T> {
  let known: { stamp: string; all: Map<string, T> } | undefined;

  /** @param isHeld the lock is ours */
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
  const stat = fs.statSync(file, { throwIfNoEntry: false });
  return stat ? `${stat.ino} ${stat.size} ${stat.ctimeMs}` : 'none';
}
