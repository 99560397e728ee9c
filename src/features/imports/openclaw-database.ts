/**
 * Reads the jobs that OpenClaw keeps in `state/openclaw.sqlite` and returns them in the shape of its older
 * `cron/jobs.json`. Reads a copy, because opening a database creates files beside it, and a running OpenClaw writes to
 * it.
 */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

const MAX_BYTES = 512 * 1024 * 1024;
/** `-wal` contains the changes since the last checkpoint. */
const PARTS = ['', '-wal'];

/**
 * Returns the jobs; undefined if there is no database, or it contains none.
 * @throws if it can't be read
 */
export async function jobsInDatabase(file: string): Promise<Record<string, unknown>[] | undefined> {
  const stats = PARTS.map((part) => fs.lstatSync(file + part, { throwIfNoEntry: false }));
  // A link could point anywhere.
  if (!stats[0]?.isFile() || !fs.lstatSync(path.dirname(file)).isDirectory()) return undefined;
  if (stats.reduce((sum, stat) => sum + (stat?.size ?? 0), 0) > MAX_BYTES) throw new Error('it is larger than 512 MB');
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'viber-import-'));
  try {
    const copy = path.join(folder, 'copy.sqlite');
    for (const [index, part] of PARTS.entries()) if (stats[index]?.isFile()) fs.copyFileSync(file + part, copy + part);
    return await rowsIn(copy);
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

async function rowsIn(file: string): Promise<Record<string, unknown>[] | undefined> {
  const { DatabaseSync } = await import('node:sqlite');
  const db = new DatabaseSync(file);
  try {
    const table = db.prepare("SELECT name FROM sqlite_master WHERE type = 'table' AND name = 'cron_jobs'").get();
    return table && db.prepare('SELECT * FROM cron_jobs').all().map(jobOf);
  } finally {
    db.close();
  }
}

const jobOf = (row: Record<string, unknown>): Record<string, unknown> => ({
  id: row.job_id,
  name: row.name,
  enabled: row.enabled !== 0,
  schedule: {
    kind: row.schedule_kind,
    expr: row.schedule_expr,
    tz: row.schedule_tz,
    everyMs: row.every_ms,
    at: row.at,
  },
  payload: { kind: row.payload_kind, message: row.payload_message },
  ...(typeof row.delivery_mode === 'string' && {
    delivery: {
      mode: row.delivery_mode,
      channel: row.delivery_channel,
      to: row.delivery_to,
      threadId: row.delivery_thread_id,
    },
  }),
});
