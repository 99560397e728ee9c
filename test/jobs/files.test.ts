/** The folder of job files as people, editors and the gateway change it. */
import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test, vi } from 'vitest';
import { Jobs, type JobsOptions } from '../../src/features/jobs/files.ts';
import type { Schedule } from '../../src/features/jobs/slots.ts';
import { openJobStates, scheduleIn } from '../../src/features/jobs/state.ts';
import type { JobFile } from '../../src/features/jobs/written/job-file.ts';
import { openLastGood } from '../../src/features/jobs/written/last-good.ts';
import { silentLog } from '../../src/log.ts';
import { messagesIn } from '../../src/messages/messages.ts';
import { eventually } from '../helpers/eventually.ts';
import { ownTime } from '../helpers/own-time.ts';
import { tempFolder } from '../helpers/temp.ts';
import { quiet } from '../kit/quiet.ts';

const cleanups: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

const SETTLE_MS = 120;
const job = (name: string, more = '') => `name: ${name}\nschedule: "0 9 * * *"\nprompt: Hello\n${more}`;

function folder(files: Record<string, string> = {}): string {
  const root = tempFolder();
  for (const [name, text] of Object.entries(files)) fs.writeFileSync(path.join(root, name), text);
  return root;
}

async function open(root: string, options: Partial<JobsOptions> = {}): Promise<Jobs> {
  const jobs = new Jobs({ folder: root, timezone: 'UTC', log: silentLog(), settleMs: SETTLE_MS, ...options });
  cleanups.push(() => jobs.close());
  await jobs.start();
  return jobs;
}

const shown = (jobs: Jobs) => jobs.all().map(({ id, state, job }) => `${id} ${state} ${job?.name ?? '-'}`);

test('loaded, switched off, paused, broken, misnamed and twice', async () => {
  const root = folder({
    'a.yaml': job('A'),
    'B.yml': job('B'),
    'off.yaml': job('Off', 'enabled: false\n'),
    'paused.disabled.yaml': 'not: even\na: job\n',
    'broken.yaml': job('Broken', 'schedul: x\n'),
    'empty.yaml': '',
    'two words.yaml': job('Two'),
    'twin.yaml': job('Twin 1'),
    'twin.yml': job('Twin 2'),
    'huge.yaml': job('Huge', `# ${'x'.repeat(70_000)}\n`),
    'many.yaml': Array.from({ length: 100_000 }, (_, i) => `k${i}: 1`).join('\n'),
    '.hidden.yaml': job('Hidden'),
    'a.yaml.tmp': job('Temporary'),
    'notes.md': 'notes',
  });
  const jobs = await open(root);
  expect(shown(jobs).sort()).toEqual(
    // biome-ignore format: a list is filled
    [
      'a loaded A', 'b loaded B', 'broken broken -', 'empty broken -', 'huge broken -', 'many broken -',
      'off disabled Off', 'paused disabled -', 'twin broken -', 'twin loaded Twin 1', 'two words.yaml broken -',
    ],
  );
  const problem = (id: string) => jobs.all().find((entry) => entry.id === id && entry.problem)?.problem;
  expect(problem('broken')).toContain('broken.yaml line 4: schedul: unknown key; did you mean schedule?');
  expect(problem('twin')).toContain('twin.yml: the file twin.yaml is the same job');
  expect(problem('huge')).toContain('larger than 64 KB');
  expect(problem('many')).toContain('larger than 64 KB');
  expect(problem('two words.yaml')).toContain('expected a file name');
  expect(jobs.get('twin')?.job?.name).toBe('Twin 1');
  // The same in another language, and in English as it is logged.
  const inGerman = (entry: JobFile) => (entry.wrong ?? []).map((said) => messagesIn('de').said(said));
  const broken = jobs.all().filter(({ state }) => state === 'broken');
  const english = broken.map(({ wrong = [] }) => wrong.map((said) => messagesIn('en').said(said)).join('\n'));
  expect(english).toEqual(broken.map((entry) => entry.problem));
  expect(broken.flatMap(inGerman).join('\n')).toContain('two words.yaml: der Dateiname darf nur');
  expect(broken.flatMap(inGerman)).toContain(
    'twin.yml: die Datei twin.yaml ist derselbe Auftrag; lösch eine von beiden',
  );
});

test('a folder that is not there yet', async () => {
  const root = path.join(folder(), 'later');
  const jobs = await open(root);
  expect(jobs.all()).toEqual([]);
  await jobs.create({ name: 'First one', schedule: 'daily at 9', prompt: 'x' });
  expect(shown(jobs)).toEqual(['first-one loaded First one']);
  fs.writeFileSync(path.join(root, 'b.yaml'), job('B'));
  await eventually(() => expect(shown(jobs)).toEqual(['b loaded B', 'first-one loaded First one']));
});

