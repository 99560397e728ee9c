/** Artifacts: generated names, an index that survives, and nothing outside the task's folder. */

import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { UserError } from '../../src/errors.ts';
import type { Home } from '../../src/workspace/home.ts';
import { limitSpace, openTask, saveTask } from '../../src/workspace/tasks/index.ts';
import { newHome } from './home-helper.ts';

const TASK = '20260101-aaaaa';
const bytes = (text: string) => new TextEncoder().encode(text);
const create = (
  home: Home,
  title: string,
  more: { type?: string; content?: string; id?: string; name?: string } = {},
) =>
  openTask(home, TASK).artifacts.create({
    title,
    type: 'text/markdown',
    origin: 'agent',
    ...more,
    content: bytes(more.content ?? title),
  });
const contentOf = async (home: Home, id: string) => {
  const meta = openTask(home, TASK)
    .artifacts.list()
    .find((candidate) => candidate.id === id);
  return meta && fs.readFileSync(openTask(home, TASK).artifacts.pathOf(meta), 'utf8');
};
const indexFile = (home: Home) => path.join(home.taskDir(TASK), 'artifacts.jsonl');

describe('createArtifact', () => {
  it('lets what comes at once into several tasks of a person take no more than their budget', async () => {
    const home = await newHome();
    const ids = Array.from({ length: 6 }, (_, n) => `20260101-aaaa${'bcdefg'[n]}`);
    const at = new Date().toISOString();
    for (const id of ids)
      await saveTask(home, {
        ...{ id, viber: 'default', title: 't', goal: 'g', state: 'completed', people: ['telegram:7'] },
        ...{ conversations: [], runs: 0, createdAt: at, updatedAt: at },
      });
    const budget = { key: 'telegram:7', aliases: ['telegram:7'], bytes: 300_000 };
    const unlimit = limitSpace(home, { of: () => budget, bytesFor: () => 0, onFull: () => undefined });
    const content = new Uint8Array(100_000);
    const all = ids.map((id) =>
      openTask(home, id).artifacts.create({ title: 'f', type: 'text/plain', origin: 'user', content }),
    );
    const kept = (await Promise.allSettled(all)).filter(({ status }) => status === 'fulfilled');
    unlimit();
    expect(kept).toHaveLength(2);
  });

  it('gives a ref and keeps everything else in the index', async () => {
    const home = await newHome();
    const ref = await create(home, 'Landing page', { content: '# Page' });
    expect(ref).toEqual({
      id: expect.stringMatching(/^[a-z2-9]{8}$/),
      title: 'Landing page',
      type: 'text/markdown',
      ref: `artifacts/${TASK}/${ref.id}.md`,
    });
    expect(openTask(home, TASK).artifacts.list()).toEqual([
      {
        ...ref,
        name: 'Landing page.md',
        size: 6,
        sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
        origin: 'agent',
        createdAt: expect.stringMatching(/Z$/),
      },
    ]);
    expect(await contentOf(home, ref.id)).toBe('# Page');
    expect(fs.statSync(path.join(home.root, ref.ref)).mode & 0o777).toBe(0o600);
    expect(openTask(home, '20260101-none').artifacts.list()).toEqual([]);
  });

  it('numbers a title that another artifact has, as a file manager does', async () => {
    const home = await newHome();
    const titles = [
      // biome-ignore format: a list is filled
      ...[
        'report.csv', 'report.csv', 'REPORT.CSV', 'report (2).csv', 'Release 1.2', 'Release 1.2', 'Budget (2024).csv',
      ],
      ...[
        'Budget (2024).csv',
        'Notes',
        'notes',
        'Notes.md',
        'v1.tar.gz',
        'v1.tar.gz',
        'a'.repeat(200),
        'a'.repeat(200),
      ],
    ];
    const made: string[] = [];
    for (const [n, title] of titles.entries()) {
      const named = /\.[a-z]/i.test(title) ? { name: title } : {};
      made.push((await create(home, title, { content: String(n), id: `f${n}`, ...named })).title);
    }
    expect(made).toEqual([
      ...['report.csv', 'report (2).csv', 'REPORT (3).CSV', 'report (4).csv', 'Release 1.2', 'Release 1.2 (2)'],
      ...['Budget (2024).csv', 'Budget (2024) (2).csv', 'Notes', 'notes (2)', 'Notes (3).md'],
      ...['v1.tar.gz', 'v1.tar (2).gz', 'a'.repeat(200), `${'a'.repeat(196)} (2)`],
    ]);
    const names = openTask(home, TASK)
      .artifacts.list()
      .map(({ name }) => name.toLowerCase());
    expect(new Set(names).size).toBe(names.length);
  });

  it('keeps the title of an artifact that is replaced or made again, numbered or not', async () => {
    const home = await newHome();
    await create(home, 'report.csv', { id: 'one', content: '1' });
    await create(home, 'report.csv', { id: 'two', content: '2' });
    expect((await create(home, 'report.csv', { id: 'two', content: '2' })).title).toBe('report (2).csv');
    expect((await create(home, 'report.csv', { id: 'two', content: 'new' })).title).toBe('report (2).csv');
    expect((await create(home, 'report.csv', { id: 'one', content: 'new' })).title).toBe('report.csv');
    expect(openTask(home, TASK).artifacts.list()).toHaveLength(2);
  });

  it('numbers the titles of links and of files that people send', async () => {
    const home = await newHome();
    const { artifacts } = openTask(home, TASK);
    const link = (id: string) =>
      artifacts.link({ id, title: 'Docs', type: 'text/html', ref: `https://example.org/${id}` });
    expect([(await link('a')).title, (await link('b')).title, (await link('b')).title]).toEqual([
      ...['Docs', 'Docs (2)', 'Docs (2)'],
    ]);
    for (const n of [1, 2]) {
      const file = path.join(home.taskDir(TASK), `.in-${n}`);
      fs.writeFileSync(file, String(n));
      await artifacts.adopt({ title: 'photo.jpg', name: 'photo.jpg', type: 'image/jpeg', origin: 'user', path: file });
    }
    expect(artifacts.list().map(({ title }) => title)).toEqual(['Docs', 'Docs (2)', 'photo.jpg', 'photo (2).jpg']);
    expect(artifacts.find('photo (2).jpg')?.title).toBe('photo (2).jpg');
  });

  it('is the same artifact when it is made twice, and a new version with other content', async () => {
    const home = await newHome();
    const first = await create(home, 'Walkthrough', { id: 'walkthrough', content: 'v1' });
    expect(await create(home, 'Walkthrough', { id: 'walkthrough', content: 'v1' })).toEqual(first);
    expect(fs.readFileSync(indexFile(home), 'utf8').split('\n')).toHaveLength(2);
    expect(first.ref).toBe(`artifacts/${TASK}/walkthrough.md`);
    await create(home, 'Other');
    await create(home, 'Walkthrough 2', { id: 'Walkthrough', content: 'v2' });
    expect(
      openTask(home, TASK)
        .artifacts.list()
        .map((meta) => meta.title),
    ).toEqual(['Other', 'Walkthrough 2']);
    expect(await contentOf(home, 'walkthrough')).toBe('v2');
  });

  it('goes on after a crash between the file and its line', async () => {
    const home = await newHome();
    await create(home, 'Report', { id: 'report', content: 'text' });
    fs.rmSync(indexFile(home));
    expect((await create(home, 'Report', { id: 'report', content: 'text' })).id).toBe('report');
  });

  it('never takes the name of another file', async () => {
    const home = await newHome();
    fs.mkdirSync(home.taskDir(TASK));
    const own = { 'task.md': 'plan', 'implementation_plan.md': 'plan', 'notes.md': 'mine', 'task.json': '{}' };
    for (const [name, text] of Object.entries(own)) fs.writeFileSync(path.join(home.taskDir(TASK), name), text);
    fs.symlinkSync('/etc/passwd', path.join(home.taskDir(TASK), 'door.md'));
    for (const id of [
      'task',
      'TASK',
      'implementation_plan',
      'artifacts',
      'notes',
      'door',
      '../x',
      '',
      'a b',
      'x'.repeat(100),
      '.hidden',
      '__proto__',
    ]) {
      const ref = await create(home, `For ${id}`, { id, content: `content ${id}` });
      expect(ref.id, id).toMatch(/^[a-z2-9]{8}$|^[0-9a-f]{10}$/);
    }
    for (const [name, text] of Object.entries(own))
      expect(fs.readFileSync(path.join(home.taskDir(TASK), name), 'utf8')).toBe(text);
    expect(fs.readdirSync(home.root).sort()).toEqual(fs.readdirSync((await newHome()).root).sort());
  });

  it('keeps every one of many made at once', async () => {
    const home = await newHome();
    const refs = await Promise.all(Array.from({ length: 30 }, (_, i) => create(home, `n${i}`)));
    expect(new Set(refs.map((ref) => ref.id)).size).toBe(30);
    expect(
      openTask(home, TASK)
        .artifacts.list()
        .map((meta) => meta.title),
    ).toEqual(Array.from({ length: 30 }, (_, i) => `n${i}`));
  });

  // biome-ignore format: a row is a line
  const TYPES: [string, string | undefined, string, string][] = [
    ['image/png', undefined, 'image/png', 'png'],
    ['IMAGE/JPEG', undefined, 'image/jpeg', 'jpg'],
    ['text/html; charset=utf-8', undefined, 'text/html', 'html'],
    ['text/plain', 'main.ts', 'text/plain', 'ts'],
    ['text/plain', undefined, 'text/plain', 'txt'],
    ['application/octet-stream', 'data.parquet', 'application/octet-stream', 'parquet'],
    ['application/vnd.openxmlformats-officedocument.wordprocessingml.document', undefined, 'application/vnd.openxmlformats-officedocument.wordprocessingml.document', 'docx'],
    ['application/x-never-heard-of', undefined, 'application/x-never-heard-of', 'bin'],
    ['text/html\r\nX-Evil: 1', undefined, 'application/octet-stream', 'bin'],
    ['nonsense', undefined, 'application/octet-stream', 'bin'],
    ['', 'x.md', 'application/octet-stream', 'md'],
    ['../../etc', 'a.b/c', 'application/octet-stream', 'bin'],
  ];
  it.each(TYPES)('type %j with name %j is %s, stored as .%s', async (type, name, clean, extension) => {
    const ref = await create(await newHome(), 'x', { type, ...(name === undefined ? {} : { name }) });
    expect([ref.type, path.extname(ref.ref)]).toEqual([clean, `.${extension}`]);
  });

  const NAMES: [string, string][] = [
    ['../../etc/passwd', 'etc_passwd.md'],
    ['..\\..\\boot.ini', 'boot.ini'],
    ['invoice\u202efdp.exe', 'invoicefdp.exe'],
    ['a\0b\nc.txt', 'ab c.txt'],
    ['.bashrc', 'bashrc.md'],
    ['...', 'file.md'],
    ['', 'x.md'],
    ['Release 1.2', 'Release 1.2'],
    ['con:aux|"<>?*.csv', 'con_aux_.csv'],
    ['отчёт за май.docx', 'отчёт за май.docx'],
    ['👩‍👩‍👧.png', '👩‍👩‍👧.png'],
    [`${'長'.repeat(500)}.pdf`, `${'長'.repeat(116)}.pdf`],
    [`x.${'e'.repeat(300)}`, `x.${'e'.repeat(115)}.md`],
  ];
  it.each(NAMES)('the name %j becomes %j', async (name, expected) => {
    const home = await newHome();
    await create(home, 'x', { name });
    const [meta] = openTask(home, TASK).artifacts.list();
    expect(meta?.name).toBe(expected);
  });

  it('a title is one clean line', async () => {
    const home = await newHome();
    expect((await create(home, 'A\u202e\n# title\u0007', { content: '1' })).title).toBe('A # title');
    expect((await create(home, ' ', { content: '2', name: 'Report.md' })).title).toBe('Report.md');
    expect((await create(home, 'x'.repeat(1000), { content: '3' })).title).toHaveLength(200);
    expect(openTask(home, TASK).artifacts.list()[0]?.name).toBe('A # title.md');
    expect((await create(home, 'Release 1.2', { content: '4' })).title).toBe('Release 1.2');
    expect(openTask(home, TASK).artifacts.list().at(-1)?.name).toBe('Release 1.2.md');
  });
});

