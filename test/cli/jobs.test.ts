/** `viber jobs`: over the files while no gateway runs, and beside one that does. */

import fs from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { parseCommandLine } from '../../src/cli/arguments.ts';
import { run } from '../../src/features/jobs/cli/run.ts';
import { openHome } from '../../src/workspace/home.ts';
import { printed } from '../helpers/cli.ts';
import { put as putFile, tempFolder } from '../helpers/temp.ts';
import { viber as ranHere, startProgram } from '../helpers/viber.ts';

let home: string;
const config = {
  model: 'offline/viber',
  jobs: { timezone: 'Europe/Berlin' },
  http: { port: 0 },
  limits: { freeBytes: 0 },
};
beforeEach(async () => {
  home = tempFolder();
  await openHome(home);
  fs.writeFileSync(path.join(home, 'config.json'), JSON.stringify(config));
});

const connect = () => {
  const channels = { telegram: { token: '1:x', apiRoot: 'http://127.0.0.1:9' } };
  fs.writeFileSync(path.join(home, 'config.json'), JSON.stringify({ ...config, channels }));
};
const put = (id: string, text: string, folder = path.join(home, 'jobs')) => {
  fs.mkdirSync(folder, { recursive: true });
  fs.writeFileSync(path.join(folder, `${id}.yaml`), text);
};
const DIGEST = 'name: Morning digest\nschedule: every weekday at 9\nprompt: make a plan for today\n';

async function viber(args: string[], options: { json?: boolean; env?: Record<string, string> } = {}): Promise<string> {
  const { code, text } = await printed(run, home, { args, ...options });
  expect(code).toBe(0);
  return text;
}
const listed = async (env = {}) => JSON.parse(await viber(['list'], { json: true, env })).jobs;