test('a broken version leaves the last good one in use until it is fixed', async () => {
  const root = folder({ 'a.yaml': job('A') });
  const jobs = await open(root);
  const changes = vi.fn();
  jobs.onChange(changes);
  fs.writeFileSync(path.join(root, 'a.yaml'), job('New', 'catch_up: perhaps\n'));
  await jobs.refresh();
  expect(jobs.get('a')).toMatchObject({
    state: 'broken',
    job: { name: 'A' },
    problem: expect.stringContaining('line 4'),
  });
  fs.writeFileSync(path.join(root, 'a.yaml'), '');
  await jobs.refresh();
  expect(jobs.get('a')).toMatchObject({ state: 'broken', job: { name: 'A' } });
  fs.writeFileSync(path.join(root, 'a.yaml'), job('New'));
  await jobs.refresh();
  expect(shown(jobs)).toEqual(['a loaded New']);
  fs.rmSync(path.join(root, 'a.yaml'));
  await jobs.refresh();
  expect(jobs.all()).toEqual([]);
  expect(changes).toHaveBeenCalled();
});

test('a file written in steps of one byte is the old job or the new one, with pauses longer than the settle time as well', async () => {
  const old = job('Old');
  const text = 'name: New\nschedule: "0 9 * * 1"\nmodel: deepseek/deepseek-chat\nprompt: |\n  Summarise all.\n';
  const root = folder({ 'a.yaml': old });
  const jobs = await open(root, { settleMs: 60 });
  const seen = new Set<string>();
  const note = () => {
    const { name, prompt, agent } = jobs.get('a')?.job ?? {};
    seen.add(JSON.stringify([name, prompt, agent?.model]));
  };
  note();
  jobs.onChange(note);
  const fd = fs.openSync(path.join(root, 'a.yaml'), 'w');
  for (const [index, letter] of [...text].entries()) {
    fs.writeSync(fd, letter);
    // The editor takes its time.
    await sleep(index % 9 === 0 ? 150 : 1);
  }
  fs.closeSync(fd);
  await eventually(() => expect(jobs.get('a')?.job?.name).toBe('New'));
  await quiet();
  expect([...seen]).toEqual([
    JSON.stringify(['Old', 'Hello', undefined]),
    JSON.stringify(['New', 'Summarise all.\n', 'deepseek/deepseek-chat']),
  ]);
});

test('a text without a line break at its end is used once it has rested', async () => {
  const root = folder({ 'a.yaml': job('A') });
  const jobs = await open(root);
  fs.writeFileSync(path.join(root, 'a.yaml'), job('B').trimEnd());
  await jobs.refresh();
  expect(jobs.get('a')?.job?.name).toBe('A');
  await eventually(() => expect(shown(jobs)).toEqual(['a loaded B']));
});

test('for a command that ends at once it is used as it is', async () => {
  const root = folder({ 'a.yaml': job('A').trimEnd() });
  const jobs = await open(root, { watch: false });
  expect(shown(jobs)).toEqual(['a loaded A']);
});

test('a mistake in a file stops its job at no restart, and the version before is that of this file', async () => {
  const root = folder({
    'digest.yaml': job('Digest', 'timezone: Europe/Berlin\n'),
    'off.yaml': job('Off', 'enabled: false\n'),
  });
  const kept = path.join(root, 'good');
  const restarted = async (before?: Jobs) => {
    await before?.close();
    return open(root, { lastGood: openLastGood({ folder: kept, timezone: 'UTC', log: silentLog() }) });
  };
  const first = await restarted();
  const { schedule } = first.get('digest')?.job ?? {};
  fs.writeFileSync(path.join(root, 'digest.yaml'), job('Digest', 'delver: telegram:1\n'));
  fs.writeFileSync(path.join(root, 'off.yaml'), job('Off', 'delver: telegram:1\n'));
  await eventually(() => expect(first.get('off')?.state).toBe('broken'));
  await eventually(() => expect(first.get('digest')?.state).toBe('broken'));
  const second = await restarted(first);
  expect(shown(second)).toEqual(['digest broken Digest', 'off broken Off']);
  expect(second.get('digest')?.job?.schedule).toEqual(schedule);
  expect([second.get('digest')?.job?.enabled, second.get('off')?.job?.enabled]).toEqual([true, false]);
  expect(second.get('digest')?.problem).toContain('delver');
  // A file that is gone takes its version before with it.
  fs.rmSync(path.join(root, 'digest.yaml'));
  await eventually(() => expect(second.get('digest')).toBeUndefined());
  fs.writeFileSync(path.join(root, 'digest.yaml'), 'prompt: [\n');
  const third = await restarted(second);
  expect(shown(third)).toEqual(['digest broken -', 'off broken Off']);
});

