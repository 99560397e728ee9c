/** A playbook in its task: which step is next however people change the plan, and what a check's words mean. */

import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { readJudgement } from '../../../src/features/agents/playbook/judge.ts';
import { findPlaybook, listPlaybooks } from '../../../src/features/agents/playbook/library.ts';
import { type Playbook, parsePlaybook } from '../../../src/features/agents/playbook/read-playbook.ts';
import {
  doneLine,
  doneSteps,
  openStep,
  planOf,
  readPlayed,
  setStep,
  writePlayed,
} from '../../../src/features/agents/playbook/record.ts';
import { stepMessage } from '../../../src/features/agents/playbook/words.ts';
import { type Home, openHome } from '../../../src/workspace/home.ts';
import { openTask, parsePlan } from '../../../src/workspace/tasks/index.ts';
import { saveTask } from '../../../src/workspace/tasks/record.ts';
import type { SessionEntry } from '../../../src/workspace/types.ts';
import { tempFolder } from '../../helpers/temp.ts';
import { TASK } from '../mesh/world.ts';

const wrap = (steps: string) => `# Playbook: x\n\n## Goal\ng\n\n## Steps\n${steps}\n`;
const PLAYBOOK = parsePlaybook(
  wrap('1. [A] one\n   - Constraint: c1\n2. same\n   - Constraint: c2\n3. same\n   - Constraint: c3'),
);
const next = (plan: string, playbook: Playbook = PLAYBOOK) => {
  const text = `## Goal\ng\n\n## Plan\n${plan}`;
  return openStep({ text, hash: '', plan: parsePlan(text) }, playbook);
};

describe('the next step', () => {
  it.each(
    // biome-ignore format: a row is a line
    [
      ['- [ ] [A] one\n- [ ] same\n- [ ] same', { agent: 'A', constraints: ['c1'] }, '[A] one#1'],
      ['- [x] [A] one\n- [ ] same (in progress)\n- [ ] same', { constraints: ['c2'] }, 'same#1'],
      ['- [x] [A] one\n- [x] same\n- [ ] same', { constraints: ['c3'] }, 'same#2'],
      ['- [x] same\n- [ ] same\n- [ ] [A] one', { constraints: ['c3'] }, 'same#2'],
      ['- [x] same\n- [x] same\n- [ ] [A] one', { agent: 'A', constraints: ['c1'] }, '[A] one#1'],
      // In other words it keeps its constraints; added, it has none.
      ['- [ ] [B] one but better\n- [ ] same\n- [ ] same', { agent: 'B', instruction: 'one but better', constraints: ['c1'] }, '[B] one but better#1'],
      ['- [ ] first this\n- [ ] [A] one\n- [ ] same\n- [ ] same', { instruction: 'first this', constraints: [] }, 'first this#1'],
      ['- [ ] [Agent: C] new\n- [ ] [A] one', { agent: 'C', instruction: 'new', constraints: [] }, '[Agent: C] new#1'],
      // Also where something was added or taken away besides, or it stands elsewhere.
      ['- [ ] and now one, please\n- [ ] same\n- [ ] same\n- [ ] announce it', { instruction: 'and now one, please', constraints: ['c1'] }, 'and now one, please#1'],
      ['- [ ] only one', { instruction: 'only one', constraints: ['c1'] }, 'only one#1'],
      ['- [x] same\n- [x] same\n- [ ] one better', { instruction: 'one better', constraints: ['c1'] }, 'one better#1'],
      ['- [ ] [../x] new', { instruction: '[../x] new', constraints: [] }, '[../x] new#1'],
    ],
  )('%#', (plan, step, key) => {
    expect(next(plan)).toMatchObject({ key, step });
  });

  it('is none when all are done, or gone', () => {
    expect(next('- [x] [A] one')).toBeUndefined();
    expect(next('')).toBeUndefined();
  });

  it('is found again by the title it has in the plan, whatever that is', () => {
    for (const words of [
      'a'.repeat(500),
      'ends (in progress)',
      '[x] box',
      '- [ ] two',
      '# head',
      '   deep',
      '\\[a]',
      '*b* `c`',
      '🙂'.repeat(150),
    ]) {
      const playbook = parsePlaybook(wrap(`1. [Coder] do ${words}\n   - Constraint: kept\n2. do ${words}`));
      const text = planOf(playbook)
        .steps.map((step) => step.title)
        .join('\n');
      expect(text).not.toBe('');
      const plan = { text: 'x', hash: '', plan: planOf(playbook) };
      expect(openStep(plan, playbook)?.step).toEqual(playbook.steps[0]);
    }
  });
});

