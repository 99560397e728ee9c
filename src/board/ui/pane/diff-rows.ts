/** The lines of a diff beside each other: what was removed stands left of what was added in its place. */
import { parsePatch } from 'diff';

export interface DiffLine {
  at: number;
  text: string;
  kind: 'same' | 'old' | 'new';
}
/** One row of both sides; undefined where a side has nothing. */
export interface DiffRow {
  old?: DiffLine;
  new?: DiffLine;
}
export interface DiffFile {
  name: string;
  hunks: readonly (readonly DiffRow[])[];
}

const bareName = (name: string | undefined): string => (name ?? '').replace(/^[ab]\//, '');

/** Returns undefined for a text that is no diff. */
export function readDiff(text: string): DiffFile[] | undefined {
  try {
    const files = parsePatch(text).map((file) => ({
      name:
        file.newFileName === undefined || file.newFileName === '/dev/null'
          ? bareName(file.oldFileName)
          : bareName(file.newFileName),
      hunks: file.hunks.map((hunk) => rowsOf(hunk)),
    }));
    return files.some(({ hunks }) => hunks.length > 0) ? files : undefined;
  } catch {
    // Shown as it is.
    return undefined;
  }
}

function rowsOf({ lines, oldStart, newStart }: { lines: string[]; oldStart: number; newStart: number }): DiffRow[] {
  const rows: DiffRow[] = [];
  let [oldAt, newAt] = [oldStart, newStart];
  let removed: DiffLine[] = [];
  let added: DiffLine[] = [];
  const flush = () => {
    for (let index = 0; index < Math.max(removed.length, added.length); index += 1) {
      const [one, other] = [removed[index], added[index]];
      rows.push({ ...(one && { old: one }), ...(other && { new: other }) });
    }
    removed = [];
    added = [];
  };
  for (const line of lines) {
    const text = line.slice(1);
    if (line.startsWith('-')) {
      if (added.length > 0) flush();
      removed.push({ at: oldAt++, text, kind: 'old' });
    } else if (line.startsWith('+')) added.push({ at: newAt++, text, kind: 'new' });
    else if (!line.startsWith('\\')) {
      flush();
      rows.push({ old: { at: oldAt++, text, kind: 'same' }, new: { at: newAt++, text, kind: 'same' } });
    }
  }
  flush();
  return rows;
}