describe('while no gateway runs', () => {
  it('lists jobs with their next times, what is broken and why', async () => {
    expect(await viber([])).toContain('There are no jobs');
    put('digest', DIGEST);
    put('broken', 'name: Broken\nschedule: 25am\nprompt: x\n');
    const [broken, digest] = await listed();
    expect(broken).toMatchObject({ id: 'broken', state: 'broken', next: [] });
    expect(broken.problem).toContain('broken.yaml line 2: schedule: ');
    expect(digest).toMatchObject({ id: 'digest', name: 'Morning digest', state: 'loaded', timezone: 'Europe/Berlin' });
    expect(digest.schedule).toBe('every weekday at 09:00 (Europe/Berlin)');
    expect(digest.next).toHaveLength(3);
    // By the clock of the job, as in the chats.
    expect(await viber(['list'])).toMatch(
      /digest {2}on {2}every weekday at 09:00 \(Europe\/Berlin\) {2}next .*\b09:00$/m,
    );
    expect(await viber(['when', 'every weekday at 9'])).not.toMatch(/T\d\d:|Z$/m);
  });

  it('says of a job that its last run failed, where to read why, and how to run it again', async () => {
    put('digest', DIGEST);
    const at = Date.UTC(2026, 0, 5, 8);
    const failed = { slot: at, at, task: '20260105-aaaaa', state: 'error' };
    const save = (lastRun: object) =>
      putFile(home, 'spool/jobs/digest.json', JSON.stringify({ schedule: '{}', since: 1, failures: 1, lastRun }));
    save(failed);
    expect(await viber([])).toMatch(
      /\n {2}Its last run failed \(.*09:00.*\): the task 20260105-aaaaa says why\. To run it again: \S*viber jobs run digest/,
    );
    save({ ...failed, state: 'completed' });
    expect(await viber([])).not.toContain('failed');
  });

  it('names what a job names and what does not exist', async () => {
    put('story', `${DIGEST}viber: writr\nmodel: opnai/x\n`);
    put('well', `${DIGEST}name: Well\n`.replace('name: Morning digest\n', ''));
    put('weather', `${DIGEST}skills: [summarize]\ntools: [read_fil, shell, read_file]\n`);
    const found = await listed();
    expect(found.map(({ id, unknown }: { id: string; unknown?: unknown }) => [id, unknown])).toEqual(
      // biome-ignore format: a row is a line
      [
        ['story', [{ kind: 'viber', name: 'writr' }, { kind: 'provider', name: 'opnai', near: 'openai', model: 'opnai/x' }]],
        ['weather', [{ kind: 'skill', name: 'summarize', near: 'summarise' }, { kind: 'tool', name: 'read_fil', near: 'read_file' }, { kind: 'tool', name: 'shell', isOff: true }]],
        ['well', undefined],
      ],
    );
    const text = await viber(['list']);
    expect(text).toContain("  There is no viber writr, so I won't run it until there is one.");
    expect(text).toContain("  There is no skill summarize (did you mean summarise?); I'll run it without.");
    fs.mkdirSync(path.join(home, 'vibers', 'writr'));
    expect(await viber(['list'])).not.toContain('no viber');
  });

  it('says of a job where its result cannot be sent, and of a YAML file that it is no job, each once and by name', async () => {
    put('digest', `${DIGEST}deliver: [telegram:1001]\n`);
    put('readme', 'about: these are our jobs\nsee:\n  - https://example.org\n');
    put('notes', '- buy milk\n');
    const text = await viber([]);
    expect(text).toMatch(
      /digest .*\n {2}Nothing can be sent to telegram:1001: telegram isn't on\. .* init connects it\./,
    );
    expect(text.match(/readme\.yaml/g)).toHaveLength(1);
    expect(text).toContain(
      "readme.yaml isn't a job: it has no name, schedule or prompt; add them, or move it elsewhere",
    );
    expect((await listed())[0]).toMatchObject({ id: 'digest', unsent: [expect.stringContaining('telegram:1001')] });
    connect();
    expect(await viber([])).not.toContain('Nothing can be sent');
  });

  it('reads the folder of OPENVIBER_JOBS_DIR', async () => {
    const folder = path.join(tempFolder(), 'elsewhere');
    put('other', DIGEST, folder);
    expect((await listed({ OPENVIBER_JOBS_DIR: folder })).map(({ id }: { id: string }) => id)).toEqual(['other']);
    expect(await listed()).toEqual([]);
  });

  it('pauses, resumes and deletes by id or name', async () => {
    put('digest', DIGEST);
    expect(await viber(['pause', 'Morning', 'digest'])).toBe('paused: digest');
    expect(fs.readdirSync(path.join(home, 'jobs'))).toEqual(['digest.disabled.yaml']);
    expect(await listed()).toMatchObject([{ id: 'digest', name: 'Morning digest', state: 'disabled', next: [] }]);
    await expect(viber(['pause', 'digest'])).rejects.toThrow('paused already');
    expect(JSON.parse(await viber(['resume', 'digest'], { json: true }))).toEqual({ id: 'digest', done: 'resumed' });
    expect(await viber(['delete', 'digest'])).toBe('deleted: digest');
    expect(fs.readdirSync(path.join(home, 'jobs'))).toEqual([]);
    await expect(viber(['delete', 'digest'])).rejects.toThrow('There is no job digest. To list them: viber jobs');
  });

  it('tries out a phrase', async () => {
    const { schedule, next } = JSON.parse(await viber(['when', 'every', 'monday', 'at', '17:30'], { json: true }));
    expect(schedule).toContain('17:30');
    expect(next).toHaveLength(3);
    const berlin = await viber(['when', 'every day at 9 Berlin time']);
    expect(berlin.split('\n').slice(1)).toEqual(Array.from({ length: 3 }, () => expect.stringMatching(/\b09:00$/)));
    await expect(viber(['when', '25am'])).rejects.toThrow('25am');
  });

  it('makes one from words, by the clock they name, and asks what could be two times', async () => {
    connect();
    const add = (at: string, more: Record<string, string> = {}) => {
      const values = { at, prompt: 'what is new?', ...more };
      return printed(run, home, { args: ['add', 'Digest'], json: true, values }).then(({ text }) => JSON.parse(text));
    };
    await expect(add('every day at 5')).rejects.toThrow('Say for example "every day at 05:00" or "every day at 17:00"');
    await expect(add('daily at 9', { deliver: 'nowhere' })).rejects.toThrow('address');
    await expect(add('daily at 9', { deliver: 'nowhere:1' })).rejects.toThrow('the channels are telegram');
    await expect(add('daily at 9', { deliver: 'slack:C1' })).rejects.toThrow(
      /slack isn't on\. .*viber.* init connects it/,
    );
    await expect(add('daily at 9', { timezone: 'Mars/Olympus' })).rejects.toThrow("isn't a time zone");
    expect(await add('weekdays at half past seven', { deliver: 'telegram:1001' })).toMatchObject({
      ...{ id: 'digest', schedule: 'every weekday at 07:30 (Europe/Berlin)' },
    });
    await expect(add('daily at 9')).rejects.toThrow('already');
    expect(await listed()).toMatchObject([{ id: 'digest', schedule: 'every weekday at 07:30 (Europe/Berlin)' }]);
    await viber(['delete', 'digest']);
    await add('every monday at 9 New York time');
    const file = fs.readFileSync(path.join(home, 'jobs/digest.yaml'), 'utf8');
    expect(file).toContain('schedule: 0 9 * * 1\ntimezone: America/New_York\n');
    await viber(['delete', 'digest']);
    await add('tomorrow at 9');
    expect(await listed()).toMatchObject([{ id: 'digest', state: 'loaded', next: [expect.stringContaining('T')] }]);
  });

  it('says of one without a place where to read its result, and how to write the address of a chat', async () => {
    connect();
    const add = async (values: Record<string, string>) => {
      const all = { at: 'daily at 9', prompt: 'x', ...values };
      return (await printed(run, home, { args: ['add', values.deliver ?? 'a'], values: all })).lines.at(-1);
    };
    expect(await add({})).toMatch(
      /^Its result goes to no chat: read it on the Board \(viber board.*--deliver ADDRESS, such as telegram:1001.*\/status/,
    );
    expect(await add({ deliver: 'telegram:1001' })).toMatch(/ at \d\d:00$/);
  });

  it('reads the words of a file that somebody wrote, and says what it cannot keep', async () => {
    const write = (id: string, rest: string) => put(id, `name: ${id}\nprompt: x\n${rest}\n`);
    write('spoken', 'schedule: mon-thu at quarter to nine');
    write('utc', 'schedule: daily at 7pm UTC');
    write('two', 'schedule: mondays 9am and fridays 5pm');
    write('unclear', 'schedule: daily at 5');
    write('zones', 'schedule: daily at 9 UTC\ntimezone: Europe/Berlin');
    write('moving', 'schedule: tomorrow at 9');
    const found = Object.fromEntries((await listed()).map((job: { id: string }) => [job.id, job]));
    expect(found.spoken.schedule).toBe('every Monday, Tuesday, Wednesday and Thursday at 08:45 (Europe/Berlin)');
    expect(found.utc).toMatchObject({ schedule: 'every day at 19:00 (UTC)', timezone: 'UTC' });
    expect(found.two.schedule).toBe('every Monday at 09:00; and every Friday at 17:00 (Europe/Berlin)');
    expect(found.unclear.problem).toContain('05:00 or 17:00. Say for example "daily at 05:00" or "daily at 17:00".');
    expect(found.zones.problem).toContain('expected the time zone once');
    expect(found.moving.problem).toContain('expected a time that always means the same');
  });

  it('says how it is used, and that running needs the gateway', async () => {
    for (const args of [['when'], ['run'], ['pause', ' '], ['frobnicate', 'x']])
      expect(() => parseCommandLine(['jobs', ...args])).toThrow('viber jobs');
    await expect(viber(['run', 'digest'])).rejects.toThrow('start it with viber start');
  });
});

describe('while a gateway runs', () => {
  it('runs a job now, and what is paused here is paused there', async () => {
    put('digest', DIGEST.replace('make a plan for today', 'show plan'));
    await startProgram(home);
    const shell = async (args: string[]) => {
      const { code, out, err } = await ranHere(home, args);
      return `${out}${err}${code === 0 ? '' : `ended with ${code}`}`;
    };
    expect(await shell(['jobs', 'run', 'digest'])).toMatch(
      /^Running Morning digest now\. Its result isn't sent to anybody\. [^`*]+$/,
    );
    await expect.poll(async () => (await listed())[0].lastRun?.state).toBe('completed');
    expect(await shell(['jobs', 'run', 'nothing', '--json'])).toBe(
      `There is no job nothing. To list them: ./viber jobs --home ${home}\nended with 1`,
    );
    expect(await shell(['jobs', 'pause', 'digest'])).toBe('paused: digest\n');
    expect(await shell(['jobs', 'run', 'digest'])).toBe(
      `The job digest is paused: ./viber jobs resume digest --home ${home}, then try again.\nended with 1`,
    );
    put('story', `${DIGEST.replace('Morning digest', 'Story')}viber: writr\n`);
    await expect.poll(() => shell(['jobs', 'run', 'story'])).toMatch(/There is no viber writr[\s\S]*ended with 1$/);
  });
});