async function open(): Promise<Home> {
  const home = await openHome(tempFolder());
  await saveTask(home, TASK);
  return home;
}

describe('on disk', () => {
  it('a plan round trip finds each step, ticks it alone, and leaves what people wrote', async () => {
    const home = await open();
    const playbook = parsePlaybook(wrap('1. [Coder] ends (in progress)\n2. 🙂 two\n3. [x] three'));
    await openTask(home, TASK.id).plan.write(planOf(playbook));
    const file = path.join(home.taskDir(TASK.id), 'task.md');
    fs.appendFileSync(file, '\n## Notes\nmine\n');
    for (const _step of playbook.steps) {
      const plan = await openTask(home, TASK.id).plan.read();
      const current = plan && openStep(plan, playbook);
      expect(playbook.steps).toContain(current?.step);
      await setStep(home, TASK, current?.key ?? '', 'in_progress');
      await setStep(home, TASK, current?.key ?? '', 'done');
    }
    const plan = await openTask(home, TASK.id).plan.read();
    expect(plan?.plan.steps.map((step) => step.status)).toEqual(['done', 'done', 'done']);
    expect(plan?.text).toContain('## Notes\nmine');
    await setStep(home, TASK, 'gone#1', 'done');
  });

  it('what is played is read as it was written, and nothing where it was spoiled', async () => {
    const home = await open();
    expect(readPlayed(home, TASK.id)).toBeUndefined();
    for (const isFinished of [false, true]) {
      await writePlayed(home, TASK.id, { id: 'abc123', playbook: PLAYBOOK, isFinished });
      expect(readPlayed(home, TASK.id)).toEqual({ id: 'abc123', playbook: PLAYBOOK, isFinished });
    }
    const file = path.join(home.taskDir(TASK.id), 'playbook.md');
    const text = fs.readFileSync(file, 'utf8');
    for (let end = 0; end < text.length - 40; end += 7) {
      fs.writeFileSync(file, text.slice(0, end));
      expect(readPlayed(home, TASK.id)?.playbook.steps.length ?? 0).toBeLessThan(4);
    }
  });

  it('no words of an agent are taken for a step that is done', async () => {
    const home = await open();
    const at = '2026-11-21T00:00:00Z';
    const begins = (id: string, run: string, channel: string): SessionEntry => ({
      ...{ type: 'message', id, run, at, text: 'x', from: { channel, user: `${channel}:1`, name: 'x' }, files: [] },
    });
    const said = doneLine('inner', 1, { key: 'same#1', summary: 'forged', artifactRefs: [] });
    const done = doneLine('run1', 1, { key: '[A] one#1', summary: 'did it', artifactRefs: [] });
    const lines = [begins('m1', 'run1', 'telegram'), begins('q1', 'inner', 'agent'), said, done];
    await openTask(home, TASK.id, 'default').session.append(lines);
    expect((await doneSteps(home, TASK, 'm1')).map(({ key }) => key)).toEqual(['[A] one#1']);
  });

  it('what an agent is told does not grow with the steps before its own, and the newest of them are there', () => {
    const long = wrap(Array.from({ length: 50 }, (_, n) => `${n + 1}. [Coder] ${`step ${n} `.repeat(40)}`).join('\n'));
    const playbook = parsePlaybook(long);
    const plan = planOf(
      playbook,
      planOf(playbook)
        .steps.slice(0, 49)
        .map(({ title }) => ({ key: `${title}#1`, summary: '', artifactRefs: [], run: 'r' })),
    );
    const done = plan.steps.slice(0, 49).map(({ title }) => ({
      ...{ key: `${title}#1`, summary: 'e'.repeat(300), artifactRefs: [], run: 'r' },
    }));
    const current = openStep({ text: '', hash: '', plan }, playbook);
    const text = current ? stepMessage({ playbook, current, done, files: [], added: '' }) : '';
    expect(text).toContain('step 50 of 50');
    expect(text).toContain('- [Coder] step 48 step 48');
    expect(text).toMatch(/Done before:\n\(\d+ more\)\n/);
    expect(text.length).toBeLessThan(10_000);
  });

  it('playbooks are found by file or title; links, broken and huge ones are named and not played', async () => {
    const home = await open();
    const put = (name: string, text: string) => fs.writeFileSync(path.join(home.playbooks, name), text);
    put('Deploy It.md', wrap('1. a').replace('x', 'Ship'));
    put('bad.md', wrap('1. [Coder]'));
    put('huge.md', 'x'.repeat(300_000));
    put('notes.txt', wrap('1. a'));
    put('release-feature.md', wrap('1. mine'));
    fs.symlinkSync('/etc/hostname', path.join(home.playbooks, 'link.md'));
    expect(listPlaybooks(home).map(({ name }) => name)).toEqual([
      'bad',
      'deploy-it',
      'huge',
      'link',
      'release-feature',
    ]);
    expect(findPlaybook(home, 'DEPLOY-IT').name).toBe('deploy-it');
    expect(findPlaybook(home, 'ship').name).toBe('deploy-it');
    expect(findPlaybook(home, 'release-feature').playbook.steps[0]?.instruction).toBe('mine');
    expect(() => findPlaybook(home, 'bad')).toThrow('line 7: this step has no instruction');
    expect(() => findPlaybook(home, 'link')).toThrow('not a regular file');
    expect(() => findPlaybook(home, 'huge')).toThrow('too large');
    for (const name of ['../playbooks/ship', 'Deploy It', '', 'constructor', 'x'.repeat(70)])
      expect(() => findPlaybook(home, name)).toThrow("I can't find that playbook");
  });
});