test.each([
  ['täglich um 9', { kind: 'cron', pattern: '0 9 * * *', timezone: 'Europe/Berlin' }],
  ['mañana a las 9', { kind: 'once', at: '2030-01-01T08:00:00.000Z' }],
  ['toutes les 90 minutes', { kind: 'every', everyMs: 5_400_000, anchor: '2026-01-01T00:00:00.000Z' }],
  ['alle zwei Wochen montags', { kind: 'days', every: 14, times: ['09:00'], anchor: '2026-01-05', timezone: 'UTC' }],
  ['lundi à 9h', { kind: 'any', of: [{ kind: 'cron', pattern: '0 9 * * 1', timezone: 'UTC' }] }],
])(
  'a job whose words are no longer understood (%s) goes on as it is recorded, and says what to write',
  async (words, schedule) => {
    const text = `name: Digest\nschedule: ${words} # at work\nprompt: Hello\n`;
    for (const isKept of [true, false]) {
      const root = folder({ 'digest.yaml': text });
      const [kept, records] = [path.join(root, 'good'), path.join(root, 'records')];
      for (const each of [kept, records]) fs.mkdirSync(each);
      if (isKept) fs.writeFileSync(path.join(kept, 'digest.yaml'), text);
      const state = { schedule: JSON.stringify(schedule), since: Date.now() + 1_000, failures: 0 };
      fs.writeFileSync(path.join(records, 'digest.json'), JSON.stringify(state));
      const states = openJobStates(records);
      const recorded = (id: string) => scheduleIn(states.get(id));
      const jobs = await open(root, {
        lastGood: openLastGood({ folder: kept, timezone: 'UTC', log: silentLog(), recorded }),
      });
      expect(shown(jobs)).toEqual(['digest broken Digest']);
      const { job, problem = '' } = jobs.get('digest') ?? {};
      expect(job?.schedule).toEqual(schedule);
      expect(problem).toContain("isn't a schedule I can keep");
      // What it says to write is the same schedule, and mends the file.
      const [, value = ''] = /keeps its earlier times; write schedule: (.*)$/.exec(problem) ?? [];
      fs.writeFileSync(path.join(root, 'digest.yaml'), `name: Digest\nschedule: "${value}"\nprompt: Hello\n`);
      await eventually(() => expect(shown(jobs)).toEqual(['digest loaded Digest']));
    }
  },
);

test('words that were never understood run at no recorded time of another job', async () => {
  const root = folder({ 'digest.yaml': 'name: Digest\nschedule: sometime\nprompt: Hello\n' });
  const schedule: Schedule = { kind: 'cron', pattern: '0 9 * * *', timezone: 'UTC' };
  const recorded = () => ({ schedule, since: Date.now() - 60_000 });
  const lastGood = openLastGood({ folder: path.join(root, 'good'), timezone: 'UTC', log: silentLog(), recorded });
  expect(shown(await open(root, { lastGood }))).toEqual(['digest broken -']);
});

test('a last good version that cannot be kept or read costs that alone', async () => {
  const root = folder({ 'digest.yaml': job('Digest') });
  const kept = path.join(root, 'good');
  fs.writeFileSync(kept, '');
  const jobs = await open(root, { lastGood: openLastGood({ folder: kept, timezone: 'UTC', log: silentLog() }) });
  expect(shown(jobs)).toEqual(['digest loaded Digest']);
});

