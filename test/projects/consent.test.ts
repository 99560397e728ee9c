/** When a command is asked about: by mode, by what was allowed, and where there is no sandbox. */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { parseCommand } from '../../src/features/projects/commands/parse.ts';
import { findPullRequest, isPullRequest, openPullRequest } from '../../src/features/projects/commands/pull-request.ts';
import { editFile } from '../../src/features/projects/tools/edit-file.ts';
import type { ProjectRun } from '../../src/features/projects/tools/run.ts';
import { runCommand } from '../../src/features/projects/tools/run-command.ts';
import { messagesIn } from '../../src/messages/messages.ts';
import { type ConsentRules, withConsent } from '../../src/runtime/approvals/consent.ts';
import { phrasingIn } from '../../src/runtime/approvals/phrasing.ts';
import { bind } from '../../src/runtime/tools/bind.ts';
import { tempFolder } from '../helpers/temp.ts';

function repository(name = 'shop'): string {
  const folder = path.join(fs.realpathSync(tempFolder()), name);
  fs.mkdirSync(folder);
  for (const args of [
    ['init', '--quiet', '--initial-branch=work'],
    ['remote', 'add', 'origin', 'git@github.com:acme/shop.git'],
  ])
    execFileSync('git', args, { cwd: folder });
  return folder;
}

const PARTS = { scope: {}, seen: {} } as unknown as Pick<ProjectRun, 'scope' | 'seen'>;

function open({ folder = repository(), ...more }: Partial<ProjectRun> & { folder?: string } = {}) {
  const project = () => ({ name: path.basename(folder), folder });
  const run = {
    ...PARTS,
    project,
    isSandboxed: true,
    network: () => 'none',
    words: [],
    writable: () => [],
    ...more,
  } as ProjectRun;
  const tools = [bind(runCommand, run), bind(editFile, run)];
  const asks = async (given: object, rules: Partial<ConsentRules> = {}): Promise<boolean> => {
    const [command, edit] = withConsent(tools, { mode: 'decide', always: [], needsPlan: false, ...rules });
    const tool = 'command' in given ? command : edit;
    return (await tool?.asksBefore?.(given)) ?? false;
  };
  return { folder, run, asks, tool: tools[0] };
}

const by = { by: 'alex', at: '2026-01-01T00:00:00Z' };
const kind = (given: string) => ({ tool: 'run_command', kind: `commands like ${given}`, ...by });
const all = (folder: string, network = 'none') => ({
  tool: 'run_command',
  kind: `all commands in ${folder}, network ${network}`,
  ...by,
});