describe('adoptArtifact', () => {
  it('moves a finished download into place under a generated name', async () => {
    const home = await newHome();
    fs.mkdirSync(home.taskDir(TASK));
    const incoming = path.join(home.taskDir(TASK), '.incoming-1');
    fs.writeFileSync(incoming, 'a,b', { mode: 0o644 });
    const meta = await openTask(home, TASK).artifacts.adopt({
      path: incoming,
      title: '../évil.csv',
      type: 'text/csv',
      origin: 'user',
      name: '../évil.csv',
    });
    expect(meta).toMatchObject({ name: 'évil.csv', size: 3, origin: 'user', type: 'text/csv' });
    expect(await contentOf(home, meta.id)).toBe('a,b');
    expect(fs.readdirSync(home.taskDir(TASK)).sort()).toEqual([`${meta.id}.csv`, 'artifacts.jsonl'].sort());
    expect(fs.statSync(path.join(home.root, meta.ref)).mode & 0o777).toBe(0o600);
  });

  it('is done once for one id', async () => {
    const home = await newHome();
    fs.mkdirSync(home.taskDir(TASK));
    const incoming = path.join(home.taskDir(TASK), '.incoming-1');
    const given = { path: incoming, title: 'x', type: 'text/csv', origin: 'user', id: 'f1' } as const;
    fs.writeFileSync(incoming, 'a,b');
    const first = await openTask(home, TASK).artifacts.adopt(given);
    fs.writeFileSync(incoming, 'a,b');
    expect(await openTask(home, TASK).artifacts.adopt(given)).toEqual(first);
    expect(fs.existsSync(incoming)).toBe(false);
    expect(openTask(home, TASK).artifacts.list()).toHaveLength(1);
  });

  it('refuses what is not a regular file', async () => {
    const home = await newHome();
    fs.mkdirSync(home.taskDir(TASK));
    const link = path.join(home.taskDir(TASK), 'link');
    fs.symlinkSync('/etc/passwd', link);
    for (const bad of [link, home.taskDir(TASK), path.join(home.taskDir(TASK), 'none')]) {
      await expect(
        openTask(home, TASK).artifacts.adopt({ path: bad, title: 'x', type: 'text/csv', origin: 'user' }),
      ).rejects.toBeInstanceOf(UserError);
    }
    expect(openTask(home, TASK).artifacts.list()).toEqual([]);
  });
});

