/** What a skill lacks on this machine, and the sentence that says how to mend it. */
import { chmodSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { messagesIn, say } from '../../src/messages/messages.ts';
import { openHealth } from '../../src/skills/health.ts';
import { findProgram, searchPath } from '../../src/skills/sandbox.ts';
import { folder, skillOf, skillText, write } from './helpers.ts';

const needs = (requires: string, front = '') =>
  skillOf(skillText(`metadata: { openclaw: { ${requires} } }\n${front}`, 'Text.'));

describe('health', () => {
  test('a missing program, variable or system, each with the fix', async () => {
    const skill = needs(
      'requires: { bins: [sh, no-such-a], anyBins: [no-such-b, no-such-c], env: [TOKEN, OTHER] }, os: [win32, plan9]',
    );
    const health = await openHealth({ granted: { sample: { OTHER: 'x' } }, sandbox: true }).of(skill);
    expect(health.isUsable).toBe(false);
    expect(health.problems.map(({ fix, ...rest }) => ({ ...rest, fix: messagesIn('en').said(fix) }))).toEqual([
      { kind: 'system', name: process.platform, fix: 'it works on win32, plan9 only' },
      { kind: 'binary', name: 'no-such-a', fix: 'install no-such-a' },
      { kind: 'binary', name: 'no-such-b, no-such-c', fix: 'install one of no-such-b, no-such-c' },
      { kind: 'variable', name: 'TOKEN', fix: 'set skills.env.sample.TOKEN in config.yaml' },
    ]);
  });

  test('our own environment is not looked at, empty values do not count', async () => {
    const skill = needs('requires: { env: [PATH, HOME] }');
    const health = await openHealth({ granted: { sample: { HOME: '' } }, sandbox: true }).of(skill);
    expect(health.problems.map(({ name }) => name)).toEqual(['PATH', 'HOME']);
  });

  test('all well', async () => {
    const skill = needs('requires: { bins: [sh], anyBins: [no-such, cat], env: [TOKEN] }, os: [linux, macos, windows]');
    const health = await openHealth({ granted: { sample: { TOKEN: 'x' } }, sandbox: true }).of(skill);
    expect(health).toEqual({ isUsable: true, problems: [] });
  });

  test('without a sandbox scripts need consent; native skills and instructions do not care', async () => {
    const tool = skillOf(skillText('parameters: {}'));
    const health = openHealth({ granted: {}, sandbox: false });
    expect(await health.of(tool)).toMatchObject({
      isUsable: true,
      problems: [{ kind: 'sandbox', fix: say('skillFiles.wantsSandbox') }],
    });
    const { script: _, ...native } = tool;
    expect((await health.of(native)).problems).toEqual([]);
    expect((await health.of(skillOf(skillText('', 'Text.')))).problems).toEqual([]);
  });

  test('a program outside the system is there without the sandbox only; no folder of the path is relative', async () => {
    const bin = folder();
    chmodSync(write(path.join(bin, 'my-program'), 'exit 1'), 0o755);
    write(path.join(bin, 'no-program'), '');
    const tool = skillOf(
      skillText('parameters: {}\nmetadata: { openclaw: { requires: { bins: [my-program, no-program] } } }'),
    );
    const names = async (sandbox: boolean) => {
      const { problems } = await openHealth({ granted: {}, sandbox, path: `.:relative::${bin}:/usr/bin` }).of(tool);
      return problems.map(({ name, fix }) => `${name}: ${messagesIn('en').said(fix)}`);
    };
    expect(await names(true)).toEqual([
      'my-program: install my-program for the whole system (below /usr)',
      'no-program: install no-program for the whole system (below /usr)',
    ]);
    expect((await names(false))[0]).toBe('no-program: install no-program');
    expect(searchPath(false, `.:relative::${bin}:/usr/bin`)).toEqual([bin, '/usr/bin', '/usr/local/bin', '/bin']);
    expect(await findProgram('../bin/sh', ['/bin'])).toBe('/bin/sh');
  });

  test('programs are looked up once for a while', async () => {
    const bin = folder();
    const skill = needs('requires: { bins: [late-program] }');
    const health = openHealth({ granted: {}, sandbox: false, path: bin });
    expect((await health.of(skill)).isUsable).toBe(false);
    chmodSync(write(path.join(bin, 'late-program'), ''), 0o755);
    expect((await health.of(skill)).isUsable).toBe(false);
    expect((await openHealth({ granted: {}, sandbox: false, path: bin }).of(skill)).isUsable).toBe(true);
  });
});
