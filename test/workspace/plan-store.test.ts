/** The store of plans: hand edits win, nothing is lost, the link in the workspace shows the current task. */
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { UserError } from '../../src/errors.ts';
import { damageText, listenForDamage } from '../../src/lib/damage.ts';
import type { Home } from '../../src/workspace/home.ts';
import { linkCurrentTask } from '../../src/workspace/tasks/current.ts';
import { hearChanges, openTask, type PlanEdit, type PlanWrite, parsePlan } from '../../src/workspace/tasks/index.ts';
import { saveTask } from '../../src/workspace/tasks/record.ts';
import type { Plan } from '../../src/workspace/types.ts';
import { newHome } from './home-helper.ts';

const [A, B] = ['20260101-aaaaa', '20260101-bbbbb'];
const simple = (goal: string, ...titles: string[]): Plan => ({
  goal,
  steps: titles.map((title, index) => ({ id: String(index + 1), title, status: 'pending' })),
});
const planFile = (home: Home, taskId: string) => path.join(home.taskDir(taskId), 'task.md');
const link = (home: Home, viber = 'default') => path.join(home.viberDir(viber), 'task.md');
const titles = async (home: Home, taskId: string) =>
  (await openTask(home, taskId).plan.read())?.plan.steps.map((step) => step.title);

function written(result: PlanWrite): { text: string; hash: string } {
  if (!result.written) throw new Error(`refused for ${result.current}`);
  return result;
}

/** As editors do that write a new file and rename it over the old name. */
function replaceLink(file: string, text: string): void {
  fs.writeFileSync(`${file}.swp`, text);
  fs.renameSync(`${file}.swp`, file);
}

describe('writePlan', () => {
  it('writes and reads back; without a plan there is none', async () => {
    const home = await newHome();
    expect(await openTask(home, A).plan.read()).toBeUndefined();
    const { text, hash } = written(await openTask(home, A).plan.write(simple('Go', 'one')));
    expect(await openTask(home, A).plan.read()).toEqual({ text, hash, plan: simple('Go', 'one') });
    expect(fs.statSync(planFile(home, A)).mode & 0o777).toBe(0o600);
  });

  it('keeps a file that was not saved as UTF-8 beside the new one, once, and says so', async () => {
    const home = await newHome();
    const told: string[] = [];
    listenForDamage(home.root, (damage) => told.push(damageText(damage, home.root)));
    await openTask(home, A).plan.write(simple('Go', 'one'));
    const bytes = Buffer.from('## Goal\n\nGr\u00fc\u00dfe\n\n## Plan\n\n- [ ] one\n', 'latin1');
    fs.writeFileSync(planFile(home, A), bytes);
    await openTask(home, A).plan.write(simple('', 'one', 'two'), { baseHash: 'another' });
    expect(fs.readdirSync(home.taskDir(A)).filter((name) => name.includes('.bad'))).toEqual([]);
    await openTask(home, A).plan.write(simple('', 'one', 'two'));
    await openTask(home, A).plan.write(simple('', 'one', 'two', 'three'));
    expect(await titles(home, A)).toEqual(['one', 'two', 'three']);
    expect(fs.readFileSync(`${planFile(home, A)}.bad`).equals(bytes)).toBe(true);
    expect(fs.existsSync(`${planFile(home, A)}.bad-2`)).toBe(false);
    expect(told.at(-1)).toBe(
      `The file artifacts/${A}/task.md is not UTF-8 text and was moved to artifacts/${A}/task.md.bad. Lost: letters in this ` +
        'file that were not saved as UTF-8. They are whole in the copy: save it as UTF-8 and put it back.',
    );
  });

  it('gives the change back as a proposal when a person edited since', async () => {
    const home = await newHome();
    const { text, hash } = written(await openTask(home, A).plan.write(simple('Go', 'one')));
    fs.writeFileSync(planFile(home, A), `${text}\n## Mine\nby hand\n`);
    const result = await openTask(home, A).plan.write(simple('Go', 'one', 'two'), { baseHash: hash });
    expect(result).toMatchObject({ written: false, current: `${text}\n## Mine\nby hand\n` });
    expect(parsePlan(result.written ? '' : result.proposal).steps).toHaveLength(2);
    expect(result.written ? '' : result.proposal).toContain('by hand');
    expect(fs.readFileSync(planFile(home, A), 'utf8')).toContain('by hand');
    expect(await titles(home, A)).toEqual(['one']);
  });

  it('goes on from the hash of the hand edit', async () => {
    const home = await newHome();
    await openTask(home, A).plan.write(simple('Go', 'one'));
    fs.writeFileSync(planFile(home, A), '## Goal\nGo\n## Plan\n- [ ] mine\n');
    const base = await openTask(home, A).plan.read();
    written(await openTask(home, A).plan.write(simple('Go', 'mine', 'two'), { baseHash: base?.hash ?? '' }));
    expect(await titles(home, A)).toEqual(['mine', 'two']);
  });

  it('has no quarrel when both want the same, or the file is gone', async () => {
    const home = await newHome();
    const { text } = written(await openTask(home, A).plan.write(simple('Go', 'one')));
    expect(await openTask(home, A).plan.write(text, { baseHash: 'other' })).toMatchObject({ written: true });
    fs.rmSync(planFile(home, A));
    expect(await openTask(home, A).plan.write(simple('Go', 'one'), { baseHash: 'other' })).toMatchObject({
      written: true,
    });
  });

  it('merges Markdown that is not a whole file, and takes one that is', async () => {
    const home = await newHome();
    await openTask(home, A).plan.write('# Current Task\n\n## Goal\nGo\n\n## Plan\n- [ ] a\n\n## Context\nDark.');
    const merged = written(await openTask(home, A).plan.write('- [x] a\n- [ ] b')).text;
    expect(merged).toBe('# Current Task\n\n## Goal\nGo\n\n## Plan\n- [x] a\n- [ ] b\n\n## Context\nDark.\n');
    expect(written(await openTask(home, A).plan.write('## Plan\n- [x] c')).text).toContain('Dark.');
    expect(written(await openTask(home, A).plan.write('## Goal\nNew\n## Plan\n- [ ] z')).text).toBe(
      '## Goal\nNew\n## Plan\n- [ ] z\n',
    );
  });

  it('two at once: one is written, the other is given back, nothing is lost', async () => {
    const home = await newHome();
    const { hash } = written(await openTask(home, A).plan.write(simple('Go', 'one')));
    const results = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        openTask(home, A).plan.write(simple('Go', 'one', `writer ${i}`), { baseHash: hash }),
      ),
    );
    expect(results.filter((result) => result.written)).toHaveLength(1);
    const texts = results.map((result) => (result.written ? result.text : result.proposal));
    for (let i = 0; i < 20; i++) expect(texts.some((text) => text.includes(`writer ${i}\n`))).toBe(true);
    expect(await titles(home, A)).toEqual(['one', 'writer 0']);
  });

  it('many at once without a base are all written, one after the other', async () => {
    const home = await newHome();
    const all = Array.from({ length: 30 }, (_, i) => openTask(home, A).plan.write(simple('Go', `writer ${i}`)));
    expect((await Promise.all(all)).every((result) => result.written)).toBe(true);
    expect(await titles(home, A)).toEqual(['writer 29']);
  });

  it('refuses a plan of megabytes', async () => {
    await expect(openTask(await newHome(), A).plan.write(simple('x'.repeat(300_000)))).rejects.toBeInstanceOf(
      UserError,
    );
  });

  it('sees a hand edit at once, even within one tick of the clock', async () => {
    const home = await newHome();
    await openTask(home, A).plan.write(simple('Go', 'aaa'));
    for (const word of ['bbb', 'ccc', 'ddd']) {
      fs.writeFileSync(planFile(home, A), `## Plan\n- [ ] ${word}\n`);
      expect(await titles(home, A)).toEqual([word]);
    }
  });
});