describe('a judgement', () => {
  it.each([
    ['OK', true],
    ['ok.', true],
    ['**OK**', true],
    ['Verdict: OK', true],
    ['Okay, all constraints are kept.', true],
    ['NOT OK: no test ran', 'no test ran'],
    ['not ok - it is\nmissing', 'it is missing'],
    ['`NOT OK`', 'no reason was given'],
    ['I think it is NOT OKAY: too long', 'too long'],
    ['Nicht OK: der Test fehlt', 'der Test fehlt'],
    ['PAS OK : il manque un test', 'il manque un test'],
    ['No OK. Falta una prueba', 'Falta una prueba'],
    ['{"verdict": "NOT OK", "reason": "no test ran"}', 'reason: no test ran'],
    ['piano ok', undefined],
    ['', undefined],
    ['It looks fine to me.', undefined],
    ['Whether this is OK I cannot say.', undefined],
    ['TOKEN', undefined],
    ['OK, but constraint 2 is not kept', undefined],
    ['OK except for the tests', undefined],
    ['OK? The file is missing.', undefined],
    ['OKAY, let me look at the file.', undefined],
  ])('%j', (text, meant) => {
    const judgement = readJudgement(text);
    if (meant === undefined) expect(judgement).toBeUndefined();
    else expect(judgement).toEqual(meant === true ? { isOk: true } : { isOk: false, reason: meant });
  });
});
