/** Job files as people write them by hand: YAML or JSON with our keys, or told in one sentence each with what to write. */
import fs from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { Jobs } from '../../src/features/jobs/files.ts';
import { parseFile } from '../../src/features/jobs/written/job-file.ts';
import { silentLog } from '../../src/log.ts';
import { messagesIn } from '../../src/messages/messages.ts';
import { tempFolder } from '../helpers/temp.ts';

const read = (text: string, name = 'digest.yaml') =>
  parseFile(
    { path: `/jobs/${name}`, name, text, size: text.length, mtimeMs: Date.parse('2026-11-23T10:00:00Z') },
    'UTC',
  );
const file = (...lines: string[]) => `${['name: News', ...lines].join('\n')}\n`;

describe('is a job', () => {
  const daily = 'schedule: every day at 9am';
  const prompt = 'prompt: Sum up the news';
  it.each<[what: string, text: string]>([
    ['plain YAML', file(daily, prompt)],
    ['JSON', '{"name":"News","schedule":"0 9 * * *","prompt":"Sum up the news"}\n'],
    ['a time with a colon', file('schedule: every day at 9:00', prompt)],
    ['the beginning of a document', `---\n${file(daily, prompt)}`],
    ['an end of a document', `---\n${file(daily, prompt)}...\n`],
    ['lines of Windows', file(daily, prompt).replaceAll('\n', '\r\n')],
    ['a comment', file(`${daily} # at work`, prompt)],
  ])('%s', async (_what, text) => {
    const result = await read(text);
    if (!('job' in result)) throw new Error(result.problem);
    expect(result.job).toMatchObject({ name: 'News', prompt: 'Sum up the news', schedule: { pattern: '0 9 * * *' } });
  });

  it.each([
    ['deliver: telegram:1001', { deliver: [{ channel: 'telegram', chat: '1001' }] }],
    ['deliver: ["telegram:1001", "slack:C1"]', { deliver: [{ chat: '1001' }, { chat: 'C1' }] }],
    ['agent: writer', { viber: 'writer' }],
    ['agent: { maxSteps: 5 }', { agent: { maxSteps: 5 } }],
    ['timezone: America/New_York', { timezone: 'America/New_York' }],
    ['enabled: false', { enabled: false }],
  ])('%s', async (line, job) => {
    expect(await read(file(daily, prompt, line))).toMatchObject({ job });
  });
});

describe('is told', () => {
  const daily = 'schedule: every day at 9am';
  const prompt = 'prompt: Sum up the news';
  const near = (key: string) => expect.stringContaining(`unknown key; did you mean ${key}?`);
  const keys = expect.stringContaining('unknown key; the keys are name, schedule, prompt, ');
  it.each<[what: string, text: string, problem: unknown]>(
    // biome-ignore format: a row is a line
    [
      ['shedule', file('shedule: daily', prompt), near('schedule')],
      ['max_steps', file(daily, prompt, 'max_steps: 5'), near('maxSteps')],
      ['Time-Zone', file(daily, prompt, 'Time-Zone: UTC'), near('timezone')],
      ['a key of a section', file(daily, prompt, 'agent: { modle: a/b }'), near('model')],
      ...['cron: "0 7 * * *"', 'every: 5m', 'message: a', 'channel: telegram', 'tz: Europe/Berlin'].map(
        (line) => [line, file(daily, prompt, line), keys] as [string, string, unknown],
      ),
      ['a star without quotes', file('schedule: */5 * * * *', prompt), expect.stringContaining('line 2: a value that begins with * belongs in quotes')],
      ['an @ without quotes', file('schedule: @daily', prompt), expect.stringContaining('line 2: a value that begins with @ belongs in quotes')],
      ['a colon without quotes', file(daily, 'prompt: Do this: look'), expect.stringContaining('line 3: a value with a colon in it belongs in quotes')],
      ['enabled: yes', file(daily, prompt, 'enabled: yes'), expect.stringContaining('enabled: expected true or false, found "yes"')],
      ['a city', file(daily, prompt, 'timezone: Berlin'), expect.stringContaining('for example Europe/Berlin')],
      ['a code block', `\`\`\`yaml\n${file(daily, prompt)}\`\`\`\n`, expect.stringContaining("the marks of a code block don't belong in the file")],
      ['a second part', `---\n${file(daily)}---\nSum up the news\n`, expect.stringContaining('a second document begins here')],
      ['tabs', `name: News\n${daily}\n${prompt}\nagent:\n\tmaxSteps: 5\n`, expect.stringContaining("a line can't begin with a tab")],
      ['a number as a place', file(daily, prompt, 'deliver: 123'), expect.stringContaining('an address, for example telegram:1001')],
      ['a time without a day', file('schedule: 9:30', prompt), expect.stringContaining('Say for example "daily at 09:30"')],
      [
        'words after a quote',
        file(daily, "prompt: 'don't forget'"),
        'digest.yaml line 3: there is text after the closing quote; put the other kind of quotes around the whole value',
      ],
      [
        'two versions',
        file('<<<<<<< HEAD', daily, '=======', 'schedule: every day at 10am', '>>>>>>> other', prompt),
        'digest.yaml line 2: this is an unresolved merge with two versions of the file; keep one and delete the lines that separate them',
      ],
      ['a list of jobs', `jobs:\n  - name: News\n    ${daily}\n    ${prompt}\n`, expect.stringContaining("digest.yaml isn't a job: it has no name, schedule or prompt")],
      [
        "another program's job",
        '{"name":"News","schedule":{"kind":"cron","expr":"0 7 * * *"},"payload":{"kind":"agentTurn","message":"x"}}\n',
        expect.stringContaining('schedule: expected a time, for example "0 9 * * *"'),
      ],
    ],
  )('%s', async (_what, text, problem) => {
    expect(await read(text)).toMatchObject({ problem });
  });

  it('a key that is misspelt alone, and not that ours is missing as well', async () => {
    const result = await read(file('shedule: daily', prompt));
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

  it('a job that is changed keeps its comments', async () => {
    const jobs = await open({ 'digest.yaml': file('schedule: "*/5 * * * *"', 'prompt: Sum up the news # all of it') });
    await jobs.change('digest', { schedule: '0 9 * * *' });
    expect(jobs.get('digest')).toMatchObject({ state: 'loaded', job: { schedule: { pattern: '0 9 * * *' } } });
    expect(fs.readFileSync(jobs.get('digest')?.path ?? '', 'utf8')).toContain('# all of it');
  });
});