describe('findArtifact', () => {
  it('knows ids, titles, names and beginnings, the newest first', async () => {
    const home = await newHome();
    const old = await create(home, 'Report', { content: 'old' });
    const report = await create(home, 'Report', { content: 'new' });
    const page = await create(home, 'Landing page', { name: 'index.html', type: 'text/html' });
    const find = async (text: string) => openTask(home, TASK).artifacts.find(text)?.id;
    expect(await find(old.id)).toBe(old.id);
    expect(await find(old.id.slice(0, 7))).toBe(old.id);
    expect([await find(' report '), await find('report (2)')]).toEqual([old.id, report.id]);
    expect(await find('repo')).toBe(report.id);
    // Indexes of earlier versions have several artifacts of one title.
    const again = JSON.stringify({ ...openTask(home, TASK).artifacts.list()[0], id: 'again' });
    fs.appendFileSync(indexFile(home), `${again}\n`);
    expect(await find('report')).toBe('again');
    expect(await find('INDEX.HTML')).toBe(page.id);
    expect(await find('land')).toBe(page.id);
    expect([await find('nothing'), await find('')]).toEqual([undefined, undefined]);
  });
});

describe('a damaged or forged index', () => {
  it('loses the torn line at most', async () => {
    const home = await newHome();
    for (const title of ['one', 'two', 'three']) await create(home, title);
    const whole = fs.readFileSync(indexFile(home));
    for (let cut = 0; cut < whole.length; cut += 16) {
      fs.writeFileSync(indexFile(home), whole.subarray(0, cut));
      const lines = whole.subarray(0, cut).toString().split('\n').length - 1;
      expect(openTask(home, TASK).artifacts.list().length).toBeGreaterThanOrEqual(lines);
      await create(home, `after ${cut}`);
      expect(openTask(home, TASK).artifacts.list().at(-1)?.title).toBe(`after ${cut}`);
      expect(openTask(home, TASK).artifacts.list().length).toBeGreaterThan(lines);
    }
  });

  it('leads nowhere', async () => {
    const home = await newHome();
    const ref = await create(home, 'x');
    const [good] = openTask(home, TASK).artifacts.list();
    if (!good) throw new Error('missing');
    fs.symlinkSync('/etc/passwd', path.join(home.taskDir(TASK), 'door.md'));
    fs.mkdirSync(path.join(home.taskDir(TASK), 'folder.md'));
    fs.writeFileSync(path.join(home.root, 'config.yaml'), 'secret');
    for (const name of ['.env', '.incoming-1', 'UPPER.md', 'task.json', 'task.md']) {
      fs.writeFileSync(path.join(home.taskDir(TASK), name), 'no artifact');
    }
    for (const bad of [
      '../../config.yaml',
      '/etc/passwd',
      'door.md',
      'folder.md',
      'none.md',
      '..',
      '.',
      '',
      '.env',
      'task.json',
      'task.md',
      'artifacts.jsonl',
      '.incoming-1',
      'UPPER.md',
      'a\\b.md',
    ]) {
      const forged = { ...good, ref: bad };
      expect(() => openTask(home, TASK).artifacts.pathOf(forged), bad).toThrow(UserError);
    }
    fs.appendFileSync(
      indexFile(home),
      `${JSON.stringify({ ...good, id: '../x' })}\n${JSON.stringify({ ...good, size: 'big' })}\n[]\nnull\n`,
    );
    expect(openTask(home, TASK).artifacts.list()).toEqual([good]);
    fs.rmSync(path.join(home.root, ref.ref));
    expect(() => openTask(home, TASK).artifacts.pathOf(good)).toThrow('no longer there');
  });
});
