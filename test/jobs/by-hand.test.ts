/** Job files as people write them by hand, and as other programs' documents show them: taken as they are meant, or told in one sentence each. */
import fs from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { Jobs } from '../../src/jobs/files.ts';
import { parseFile } from '../../src/jobs/written/job-file.ts';
import { silentLog } from '../../src/log.ts';
import { messagesIn } from '../../src/messages/messages.ts';
import { tempFolder } from '../helpers/temp.ts';

const read = (text: string, name = 'digest.yaml') =>
  parseFile(
    { path: `/jobs/${name}`, name, text, size: text.length, mtimeMs: Date.parse('2026-11-23T10:00:00Z') },
    'UTC',
  );
const file = (...lines: string[]) => `${['name: News', ...lines].join('\n')}\n`;

describe('is taken as it is meant', () => {
  const daily = 'schedule: every day at 9am';
  const prompt = 'prompt: Sum up the news';
  it.each<[what: string, text: string, words: string]>([
    ['minutes of cron without quotes', file('schedule: */5 * * * *', prompt), '*/5 * * * *'],
    ['a star of cron without quotes', file('schedule: * 9 * * * # each minute of it', prompt), '* 9 * * *'],
    ['a word of cron without quotes', file('schedule: @daily', prompt), '0 0 * * *'],
    ['a time with a colon', file('schedule: every day at 9:00', prompt), '0 9 * * *'],
    ['capitals', 'Name: News\nSCHEDULE: every day at 9am\nPrompt: Sum up the news\n', '0 9 * * *'],
    ['a code block', `\`\`\`yaml\n${file(daily, prompt)}\`\`\`\n`, '0 9 * * *'],
    ['dashes around the whole', `---\n${file(daily, prompt)}---\n`, '0 9 * * *'],
    ['an end of a document', `---\n${file(daily, prompt)}...\n`, '0 9 * * *'],
    [
      'quotes of a word processor',
      'name: “News”\nschedule: “every day at 9am”\nprompt: „Sum up the news“\n',
      '0 9 * * *',
    ],
    ['lines of Windows', file(daily, prompt).replaceAll('\n', '\r\n'), '0 9 * * *'],
    ['lines of Windows with cron', file('schedule: */5 * * * *', prompt).replaceAll('\n', '\r\n'), '*/5 * * * *'],
  ])('%s', async (_what, text, pattern) => {
    const result = await read(text);
    if (!('job' in result)) throw new Error(result.problem);
    expect(result.job).toMatchObject({ name: 'News', prompt: 'Sum up the news', schedule: { pattern } });
  });

  it.each([
    ['yes', true],
    ['On', true],
    ['"true"', true],
    ['no', false],
    ['off', false],
    ['NEIN', false],
  ])('enabled: %s', async (word, enabled) => {
    expect(await read(file(daily, prompt, `enabled: ${word}`))).toMatchObject({ job: { enabled } });
  });

  it.each([
    ['Berlin', 'Europe/Berlin'],
    ['new york', 'America/New_York'],
    ['UTC+2', '+02:00'],
    ['GMT-05:30', '-05:30'],
    ['CET', 'CET'],
  ])('timezone: %s', async (word, timezone) => {
    expect(await read(file(daily, prompt, `timezone: ${word}`))).toMatchObject({ job: { timezone } });
  });
});

describe('is told', () => {
  const daily = 'schedule: every day at 9am';
  const prompt = 'prompt: Sum up the news';
  const near = (key: string) =>
    expect.stringMatching(new RegExp(`expected no such key; (?:did you mean ${key}\\?|here you write ${key}: \\S)`));
  it.each<[what: string, text: string, problem: unknown]>([
    ...['cron: 0 7 * * *', 'time: 9am', 'every: 5m', 'shedule: daily'].map(
      (line) => [line, file(line, prompt), near('schedule')] as [string, string, unknown],
    ),
    ...['message: a', 'task: a', 'instructions: a'].map(
      (line) => [line, file(daily, line), near('prompt')] as [string, string, unknown],
    ),
    ...['channel: telegram', 'notify: [telegram:1]', 'to: 1'].map(
      (line) => [line, file(daily, prompt, line), near('deliver')] as [string, string, unknown],
    ),
    ['tz', file(daily, prompt, 'tz: Europe/Berlin'), near('timezone')],
    [
      'a number as a place',
      file(daily, prompt, 'deliver: 123'),
      expect.stringContaining('an address, for example telegram:1001'),
    ],
    [
      'a time without a day',
      file('schedule: 9:30', prompt),
      expect.stringContaining('Say for example "daily at 09:30"'),
    ],
    [
      'words after a quote',
      file(daily, "prompt: 'don't forget'"),
      'digest.yaml line 3: something comes after the closing quote; put the other kind of quotes around the whole',
    ],
    [
      'two versions',
      file('<<<<<<< HEAD', daily, '=======', 'schedule: every day at 10am', '>>>>>>> other', prompt),
      'digest.yaml line 2: two versions of this file stand here one after the other; keep one and delete the lines that separate them',
    ],
    [
      'a list of jobs',
      `jobs:\n  - name: News\n    ${daily}\n    ${prompt}\n`,
      expect.stringContaining('expected one job, found a list of them'),
    ],
    [
      "another program's job",
      '{"name":"News","schedule":{"kind":"cron","expr":"0 7 * * *"},"payload":{"kind":"agentTurn","message":"x"}}\n',
      expect.stringContaining('here its lines are schedule: "0 7 * * *"'),
    ],
  ])('%s', async (_what, text, problem) => {
    expect(await read(text)).toMatchObject({ problem });
  });

  it('a key under another name alone, and not that ours is missing as well', async () => {
    const result = await read(file('cron: 0 7 * * *', prompt));
    expect('problem' in result && result.problem.split('\n')).toHaveLength(1);
  });

  it('in the language of whoever asks', async () => {
    const result = await read(file(daily, prompt, 'viber: a: b'));
    expect('wrong' in result && result.wrong.map((said) => messagesIn('de').said(said))).toEqual([
      'digest.yaml, Zeile 4: ein Wert mit einem Doppelpunkt gehört in Anführungszeichen',
    ]);
  });
});

