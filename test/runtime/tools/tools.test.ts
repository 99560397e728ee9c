/** The tools a model is offered: what each does, and what it refuses. The model is assumed to be hostile. */

import { symlinkSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { UserError } from '../../../src/errors.ts';
import { listSuggestions } from '../../../src/features/memory/store/suggestions.ts';
import { remember } from '../../../src/features/memory/tools/remember.ts';
import { createTurns } from '../../../src/runtime/agent/tools.ts';
import type { FeatureRun } from '../../../src/runtime/run/gateway.ts';
import { bind } from '../../../src/runtime/tools/bind.ts';
import { createTools, type PlanChange, type ToolScope } from '../../../src/runtime/tools/index.ts';
import { type Home, openHome } from '../../../src/workspace/home.ts';
import { openTask } from '../../../src/workspace/tasks/index.ts';
import type { ArtifactRef, Json } from '../../../src/workspace/types.ts';
import charsets from '../../fixtures/charsets.json' with { type: 'json' };
import { toolScope } from '../../helpers/scope.ts';
import { tempFolder } from '../../helpers/temp.ts';

/** By encoding: what is written, and its bytes in base64. */
const CHARSETS = charsets as [encoding: string, text: string, base64: string][];

let root: string;
let home: Home;
let plans: PlanChange[];
let attached: ArtifactRef[];
const NO_ABORT = new AbortController().signal;

beforeEach(async () => {
  root = tempFolder();
  home = await openHome(root);
  plans = [];
  attached = [];
});

function toolbox(options: { planBase?: string; autoAcceptMemory?: boolean; viber?: string; runId?: string } = {}) {
  const seen: Partial<ToolScope> = { onPlan: (change) => plans.push(change), onArtifact: (ref) => attached.push(ref) };
  const names = { taskId: 'task1', runId: 'run1', provenance: 'telegram:1 in task1' };
  const scope = toolScope(home, { ...names, ...options, ...seen });
  const tools = createTools(scope, [bind(remember, { scope } as FeatureRun)]);
  return async (name: string, given: unknown, signal = NO_ABORT): Promise<Json> => {
    const tool = tools.find((t) => t.name === name);
    if (!tool) throw new Error(`no tool ${name}`);
    return tool.execute(tool.input.parse(given), { signal, callId: 'c' });
  };
}

const read = (path: string, more: object = {}) => toolbox()('read_file', { path, ...more });
const create = (more: object) =>
  toolbox()('create_artifact', { title: 'a', type: 'text/plain', content: 'x', ...more });
const planned = async () => (await openTask(home, 'task1').plan.read())?.plan;

const upload = (title: string, content: string | Buffer, type = 'text/plain') =>
  openTask(home, 'task1').artifacts.create({ title, type, name: title, content: Buffer.from(content), origin: 'user' });

describe('update_plan', () => {
  const steps = [
    { id: '1', title: 'Look', status: 'done' },
    { id: '2', title: 'Act', status: 'in_progress' },
  ];

  // What models send that have learnt it from other programs: a list of steps, a list of to-dos, JSON in a string.
  const written = { goal: '', steps };
  const todos = [
    { content: 'Look', status: 'completed', activeForm: 'Looking', id: 'a', priority: 'high' },
    { content: 'Act', status: 'in_progress', activeForm: 'Acting' },
  ];
  const listed = [
    { step: 'Look', status: 'completed' },
    { step: 'Act', status: 'in_progress' },
  ];
  it.each<[string, Json]>(
    // biome-ignore format: a row is a line
    [
      ['a list of steps', { explanation: 'to begin with', plan: listed }],
      ['a list of steps as a string', { plan: JSON.stringify(listed) }],
      ['to-dos', { todos }],
      ['to-dos as a string', { todos: JSON.stringify(todos) }],
      ['to-dos within the plan', { plan: { todos } }],
      ['steps beside the goal', { goal: '', steps: [{ title: 'Look', status: 'Done' }, { title: 'Act', status: 'in progress' }] }],
      ['flags', { plan: { steps: [{ id: 7, title: 'Look', done: true }, { text: 'Act', status: 'doing' }] } }],
    ],
  )('takes %s', async (_what, given) => {
    expect(await toolbox()('update_plan', given)).toMatchObject({ status: 'written', done: 1, total: 2 });
    expect(await planned()).toEqual(written);
  });

  it('knows the words for each status, and names those it takes when it refuses one', async () => {
    const say = (...statuses: string[]) => ({
      plan: { goal: 'x', steps: statuses.map((status) => ({ title: status, status })) },
    });
    await toolbox()('update_plan', say('todo', 'not started', 'finished', 'cancelled', 'wip'));
    expect((await planned())?.steps.map(({ status }) => status)).toEqual([
      ...['pending', 'pending', 'done', 'skipped', 'in_progress'],
    ]);
    await expect(toolbox()('update_plan', say('done', 'maybe'))).rejects.toThrow(
      /pending, in_progress, done, skipped.*maybe/,
    );
    await expect(toolbox()('update_plan', { plan: 7 })).rejects.toThrow(/give Markdown, or \{goal, steps/);
  });

  it('takes steps and Markdown, and goes on from its own change', async () => {
    const run = toolbox();
    const status = 'written';
    expect(await run('update_plan', { plan: { goal: 'Ship', steps } })).toEqual({ status, done: 1, total: 2 });
    const plan = '## Goal\nShip\n\n## Plan\n- [x] Look\n- [x] Act\n';
    expect(await run('update_plan', { plan })).toEqual({ status, done: 2, total: 2 });
    expect((await planned())?.steps.map((step) => step.status)).toEqual(['done', 'done']);
    expect(plans.map((change) => change.status)).toEqual(['written', 'written']);
  });

  it('takes steps that come as JSON in a string', async () => {
    const plan = JSON.stringify({ goal: 'Ship', steps });
    expect(await toolbox()('update_plan', { plan })).toMatchObject({ total: 2 });
    expect((await planned())?.goal).toBe('Ship');
  });

  it('does not overwrite a hand edit: the model sees it and may merge', async () => {
    await openTask(home, 'task1').plan.write({ goal: 'Ship', steps: [] });
    const shown = await openTask(home, 'task1').plan.read();
    const edited = `${shown?.text}\n- [ ] my own step\n`;
    await writeFile(join(root, 'artifacts/task1/task.md'), edited);
    const run = toolbox({ planBase: shown?.hash ?? '' });
    expect(await run('update_plan', { plan: { goal: 'Ship', steps } })).toEqual({
      status: 'conflict',
      message: expect.any(String),
      current: edited,
    });
    expect(await readFile(join(root, 'artifacts/task1/task.md'), 'utf8')).toBe(edited);
    expect(plans).toEqual([{ status: 'conflict', proposal: expect.stringContaining('Act'), current: edited }]);
    const merged = { goal: 'Ship', steps: [...steps, { id: '3', title: 'my own step', status: 'pending' }] };
    expect(await run('update_plan', { plan: merged })).toMatchObject({ status: 'written' });
  });

  it('does not overwrite a plan that appeared after the model was shown none', async () => {
    await openTask(home, 'task1').plan.write({ goal: 'By hand', steps: [] });
    expect(await toolbox()('update_plan', { plan: { goal: 'Mine', steps: [] } })).toMatchObject({ status: 'conflict' });
  });

  it.each([{ plan: '' }, { plan: '  \n' }])('refuses %j', async (given) => {
    await expect(toolbox()('update_plan', given)).rejects.toThrow(UserError);
  });
  it.each([
    {},
    { plan: 1 },
    { plan: { goal: 'x' } },
    { plan: { goal: 'x', steps: [{ id: '1', title: 't', status: 'soon' }] } },
  ])('does not fit %j', async (given) => {
    await expect(toolbox()('update_plan', given)).rejects.toThrow();
    expect(await openTask(home, 'task1').plan.read()).toBeUndefined();
  });
});

describe('create_artifact', () => {
  it('makes a file that is attached to the answer', async () => {
    const result = await create({ title: 'report.md', type: 'text/markdown', content: '# Hi é' });
    expect(result).toEqual({ id: expect.any(String), ref: expect.stringMatching(/^artifacts\/task1\/[a-z0-9]+\.md$/) });
    expect(attached).toEqual([{ ...(result as object), title: 'report.md', type: 'text/markdown' }]);
    const { ref } = result as { ref: string };
    expect(await readFile(join(root, ref), 'utf8')).toBe('# Hi é');
  });

  it('takes base64, also without padding, in lines, or in its URL form', async () => {
    const bytes = Buffer.from([0xff, 0xfb, 0, 1, 2]);
    const given = { title: 'a.bin', type: 'application/octet-stream', encoding: 'base64' };
    for (const content of [bytes.toString('base64'), bytes.toString('base64url'), '//sA\nAQI='])
      await create({ ...given, content });
    expect(await readFile(join(root, attached[0]?.ref ?? ''))).toEqual(bytes);
    expect(new Set(attached.map((ref) => ref.id)).size).toBe(1);
  });

  it.each(['not base64!', 'a', 'AAA=A', 'data:image/png;base64,AAAA'])('refuses %j as base64', async (content) => {
    await expect(create({ type: 'image/png', content, encoding: 'base64' })).rejects.toThrow(/base64/);
  });

  it('refuses an empty file and one above 10 MB', async () => {
    await expect(create({ content: '' })).rejects.toThrow(/empty/);
    await expect(create({ content: 'é'.repeat(5_242_881) })).rejects.toThrow(/10 MB/);
    await expect(create({ content: 'x'.repeat(30_000_000) })).rejects.toThrow(/10 MB/);
    expect(openTask(home, 'task1').artifacts.list()).toEqual([]);
  });

  it('asked for twice in a run is one artifact; in another run, or with another title, another', async () => {
    const given = { title: 'a.txt', type: 'text/plain', content: 'x' };
    for (const more of [{}, {}, { title: 'b.txt' }]) await create({ ...given, ...more });
    await toolbox({ runId: 'run2' })('create_artifact', given);
    expect(openTask(home, 'task1').artifacts.list()).toHaveLength(3);
  });

  it.each(
    // biome-ignore format: a list is filled
    [
      '../../../etc/passwd', '/etc/cron.d/x', 'a\0b.txt', '..', '.env', 'con.txt', 'x\u202Egnp.exe',
      `${'a'.repeat(500)}.txt`, 'C:\\x\\y.txt', '   ',
    ],
  )('stores title %j under a generated name, in the task', async (title) => {
    await create({ title });
    const [meta] = openTask(home, 'task1').artifacts.list();
    expect(meta?.ref).toMatch(/^artifacts\/task1\/[a-z0-9]{8,}\.[a-z]+$/);
    expect(meta?.name).toMatch(/^[^/\\\p{Cc}\u202e.][^/\\\p{Cc}\u202e]*$/u);
    expect(Buffer.byteLength(meta?.name ?? '')).toBeLessThan(256);
  });
});

describe('attach_artifact', () => {
  it('attaches an earlier artifact again, by id or name', async () => {
    const { id, ref } = await upload('photo.png', 'x', 'image/png');
    const run = toolbox();
    expect(await run('attach_artifact', { id })).toEqual({ id, ref });
    expect(await run('attach_artifact', { id: 'photo.png' })).toEqual({ id, ref });
    expect(attached).toHaveLength(2);
  });
  it('knows no artifact of another task', async () => {
    const secret = { title: 'secret', type: 'text/plain', content: Buffer.from('x'), origin: 'user' } as const;
    const other = await openTask(home, 'task2').artifacts.create(secret);
    await expect(toolbox()('attach_artifact', { id: other.id })).rejects.toThrow(/no file/);
    expect(attached).toEqual([]);
  });
});

describe('read_file', () => {
  const PAGE = z.object({ text: z.string(), next: z.number().optional(), size: z.number() });

  it('reads an artifact by id, title, name, ref, and a workspace file', async () => {
    const { id, ref } = await upload('Sales 2026.csv', 'a;b\n1;2\n', 'text/csv');
    await writeFile(join(root, 'workspace/notes.txt'), 'my notes');
    const run = toolbox();
    for (const path of [id, 'Sales 2026.csv', 'sales 2026.CSV', ref, `./${ref}`]) {
      expect(await run('read_file', { path })).toMatchObject({ text: 'a;b\n1;2\n', size: 8 });
    }
    for (const path of ['workspace/notes.txt', 'notes.txt', 'workspace//./notes.txt']) {
      expect(await run('read_file', { path })).toMatchObject({ text: 'my notes' });
    }
  });

  it('prefers the artifact to a workspace file of the same name, and tells artifacts with one name apart', async () => {
    await writeFile(join(root, 'workspace/a.txt'), 'workspace');
    await upload('a.txt', 'first');
    await upload('a.txt', 'second');
    expect(await read('a.txt')).toMatchObject({ text: 'first' });
    expect(await read('a (2).txt')).toMatchObject({ text: 'second' });
  });

  it('reads the plan of its own task, wherever the link in the workspace points', async () => {
    await openTask(home, 'task1').plan.write({ goal: 'Mine', steps: [] });
    await openTask(home, 'task2').plan.write({ goal: 'Theirs', steps: [] });
    symlinkSync('../artifacts/task2/task.md', join(root, 'workspace/task.md'));
    for (const path of ['task.md', 'workspace/task.md', 'artifacts/task1/task.md']) {
      expect(await read(path)).toMatchObject({ text: expect.stringContaining('Mine') });
    }
  });

  it('gives a long file in pages that are the file when put together', async () => {
    const text = '字é😀 line\n'.repeat(20_000);
    await upload('long.txt', text);
    let all = '';
    let pages = 0;
    for (let offset: number | undefined = 0; offset !== undefined && pages < 20; pages++) {
      const page = PAGE.parse(await read('long.txt', { offset }));
      expect(Buffer.byteLength(page.text)).toBeLessThanOrEqual(65_536);
      expect(page.size).toBe(Buffer.byteLength(text));
      all += page.text;
      offset = page.next;
    }
    expect(all).toBe(text);
    expect(pages).toBe(Math.ceil(Buffer.byteLength(text) / 65_536));
  });

  it.each([
    ['an offset behind the end', 999_999, ''],
    ['a negative one', -5, 'hello'],
    ['a fraction', 1.9, 'ello'],
  ])('takes %s', async (_, offset, text) => {
    await upload('a.txt', 'hello');
    expect(await read('a.txt', { offset })).toMatchObject({ text });
  });

  it.each(CHARSETS)('reads %s: %j', async (encoding, text, base64) => {
    await upload('some.txt', Buffer.from(base64, 'base64'));
    const page = await read('some.txt');
    expect(page).toMatchObject({ text, encoding });
    expect(page).not.toHaveProperty('note');
  });

  it('reads a long list in another encoding page by page, also where it begins with pages of ASCII', async () => {
    const [, , base64 = ''] = CHARSETS.find(([encoding]) => encoding === 'gb18030') ?? [];
    const line = Buffer.from(base64, 'base64');
    const head = Buffer.from('0123456,abc\n'.repeat(20_000));
    await upload('long.csv', Buffer.concat([head, ...Array.from({ length: 30_000 }, () => line)]));
    let all = '';
    for (let next: number | undefined = 0; next !== undefined; ) {
      const page = PAGE.parse(await read('long.csv', { offset: next }));
      all += page.text;
      next = page.next;
    }
    expect(all).toBe(`${head}${new TextDecoder('gb18030').decode(line).repeat(30_000)}`);
  });

  it('says that it could not tell the encoding', async () => {
    await upload('odd.txt', Buffer.from('\xa6 \xaf \xb8 \x9d \xf7', 'latin1'));
    expect(await read('odd.txt')).toMatchObject({ note: expect.stringContaining('could not be recognised') });
  });

  it('reads UTF-16 and old Western files as text', async () => {
    await upload('utf16.csv', Buffer.from('\uFEFFä;1\n'.repeat(20_000), 'utf16le'));
    await upload('old.csv', Buffer.from('M\xfcller;1\n', 'latin1'));
    const text = expect.stringMatching(/^ä;1\n/);
    expect(await read('utf16.csv')).toMatchObject({ text, encoding: 'utf-16le' });
    expect(await read('utf16.csv', { offset: 3 })).toMatchObject({ text });
    expect(await read('old.csv')).toMatchObject({ text: 'Müller;1\n', encoding: 'windows-1252' });
  });

  const GERMAN = 'Grüße aus Köln, schöne Tage wünscht Jörg';
  it.each([
    ['one NUL', Buffer.from('name;price\nchair\0;12\n'), 'name;price\nchair\ufffd;12\n'],
    ['one NUL at the end of a few letters', Buffer.from('Hi there\0'), 'Hi there\ufffd'],
    ['one NUL at the end of Latin-1', Buffer.from('Caf\xe9 cr\xe8me\0', 'latin1'), 'Café crème\ufffd'],
    ['one NUL in Latin-1', Buffer.from('M\xfcller\0GmbH, Stra\xdfe 5', 'latin1'), 'Müller\ufffdGmbH, Straße 5'],
    [
      'one NUL among letters of Latin-1',
      Buffer.from(`${'ab'.repeat(20)}\xe9\0`, 'latin1'),
      `${'ab'.repeat(20)}é\ufffd`,
    ],
    ['one NUL in Russian', Buffer.from([0xcf, 0xf0, 0xe8, 0xe2, 0xe5, 0xf2, 0]), 'Привет\ufffd'],
    ['one NUL in Chinese', Buffer.from('xOO6w8rAvecACg==', 'base64'), '你好世界\ufffd\n'],
    ['UTF-16 and one line end', Buffer.from('你好\n', 'utf16le'), '你好\n'],
    ['UTF-16, an emoji and one line end', Buffer.from('Hi 👍🏽\n', 'utf16le'), 'Hi 👍🏽\n'],
    ['one NUL in UTF-8', Buffer.from(`${GERMAN}\0`), `${GERMAN}\ufffd`],
    ['one NUL among letters alone', Buffer.from(`${'ab'.repeat(20)}\0c`), `${'ab'.repeat(20)}\ufffdc`],
    ['NUL far behind its beginning', Buffer.from(`${'a;1\n'.repeat(5_000)}b\0\n`), /b\ufffd\n$/],
    ['a stray control character', Buffer.from('first page\x01\nsecond page\n'), 'first page\x01\nsecond page\n'],
    ['a quotation mark of Windows', Buffer.from([...Buffer.from(GERMAN), 0x92]), `${GERMAN}\ufffd`],
    ['a letter cut in two', Buffer.from([...Buffer.from(GERMAN), 0xc3, 10]), `${GERMAN}\ufffd\n`],
    ['a stray byte in Russian', Buffer.from([0xff, ...Buffer.from('Привет, мир')]), '\ufffdПривет, мир'],
    ['a stray byte in Japanese', Buffer.from([...Buffer.from('こんにちは'), 0x80, 10]), 'こんにちは\ufffd\n'],
  ])('reads a text with %s', async (_, content, text) => {
    await upload('notes.csv', content);
    const wanted = typeof text === 'string' ? text : expect.stringMatching(text);
    expect(await read('notes.csv')).toMatchObject({ text: wanted });
  });

  it.each([
    ['a.pdf', Buffer.from('%PDF-1.7 text'), 'application/pdf'],
    ['a.png', Buffer.from('\x89PNG\r\n\x1a\n0000', 'latin1'), 'image/png'],
    ['a.dat', Buffer.from([1, 2, 0, 3]), 'application/octet-stream'],
    ['liar.txt', Buffer.from('PK\x03\x04zip', 'latin1'), 'application/zip'],
  ])('refuses %s with its type and size', async (name, content, type) => {
    await upload(name, content, name.endsWith('.txt') ? 'text/plain' : type);
    await expect(read(name)).rejects.toThrow(new RegExp(`not text: ${type}, \\d+ bytes`));
  });
});

describe('write_file', () => {
  it('makes an artifact of a bare name, replaces its own, and leaves what a person sent in', async () => {
    const run = toolbox();
    const first = await run('write_file', { path: 'report.md', content: 'one' });
    expect(first).toMatchObject({ path: 'report.md', size: 3, ref: expect.stringMatching(/\.md$/) });
    const { id } = first as { id: string };
    expect(await run('write_file', { path: 'report.md', content: 'two' })).toMatchObject({ id });
    await upload('sent.csv', 'original', 'text/csv');
    for (const content of ['change', 'changed'])
      expect(await run('write_file', { path: 'sent.csv', content })).toMatchObject({ path: 'sent (2).csv' });
    const metas = openTask(home, 'task1').artifacts.list();
    expect(metas.map((meta) => [meta.title, meta.type, meta.origin])).toEqual([
      ['report.md', 'text/markdown', 'agent'],
      ['sent.csv', 'text/csv', 'user'],
      ['sent (2).csv', 'text/csv', 'agent'],
    ]);
    expect(await run('read_file', { path: 'sent (2).csv' })).toMatchObject({ text: 'changed' });
    expect(await readFile(join(root, metas[1]?.ref ?? ''), 'utf8')).toBe('original');
    expect(attached.map((ref) => ref.title)).toEqual(['report.md', 'report.md', 'sent (2).csv', 'sent (2).csv']);
  });

  it('writes into the workspace, in folders that need not exist, without attaching', async () => {
    const path = 'workspace/notes/2026/a.md';
    expect(await toolbox()('write_file', { path, content: 'x' })).toEqual({ path, size: 1 });
    expect(await readFile(join(root, path), 'utf8')).toBe('x');
    expect(attached).toEqual([]);
  });

  it('writes the plan that waits for consent', async () => {
    await toolbox()('write_file', { path: 'implementation_plan.md', content: '## Goal\nx' });
    expect(await readFile(join(root, 'artifacts/task1/implementation_plan.md'), 'utf8')).toBe('## Goal\nx');
  });

  it("writes in another viber's name only into that viber's folder", async () => {
    await toolbox({ viber: 'dev' })('write_file', { path: 'workspace/a.md', content: 'x' });
    expect(await readFile(join(root, 'vibers/dev/a.md'), 'utf8')).toBe('x');
  });
});

describe('list_files', () => {
  it('lists artifacts and the workspace, without hidden files, links and credentials', async () => {
    await upload('a.txt', 'hello');
    await writeFile(join(root, 'workspace/b.txt'), '12');
    await writeFile(join(root, 'workspace/.env'), 'TOKEN=1');
    await writeFile(join(root, 'workspace/x.secret.md'), '1');
    await mkdir(join(root, 'workspace/credentials'));
    await mkdir(join(root, 'workspace/docs/deep'), { recursive: true });
    symlinkSync('/etc/passwd', join(root, 'workspace/link'));
    const run = toolbox();
    const all = await run('list_files', {});
    expect(all).toMatchObject({ artifacts: [{ title: 'a.txt', type: 'text/plain', size: 5 }] });
    const { workspace } = all as { workspace: string[] };
    expect(workspace).toContain('workspace/b.txt (2 bytes)');
    expect(workspace).toContain('workspace/docs/');
    expect(workspace.join()).not.toMatch(/env|secret|credentials|link/);
    expect(await run('list_files', { path: 'workspace/docs' })).toEqual({ workspace: ['workspace/docs/deep/'] });
    expect(await run('list_files', { path: 'artifacts/task1' })).toEqual({
      artifacts: [expect.objectContaining({ title: 'a.txt' })],
    });
    await expect(run('list_files', { path: 'workspace/none' })).rejects.toThrow(/no folder/);
  });

  it('stays short in a full folder', async () => {
    await mkdir(join(root, 'workspace/many'));
    for (let i = 0; i < 230; i++) await writeFile(join(root, `workspace/many/${i}.txt`), '');
    const { workspace } = (await toolbox()('list_files', { path: 'workspace/many' })) as { workspace: string[] };
    expect(workspace).toHaveLength(201);
    expect(workspace.at(-1)).toBe('... and 30 more');
  });
});

describe('remember', () => {
  it('waits for a person by default', async () => {
    const result = await toolbox()('remember', { text: 'Likes tea', section: 'User Preferences' });
    const [pending] = await listSuggestions(home, 'default');
    expect(result).toEqual({ status: 'pending', id: pending?.id });
    const said = { text: 'Likes tea', section: 'User Preferences' };
    expect(pending).toMatchObject({ ...said, provenance: 'telegram:1 in task1' });
    expect(await readFile(join(root, 'workspace/MEMORY.md'), 'utf8')).not.toContain('tea');
  });

  it('writes at once what an owner has said when the configuration says so', async () => {
    const from = { channel: 'telegram', user: 'telegram:1', name: 'Alex' };
    const said = { type: 'message' as const, id: 'm', run: 'run1', at: '2026-01-01T00:00:00.000Z', files: [] };
    await openTask(home, 'task1', 'default').session.append([{ ...said, from, text: 'I like tea' }]);
    expect(await toolbox({ autoAcceptMemory: true })('remember', { text: 'Likes tea' })).toEqual({ status: 'saved' });
    expect(await readFile(join(root, 'workspace/MEMORY.md'), 'utf8')).toContain('- Likes tea');
  });

  it.each(['', ' \n ', 'x'.repeat(2001)])('refuses %.10j', async (text) => {
    await expect(toolbox({ autoAcceptMemory: true })('remember', { text })).rejects.toThrow(UserError);
  });
});

describe('calls of one step', () => {
  it('run in the order they were made', async () => {
    const [run, inTurn] = [toolbox(), createTurns(new AbortController().signal)];
    const calls = Array.from({ length: 20 }, (_, i) =>
      inTurn(false, () => run('write_file', { path: 'a.txt', content: `${i}` })),
    );
    const last = inTurn(false, () => run('read_file', { path: 'a.txt' }));
    await Promise.all(calls);
    expect(await last).toMatchObject({ text: '19' });
    expect(openTask(home, 'task1').artifacts.list()).toHaveLength(1);
  });

  it('that fail do not hold up the next, and after an abort none begins', async () => {
    const [run, stopped] = [toolbox(), new AbortController()];
    const inTurn = createTurns(stopped.signal);
    const failed = inTurn(false, () => run('read_file', { path: 'none' }));
    const next = inTurn(false, async () => {
      const written = await run('write_file', { path: 'b.txt', content: 'x' });
      stopped.abort(new Error('stop'));
      return written;
    });
    const aborted = inTurn(false, () => run('write_file', { path: 'a.txt', content: 'x' }));
    await expect(failed).rejects.toThrow(UserError);
    await next;
    await expect(aborted).rejects.toThrow('stop');
    const { artifacts } = openTask(home, 'task1');
    expect(artifacts.list().map((meta) => meta.title)).toEqual(['b.txt']);
  });
});