describe('a command', () => {
  it.each<[command: string, ask: boolean, decide: boolean, execute: boolean]>([
    ['ls', false, false, false],
    ['npm test', true, true, false],
    ['rm unknown.txt', false, false, false],
    ['git clean -fd', true, true, true],
    ['$X', true, true, true],
  ])('%s is asked about by the mode', async (command, ...expected) => {
    const { folder, asks } = open();
    if (command.startsWith('rm')) {
      fs.writeFileSync(path.join(folder, 'unknown.txt'), '');
      expected = [true, true, true];
    }
    const found = [];
    for (const mode of ['ask', 'decide', 'execute'] as const) found.push(await asks({ command }, { mode }));
    expect(found).toEqual(expected);
  });

  it('runs without a question once all of its kinds are allowed, and no other does', async () => {
    const { asks } = open();
    const always = [kind('npm test'), kind('npm run lint')];
    expect(await asks({ command: 'npm test -- x && npm run lint | tail -1' }, { always })).toBe(false);
    for (const command of [
      'npm test && npm install',
      'npm test; curl x|sh',
      'npm testing',
      'X=1 npm test',
      'npm test > x',
      'npm run test',
    ])
      expect([command, await asks({ command }, { always })]).toEqual([command, true]);
    expect(await asks({ command: 'npm test' }, { always: [{ ...kind('npm test'), tool: 'shell' }] })).toBe(true);
  });

  it('runs without a question where all are allowed: in this project, with this network, and not what is always asked about', async () => {
    const { folder, asks } = open();
    const always = [all(folder)];
    expect(await asks({ command: 'node -e 1 > new.txt' }, { always })).toBe(false);
    expect(await asks({ path: 'a', edits: [{ old: 'a', new: 'b' }] }, { always, mode: 'ask' })).toBe(false);
    expect(await asks({ path: 'a', edits: [{ old: 'a', new: 'b' }] }, { mode: 'ask' })).toBe(true);
    expect(await asks({ command: 'git reset --hard' }, { always })).toBe(true);
    expect(await asks({ command: 'node -e 1' }, { always: [all(folder, 'all')] })).toBe(true);
    expect(await asks({ command: 'node -e 1' }, { always: [all(`${folder}-other`)] })).toBe(true);
    const other = open({ folder, network: () => 'all' });
    expect(await other.asks({ command: 'node -e 1' }, { always })).toBe(true);
  });

  it('is asked about each time without a sandbox, and the question says with whose rights', async () => {
    const { folder, asks, tool } = open({ isSandboxed: false });
    const given = { command: 'ls' };
    expect(await asks(given, { mode: 'execute', always: [all(folder), kind('ls')] })).toBe(true);
    const { text = '', all: wide } = tool?.asks?.(given, phrasingIn(messagesIn('en'))) ?? {};
    expect(text).toContain('it runs with your rights');
    expect(wide).toBeUndefined();
    expect(await tool?.judges?.(given)).toEqual({ is: 'each', kinds: [] });
  });

  it('only reads before the plan is approved', async () => {
    const { asks } = open();
    expect(await asks({ command: 'git status' }, { needsPlan: true })).toBe(false);
    await expect(asks({ command: 'npm test' }, { needsPlan: true })).rejects.toThrow('The plan must be approved first');
  });

  it('has another question if its folder, its time or its place changes', async () => {
    const { tool, folder, run } = open();
    fs.mkdirSync(path.join(folder, 'src'));
    const shown = async (given: object, of = tool) =>
      JSON.stringify(await of?.shows?.({ command: 'npm test', ...given }));
    const first = await shown({});
    const others = [{ cwd: 'src' }, { timeout: 5 }, { background: true }];
    for (const other of others) expect(await shown(other)).not.toBe(first);
    expect(await shown({}, bind(runCommand, { ...run, isSandboxed: false }))).not.toBe(first);
    expect(await shown({}, bind(runCommand, { ...run, network: () => 'all' }))).not.toBe(first);
    expect(await shown({})).toBe(first);
  });

  it('is shown whole, where names and texts could pass for something else', async () => {
    const { tool } = open({ folder: repository('*x*\n[Yes](x)') });
    const command = 'npm test # ```\n"`*Yes*`"';
    await tool?.judges?.({ command });
    const { text = '', always } = tool?.asks?.({ command, cwd: 'a\n**b**' }, phrasingIn(messagesIn('en'))) ?? {};
    expect(text).toContain(`\`\`\`\`sh\n${command}\n\`\`\`\``);
    expect(text).toContain('Run this in “\\*x\\* ');
    expect(text).toContain('In the folder `a **b**`.');
    expect(always?.length).toBeLessThan(41);
  });

  it('is asked about in German as well', async () => {
    const { tool } = open();
    const {
      text,
      yes,
      no,
      always,
      all: wide,
    } = tool?.asks?.({ command: 'npm test' }, phrasingIn(messagesIn('de'))) ?? {};
    expect(text).toBe('Das in shop ausführen?\n```sh\nnpm test\n```\nIn der Sandbox, ohne Netz.');
    expect([yes, no, always, wide]).toEqual([
      'Ausführen',
      'Nicht ausführen',
      'Immer: npm test …',
      'Alle Befehle in shop',
    ]);
  });
});

describe('a pull request', () => {
  const commandsOf = (text: string) => {
    const parsed = parseCommand(text);
    return 'why' in parsed ? [] : parsed.commands;
  };

  it('is opened outside the sandbox, in an empty folder, as it was shown', async () => {
    const bin = tempFolder();
    fs.writeFileSync(path.join(bin, 'gh'), '#!/bin/sh\npwd; ls -A | wc -l; for one in "$@"; do echo "<$one>"; done\n', {
      mode: 0o755,
    });
    vi.stubEnv('PATH', `${bin}:${process.env.PATH}`);
    const commands = commandsOf('gh pr create --title "Fix; it" --body="$1" -d'.replace('"$1"', "'a $(id) b'"));
    expect(isPullRequest(commands)).toBe(true);
    const found = await findPullRequest(repository(), commands);
    expect(found).toEqual({
      repository: 'github.com/acme/shop',
      title: 'Fix; it',
      body: 'a $(id) b',
      head: 'work',
      isDraft: true,
    });
    const { output } = Object(await openPullRequest(found));
    vi.unstubAllEnvs();
    expect(output).toMatch(
      /viber-pr-\w+\n\s*0\n<pr>\n<create>\n<--repo=github.com\/acme\/shop>\n<--title=Fix; it>\n<--body=a \$\(id\) b>/,
    );
  });

  it.each([
    'gh pr create',
    'gh pr create --fill',
    'gh pr create --title x --body "$(cat y)"',
    'gh pr create --title x --body y --repo other/z',
    'gh pr create --title x --body y --head "a b"',
    'gh pr create --title x --body-file z',
  ])('%s is refused with the form that is taken', async (text) => {
    await expect(findPullRequest(repository(), commandsOf(text).slice(-1))).rejects.toThrow('gh pr create --title');
  });
});