test('made, found, paused, resumed, removed', async () => {
  const root = folder({ 'x.yaml': job('Daily') });
  const jobs = await open(root);
  const fields = { name: 'Ünïcode & "Sum": #1', schedule: 'every weekday at 9', prompt: 'a\n\nb: - c\n' };
  const made = await jobs.create({ ...fields, deliver: ['telegram:1001'], createdBy: 'telegram:1001' });
  expect(made).toMatchObject({
    id: 'unicode-sum-1',
    state: 'loaded',
    job: { name: fields.name, prompt: fields.prompt },
  });
  expect(fs.statSync(made.path).mode & 0o777).toBe(0o600);
  expect(fs.readdirSync(root).sort()).toEqual(['unicode-sum-1.yaml', 'x.yaml']);
  await expect(jobs.create({ ...fields, name: 'DAILY' })).rejects.toThrow('There is a job "x" already');
  await expect(jobs.create({ ...fields, name: 'Other', schedule: '25am' })).rejects.toThrow(
    "I can't create the job: schedule: ",
  );
  expect(jobs.find(' daily ').id).toBe('x');
  expect(() => jobs.find('nothing')).toThrow('There is no job nothing');

  await jobs.pause('x');
  expect(fs.existsSync(path.join(root, 'x.disabled.yaml'))).toBe(true);
  expect(jobs.get('x')?.state).toBe('disabled');
  await expect(jobs.pause('x')).rejects.toThrow('paused already');
  await jobs.resume('x');
  expect(jobs.get('x')).toMatchObject({ state: 'loaded', file: 'x.yaml' });
  await expect(jobs.resume('x')).rejects.toThrow("isn't paused");
  await expect(jobs.pause('y')).rejects.toThrow('There is no job y');
  expect(await jobs.remove('x')).toBe(true);
  expect(await jobs.remove('x')).toBe(false);
  expect(shown(jobs)).toEqual([`unicode-sum-1 loaded ${fields.name}`]);
});

test('two jobs with one name: each by its id, the name alone is refused', async () => {
  const jobs = await open(folder({ 'a.yaml': job('Same'), 'b.yaml': job('same') }));
  expect(shown(jobs)).toEqual(['a loaded Same', 'b loaded same']);
  expect(jobs.find('b').job?.name).toBe('same');
  expect(() => jobs.find('Same')).toThrow('a, b');
});

test('a folder that may not be written is told, not tried again', async () => {
  const jobs = await open(folder({ 'a.yaml': job('A') }));
  for (const name of ['renameSync', 'rmSync', 'openSync'] as const) {
    const refused = vi.spyOn(fs, name).mockImplementation(() => {
      throw Object.assign(new Error('read-only file system'), { code: 'EROFS' });
    });
    cleanups.push(() => refused.mockRestore());
  }
  const create = () => jobs.create({ name: 'New', schedule: 'hourly', prompt: 'x' });
  for (const change of [() => jobs.pause('a'), () => jobs.remove('a'), create])
    await expect(change()).rejects.toThrow("can't be written (EROFS): change its rights");
});

test('names in any script get an id of their own', async () => {
  const jobs = await open(folder());
  const ids: string[] = [];
  for (const name of ['日次まとめ', '週次まとめ', 'Сводка 1', '../../etc/passwd', '🌅', '__proto__', 'CON']) {
    ids.push((await jobs.create({ name, schedule: 'hourly', prompt: 'x' })).id);
  }
  expect(new Set(ids).size).toBe(ids.length);
  for (const id of ids) expect(id).toMatch(/^[a-z0-9][a-z0-9_-]{0,63}$/);
  expect(ids.slice(3, 4)).toEqual(['etc-passwd']);
});

test('of two writers of one name one wins, and nothing is overwritten', async () => {
  const root = folder();
  const [one, two] = await Promise.all([open(root), open(root)]);
  const fields = { schedule: 'hourly', prompt: 'x', name: 'Race' };
  const results = await Promise.allSettled([
    one.create({ ...fields, prompt: 'one' }),
    two.create({ ...fields, prompt: 'two' }),
  ]);
  expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  expect(fs.readdirSync(root)).toEqual(['race.yaml']);
});

test('1,000 files are read without holding up the process', async () => {
  const root = folder(Object.fromEntries(Array.from({ length: 1_000 }, (_, i) => [`j${i}.yaml`, job(`J${i}`)])));
  let longest = 0;
  let last = ownTime();
  const probe = setInterval(() => {
    longest = Math.max(longest, ownTime() - last);
    last = ownTime();
  }, 1);
  const jobs = await open(root);
  clearInterval(probe);
  expect(jobs.all()).toHaveLength(1_000);
  expect(longest).toBeLessThan(500);
});

test('an error while one file is read breaks that file alone', async () => {
  const root = folder({ 'bad.yaml': job('Bad'), 'good.yaml': job('Good') });
  const lastGood: JobsOptions['lastGood'] = {
    before: async (file, result) => {
      if (file.name === 'bad.yaml') throw new RangeError('CronPattern: out of range');
      return 'job' in result ? { job: result.job } : { job: undefined, ...{ wrong: result } };
    },
    only: () => undefined,
  };
  const jobs = await open(root, { lastGood });
  expect(shown(jobs)).toEqual(['bad broken -', 'good loaded Good']);
  expect(jobs.get('bad')?.problem).toContain('out of range');
});
