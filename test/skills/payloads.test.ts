/** 200 and more values of parameters: none is run, each arrives byte for byte. */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { IN_SANDBOX, isSandboxed } from '../helpers/sandbox.ts';
import { call, folder, skillOf, skillText, write } from './helpers.ts';
import { payloads } from './payloads.ts';

const MODES = [
  { name: 'without the sandbox', sandbox: false, shell: 'sh' },
  { name: 'without the sandbox', sandbox: false, shell: 'bash' },
  { name: IN_SANDBOX, sandbox: true, shell: 'sh' },
];

/** Parameters of one call: at most 32. */
const BATCH = 32;
/** With PROPERTY_RUNS set, more of those that cost a process or two each. */
const EVERY = process.env.PROPERTY_RUNS === undefined ? { alone: 36, commit: 24 } : { alone: 12, commit: 8 };

describe('values of parameters', () => {
  test('there are at least 200 of them, all different', () => {
    expect(new Set(payloads('touch canary')).size).toBeGreaterThanOrEqual(200);
  });

  for (const { name, sandbox, shell } of MODES) {
    test.skipIf(sandbox && !isSandboxed)(
      `${shell} ${name}: none is run, each arrives byte for byte`,
      { timeout: 60_000 },
      async () => {
        const [cwd, outside] = [folder(), folder()];
        const values = payloads(`touch canary ${path.join(outside, 'canary')}`);
        const names = Array.from({ length: BATCH }, (_, index) => `p${index}`);
        // Sizes by the script's own count; the values themselves by file, for output is bounded.
        const lines = names.map((one) => `printf '%s\\0' "$${one}" >> "$SEEN"`).join('\n');
        const front = `parameters:\n${names.map((one) => `  ${one}: { type: string }`).join('\n')}`;
        const skill = skillOf(skillText(front, `\`\`\`${shell}\nSEEN=seen\n${lines}\n\`\`\``));
        expect(skill.script?.shell).toBe(shell);
        for (let from = 0; from < values.length; from += BATCH) {
          const batch = values.slice(from, from + BATCH);
          const input = Object.fromEntries(batch.map((value, index) => [`p${index}`, value]));
          const result = await call(skill, input, { cwd, sandbox });
          expect(result, batch.join('\n---\n').slice(0, 500)).toMatchObject({
            code: 0,
            stderr: '',
            sandboxed: sandbox,
          });
        }
        const seen = readFileSync(path.join(cwd, 'seen'), 'utf8').split('\0').slice(0, values.length);
        expect(seen).toEqual(values);
        expect([readdirSync(cwd), readdirSync(outside)]).toEqual([['seen'], []]);
      },
    );
  }

  test('a value given back on standard output is the same, one by one', async () => {
    const cwd = folder();
    const skill = skillOf(skillText('parameters: { text: { type: string, required: true } }', `printf '%s' "$text"`));
    for (const text of payloads('touch canary').filter((_value, index) => index % EVERY.alone === 0)) {
      const result = await call(skill, { text }, { cwd });
      expect(result.stdout.length === text.length && result.stdout === text, text.slice(0, 100)).toBe(true);
    }
    expect(readdirSync(cwd)).toEqual([]);
  });
});

describe('the bundled git-commit', () => {
  const file = path.join(import.meta.dirname, '../../src/skills/git/commit.skill.md');
  const skill = skillOf(readFileSync(file, 'utf8'), { file });

  test.each([true, false])('commits whatever the message is (sandbox: %s)', async (sandbox) => {
    const cwd = folder();
    const git = (...args: string[]) => execFileSync('git', ['-C', cwd, ...args], { encoding: 'utf8' });
    git('init', '-q');
    const messages = payloads('touch canary').filter(
      (value, index) => index % EVERY.commit === 3 && /[^\s\p{Cc}\ufeff]/u.test(value),
    );
    expect(messages.length).toBeGreaterThan(192 / EVERY.commit);
    let commits = 0;
    for (const message of messages) {
      write(path.join(cwd, 'file.txt'), `${commits++}`);
      const result = await call(skill, { message }, { cwd, sandbox });
      expect(result, `${message}\n${result.stderr}`).toMatchObject({ code: 0 });
      // git itself takes trailing white space and blank lines away.
      const clean = (text: string) =>
        text
          .split('\n')
          .map((line) => line.replace(/[ \t\r\v\f]+$/, ''))
          .join('\n')
          .replace(/\n{2,}/g, '\n')
          .trim();
      expect(clean(git('log', '-1', '--format=%B'))).toBe(clean(message));
    }
    expect(git('rev-list', '--count', 'HEAD').trim()).toBe(String(commits));
    expect(git('log', '-1', '--format=%an <%ae>').trim()).toBe('Viber <viber@localhost>');
    expect(readdirSync(cwd).sort()).toEqual(['.git', 'file.txt']);
  });

  test('the identity of the repository, or a granted one, is used where there is one', async () => {
    const cwd = folder();
    const git = (...args: string[]) => execFileSync('git', ['-C', cwd, ...args], { encoding: 'utf8' }).trim();
    git('init', '-q');
    git('config', 'user.name', 'Alex');
    write(path.join(cwd, 'a'), '1');
    await call(skill, { message: 'one' }, { cwd });
    expect(git('log', '-1', '--format=%an <%ae>')).toBe('Alex <viber@localhost>');
    write(path.join(cwd, 'a'), '2');
    const granted = { GIT_AUTHOR_NAME: 'Kim', GIT_AUTHOR_EMAIL: 'kim@example.org' };
    await call(skill, { message: 'two' }, { cwd, granted });
    expect(git('log', '-1', '--format=%an <%ae>')).toBe('Kim <kim@example.org>');
  });

  test('a repository above the work folder is not committed to', async () => {
    const root = folder();
    execFileSync('git', ['-C', root, 'init', '-q']);
    const inner = path.join(root, 'inner');
    write(path.join(inner, 'a'), '1');
    for (const sandbox of [true, false]) {
      const result = await call(skill, { message: 'x' }, { cwd: inner, sandbox });
      expect(result.code).toBe(128);
      expect(result.stderr).toContain('not a git repository');
    }
  });
});
