/** Accesses the job files of a home, for the Board and for imports from other products. */
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { systemTimezone } from '../../../lib/timezone.ts';
import type { JobFiles, JobFilesAt } from '../../../runtime/contract/job-service.ts';

const SHOWN_TIMES = 3;

/** Returns an ID that people can type: the Latin letters and digits of the name. */
export function idOf(name: string): string {
  const plain = name.normalize('NFKD').toLowerCase().replace(/\p{M}/gu, '');
  const id = plain
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 48);
  if (/^[\p{ASCII}]*$/u.test(plain) && id !== '') return id;
  const sum = createHash('sha256').update(name).digest('hex').slice(0, 8);
  return id === '' ? `job-${sum}` : `${id}-${sum}`;
}

export function jobFilesAt({ home, env, timezone = systemTimezone() }: JobFilesAt): JobFiles {
  const folder = path.resolve(env.OPENVIBER_JOBS_DIR || path.join(home, 'jobs'));
  return {
    folder,
    fileOf(id) {
      const names = [`${id}.yaml`, `${id}.yml`, `${id}.disabled.yaml`, `${id}.disabled.yml`];
      return names.find((name) => fs.lstatSync(path.join(folder, name), { throwIfNoEntry: false })?.isFile());
    },
    idOf,
    async check(file, text) {
      const [{ parseFile }, { nextSlots }] = await Promise.all([
        import('../written/job-file.ts'),
        import('../slots.ts'),
      ]);
      const now = Date.now();
      const given = { path: file, name: file, text, size: Buffer.byteLength(text), mtimeMs: now };
      const read = await parseFile(given, timezone);
      if ('problem' in read) return { ok: false, problems: read.problem.split('\n') };
      const next = nextSlots(read.job.schedule, new Date(now), SHOWN_TIMES).map((time) => time.toISOString());
      return { ok: true, words: read.job.words, next };
    },
  };
}