describe('beside job files', () => {
  const closing: Jobs[] = [];
  afterEach(() => Promise.all(closing.splice(0).map((jobs) => jobs.close())));
  const text = file('schedule: every day at 9am', 'prompt: Sum up the news');

  async function open(files: Record<string, string | Buffer>): Promise<Jobs> {
    const folder = tempFolder();
    for (const [name, content] of Object.entries(files)) fs.writeFileSync(path.join(folder, name), content);
    const jobs = new Jobs({ folder, timezone: 'UTC', log: silentLog(), watch: false });
    closing.push(jobs);
    await jobs.start();
    return jobs;
  }

  it.each([
    'digest.sync-conflict-20261123-101010-ABCDEFG.yaml',
    'digest (conflicted copy 2026-11-23).yaml',
    "digest (Alex's conflicted copy 2026-11-23).yaml",
    'digest (conflicted copy 2026-11-23 101010).yaml',
    'digest (In Konflikt stehende Kopie von Alex 2026-11-23).yaml',
    'digest (SFConflict alex@example.org 2026-11-23-10-10-10).yaml',
    'digest [conflicted].yaml',
    'digest.Conflict.yaml',
  ])('a second version never runs, and it is said whose it is: %s', async (copy) => {
    const jobs = await open({ 'digest.yaml': text, [copy]: text });
    expect(jobs.all().flatMap(({ state, file: name }) => (state === 'loaded' ? [name] : []))).toEqual(['digest.yaml']);
    const wrong = jobs.all().find(({ state }) => state === 'broken');
    expect(wrong).toMatchObject({ file: copy, problem: expect.stringContaining('a second version of digest.yaml,') });
  });

  it.each([
    ['.digest.yaml.swp', '4913.yaml.tmp', '.#digest.yaml', '#digest.yaml#', 'digest.yaml~', '.digest.yaml.kate-swp'],
    ['._digest.yaml', '.DS_Store', '.goutputstream-A1B2C3', 'digest.yaml___jb_tmp___', '.syncthing.digest.yaml.tmp'],
    ['~syncthing~digest.yaml.tmp', 'digest.yaml.orig', 'digest.yaml.rej', 'digest.yaml.sb-1a2b3c4d-XyZ', 'README.md'],
  ])('what editors and others leave is no job: %s', async (...names) => {
    const jobs = await open({ 'digest.yaml': text, ...Object.fromEntries(names.map((name) => [name, text])) });
    expect(jobs.all().map(({ file: name }) => name)).toEqual(['digest.yaml']);
  });

  it('a copy with the name of a machine never runs, and another job does', async () => {
    const other = text.replace('News', 'Other');
    const jobs = await open({
      ...{ 'digest.yaml': text, 'digest-DESKTOP-8F2K1AB.yaml': text, 'digest-Alexs-MacBook-Pro.yaml': text },
      ...{ 'digest-evening.yaml': text, 'digest-PC-1.yaml': other, 'backup-DESKTOP-8F2K1AB.yaml': text },
      'notes.md': '# What these jobs are for\n\nThe digest comes each morning.\n',
    });
    const files = (state: string) => jobs.all().flatMap((job) => (job.state === state ? [job.file] : []));
    expect(files('broken').sort()).toEqual(['digest-Alexs-MacBook-Pro.yaml', 'digest-DESKTOP-8F2K1AB.yaml']);
    expect(files('loaded')).toHaveLength(4);
    expect(jobs.get('digest-desktop-8f2k1ab')?.problem).toContain('a second version of digest.yaml,');
  });

  it.each(['digest.json', 'digest.yaml.txt', 'digest.md', 'DIGEST.MD', 'digest.txt'])(
    'a file that ends otherwise is told of: %s',
    async (name) => {
      const [wrong] = (await open({ [name]: text })).all();
      expect(wrong).toMatchObject({
        state: 'broken',
        problem: `${name}: a job is a file that ends in .yaml; rename it`,
      });
    },
  );

  it.each([
    ['UTF-8 with a mark', (given: string) => Buffer.from(`\uFEFF${given}`)],
    ['UTF-16', (given: string) => Buffer.from(`\uFEFF${given}`, 'utf16le')],
    ['UTF-16, the other way round', (given: string) => Buffer.from(`\uFEFF${given}`, 'utf16le').swap16()],
  ])('a job may be saved in %s', async (_what, encoded) => {
    const [job] = (await open({ 'digest.yaml': encoded(text.replaceAll('\n', '\r\n')) })).all();
    expect(job).toMatchObject({ state: 'loaded', job: { name: 'News', prompt: 'Sum up the news' } });
  });

  it('a job that was written loosely is changed as it was meant', async () => {
    const jobs = await open({ 'digest.yaml': file('schedule: */5 * * * *', 'prompt: Sum up the news # all of it') });
    await jobs.change('digest', { schedule: '0 9 * * *' });
    expect(jobs.get('digest')).toMatchObject({ state: 'loaded', job: { schedule: { pattern: '0 9 * * *' } } });
    expect(fs.readFileSync(jobs.get('digest')?.path ?? '', 'utf8')).toContain('# all of it');
  });
});