describe('the current task', () => {
  it('is shown by relative links, moved when another becomes current', async () => {
    const home = await newHome();
    await openTask(home, A).plan.write(simple('A', 'one'));
    await linkCurrentTask(home, 'default', A);
    expect(fs.readlinkSync(link(home))).toBe(`../artifacts/${A}/task.md`);
    expect(fs.readFileSync(path.join(home.root, 'vibers/default/task.md'), 'utf8')).toContain('one');
    expect(fs.readlinkSync(path.join(home.viberDir('default'), 'session-log'))).toBe(
      `../agents/default/sessions/${A}.jsonl`,
    );
    await linkCurrentTask(home, 'default', B);
    expect(fs.readlinkSync(link(home))).toBe(`../artifacts/${B}/task.md`);
    expect(fs.existsSync(link(home))).toBe(false);
    await linkCurrentTask(home, 'dev', A);
    expect(fs.readlinkSync(link(home, 'dev'))).toBe(`../../artifacts/${A}/task.md`);
    expect(fs.readFileSync(link(home, 'dev'), 'utf8')).toContain('one');
  });

  it('an edit through the link is an edit of the plan', async () => {
    const home = await newHome();
    await openTask(home, A).plan.write(simple('A', 'one'));
    await linkCurrentTask(home, 'default', A);
    fs.writeFileSync(link(home), '## Plan\n- [ ] through the link\n');
    expect(await titles(home, A)).toEqual(['through the link']);
  });

  it('a file an editor put in place of the link is the plan of the task that was current', async () => {
    const home = await newHome();
    await openTask(home, A).plan.write(simple('A', 'one'));
    await linkCurrentTask(home, 'default', A);
    replaceLink(link(home), '## Plan\n- [ ] by hand\n');
    await linkCurrentTask(home, 'default', B);
    expect(await titles(home, A)).toEqual(['by hand']);
    expect(await openTask(home, B).plan.read()).toBeUndefined();
    expect(fs.readlinkSync(link(home))).toBe(`../artifacts/${B}/task.md`);
  });

  it('is seen by readPlan and writePlan right away', async () => {
    const home = await newHome();
    const { hash } = written(await openTask(home, A).plan.write(simple('A', 'one')));
    await linkCurrentTask(home, 'default', A);
    replaceLink(link(home), '## Plan\n- [ ] by hand\n');
    expect(await openTask(home, A).plan.write(simple('A', 'agent'), { baseHash: hash })).toMatchObject({
      written: false,
      current: '## Plan\n- [ ] by hand\n',
    });
    expect(await titles(home, A)).toEqual(['by hand']);
    replaceLink(link(home), '## Plan\n- [ ] again\n');
    expect(await titles(home, A)).toEqual(['again']);
    expect(fs.lstatSync(link(home)).isSymbolicLink()).toBe(true);
  });

  it('a hand edit that comes while the agent writes is not overwritten', async () => {
    const home = await newHome();
    const { hash } = written(await openTask(home, A).plan.write(simple('A', 'one')));
    await linkCurrentTask(home, 'default', A);
    const write = openTask(home, A).plan.write(simple('A', 'agent'), { baseHash: hash });
    replaceLink(link(home), '## Plan\n- [ ] by hand\n');
    expect(await write).toMatchObject({ written: false });
    expect(await titles(home, A)).toEqual(['by hand']);
  });

  it('other vibers have their own', async () => {
    const home = await newHome();
    const at = '2026-01-01T00:00:00Z';
    const record = {
      id: A,
      viber: 'dev',
      goal: 'g',
      title: 't',
      state: 'pending',
      people: [],
      conversations: [],
      runs: 0,
      createdAt: at,
      updatedAt: at,
    } as const;
    await saveTask(home, { ...record, people: [], conversations: [] });
    await openTask(home, A).plan.write(simple('A', 'one'));
    await linkCurrentTask(home, 'dev', A);
    await linkCurrentTask(home, 'default', B);
    replaceLink(link(home, 'dev'), '## Plan\n- [ ] dev by hand\n');
    expect(await titles(home, A)).toEqual(['dev by hand']);
  });

  it('tells of what the agent wrote after the hand edit', async () => {
    const home = await newHome();
    await openTask(home, A).plan.write(simple('A', 'one'));
    await linkCurrentTask(home, 'default', A);
    replaceLink(link(home), '## Plan\n- [ ] by hand\n');
    fs.utimesSync(link(home), new Date(), new Date(Date.now() - 60_000));
    fs.writeFileSync(planFile(home, A), '## Plan\n- [ ] agent\n');
    const edits: PlanEdit[] = [];
    onTestFinished(hearChanges(home, (change) => void (change.kind === 'edit' && edits.push(change))));
    await linkCurrentTask(home, 'default', A);
    const kept = expect.stringMatching(/^plan-\d{8}T\d+Z\.md$/);
    expect(edits).toEqual([{ kind: 'edit', taskId: A, kept }]);
    expect(fs.readFileSync(path.join(home.taskDir(A), edits[0]?.kept ?? ''), 'utf8')).toBe('## Plan\n- [ ] agent\n');
    expect(await titles(home, A)).toEqual(['by hand']);
  });

  it('a task.md from before any task becomes the first plan, and is never thrown away', async () => {
    const home = await newHome();
    fs.writeFileSync(link(home), '## Plan\n- [ ] written first\n');
    await linkCurrentTask(home, 'default', A);
    expect(await titles(home, A)).toEqual(['written first']);
    await openTask(home, B).plan.write(simple('B', 'b'));
    fs.rmSync(path.join(home.viberDir('default'), 'session-log'));
    replaceLink(link(home), 'stray');
    await linkCurrentTask(home, 'default', B);
    const kept = fs.readdirSync(home.viberDir('default')).filter((name) => /^task-\d{8}T\d+Z\.md$/.test(name));
    expect(kept.map((name) => fs.readFileSync(path.join(home.viberDir('default'), name), 'utf8'))).toEqual(['stray']);
    expect(await titles(home, B)).toEqual(['b']);
  });

  it('leaves a folder of that name alone', async () => {
    const home = await newHome();
    fs.mkdirSync(link(home));
    await linkCurrentTask(home, 'default', A);
    expect(fs.statSync(link(home)).isDirectory()).toBe(true);
  });
});

it('reads the plan that waits for consent', async () => {
  const home = await newHome();
  expect(openTask(home, A).plan.implementation()).toBeUndefined();
  fs.mkdirSync(home.taskDir(A));
  fs.writeFileSync(path.join(home.taskDir(A), 'implementation_plan.md'), '# Build it\n\n- [ ] a\n');
  expect(openTask(home, A).plan.implementation()?.plan).toEqual(simple('Build it', 'a'));
});
