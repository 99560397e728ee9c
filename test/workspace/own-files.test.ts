/** Folders in which no script works: what the gateway and the machine would run or trust is there. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { workFolder } from '../../src/features/skills/tools/work-folder.ts';
import type { ToolScope } from '../../src/runtime/contract/tool-scope.ts';
import { createTools } from '../../src/runtime/tools/index.ts';
import { openHome } from '../../src/workspace/home.ts';
import { noteCommands, noteConfig } from '../../src/workspace/own-files.ts';
import { tempFolder } from '../helpers/temp.ts';

const TASK = '20260101-aaaaa';

/** A home beside projects: one with a server of tools, one that holds the configuration, and one that is nobody's. */
async function world() {
  const base = fs.realpathSync(tempFolder());
  const at = (...names: string[]) => path.join(base, ...names);
  for (const folder of [
    'free/src',
    'server/dist/lib',
    'settings/more',
    'keys/.ssh',
    'homes/alex/.ssh',
    'free/.git/hooks',
    'home',
  ])
    fs.mkdirSync(at(folder), { recursive: true });
  fs.writeFileSync(at('server/package.json'), '{}');
  fs.writeFileSync(at('server/dist/main.js'), '');
  fs.writeFileSync(at('settings/config.yaml'), '');
  const home = await openHome(at('home'));
  fs.mkdirSync(at('home/vibers/dev/site'), { recursive: true });
  fs.mkdirSync(at('home/workspace/site/src'), { recursive: true });
  fs.mkdirSync(at('home/workspace/site/.git'), { recursive: true });
  noteConfig(home.root, at('settings/config.yaml'));
  noteCommands(home.root, [
    [process.execPath, at('server/dist/main.js')],
    ['whisper', '--model', at('free/src')],
  ]);
  const scope = { home, taskId: TASK, viber: 'default' } as ToolScope;
  const why = (folder: string): string => {
    try {
      workFolder(scope, folder);
      return '';
    } catch (error) {
      return error instanceof Error ? error.message : 'no error';
    }
  };
  return { base, at, home, scope, why };
}

describe('a folder of scripts', () => {
  it('is anywhere that nothing of the gateway is', async () => {
    const { at, why } = await world();
    for (const folder of ['free', 'free/src', 'home/workspace/site', 'home/workspace/site/src', 'home/vibers/dev/site'])
      expect(why(at(folder)), folder).toBe('');
  });

  const OURS = ['workspace', 'workspace/memory', 'workspace/skills', 'workspace/artifacts', 'vibers', 'vibers/dev'];
  const OPERATIONAL = ['artifacts', 'jobs', 'skills', 'agents', 'agents/default', 'access', 'memory', 'run', 'spool'];
  it.each<[string, string]>([
    ['server', 'a program that the gateway starts is in it'],
    ['server/dist', 'it is in a program that the gateway starts'],
    ['server/dist/lib', 'it is in a program that the gateway starts'],
    ['settings', "the gateway's configuration is in it"],
    ['keys', "a person's keys are in it"],
    ['keys/.ssh', "a person's keys are in it"],
    ['homes', "a person's keys are in it"],
    ['free/.git', 'inside the .git folder of a repository'],
    ['free/.git/hooks', 'inside the .git folder of a repository'],
    ['.', 'is in it'],
    ['home', 'the files of the gateway are in it'],
    ...[...OURS, ...OPERATIONAL].map((name): [string, string] => [`home/${name}`, 'one of the folders of the gateway']),
  ])('is not %s: %s', async (folder, said) => {
    const { at, why } = await world();
    expect(why(at(folder))).toContain(said);
  });

  it('is none in which the gateway finds programs by their names, whatever the configuration starts', async () => {
    const { at, home, why } = await world();
    fs.mkdirSync(at('bin'));
    vi.stubEnv('PATH', [at('bin'), process.env.PATH].join(path.delimiter));
    onTestFinished(() => void vi.unstubAllEnvs());
    noteCommands(home.root, []);
    expect(why(at('bin'))).toContain('a program that the gateway starts');
    expect(why(at('free'))).toBe('');
  });

  it("is none of the machine's, nor one that holds what this user's session starts", async () => {
    const { why } = await world();
    const program = path.resolve(import.meta.dirname, '../..');
    for (const folder of [
      '/',
      '/etc',
      '/usr',
      '/usr/lib',
      os.homedir(),
      path.dirname(os.homedir()),
      program,
      `${program}/src`,
    ])
      expect(why(folder), folder).toContain('Scripts cannot work in');
  });

  it('is none in which a home stands that is a link, though nothing is in it yet', async () => {
    const { at, why } = await world();
    fs.mkdirSync(at('data/alex'), { recursive: true });
    fs.symlinkSync(at('data'), at('people'));
    vi.spyOn(os, 'homedir').mockReturnValue(at('people/alex'));
    onTestFinished(() => void vi.restoreAllMocks());
    expect(why(at('data/alex'))).toContain('a place with credentials of this user is in it');
    expect(why(at('data'))).toContain('a place with credentials of this user is in it');
  });

  it('is not reached by a link either', async () => {
    const { at, why } = await world();
    fs.symlinkSync(at('server/dist'), at('free/link'));
    fs.symlinkSync('/etc', at('free/etc'));
    expect(why(at('free/link'))).toContain('a program that the gateway starts');
    expect(why(at('free/etc'))).toContain('the system');
  });
});

it('no tool writes what the gateway starts, though it stands in the workspace', async () => {
  const { at, home, scope } = await world();
  fs.writeFileSync(at('home/workspace/server.mjs'), 'mine');
  noteCommands(home.root, [['node', at('home/workspace/server.mjs')]]);
  const tools = createTools({
    ...scope,
    runId: 'r',
    onPlan: () => undefined,
    onArtifact: () => undefined,
  } as ToolScope);
  const write = tools.find(({ name }) => name === 'write_file');
  const call = (file: string) =>
    write?.execute(write.input.parse({ path: file, content: 'theirs' }), {
      signal: new AbortController().signal,
      callId: 'c',
    });
  await expect(call('workspace/server.mjs')).rejects.toThrow('only the person may change it');
  await call('workspace/other.mjs');
  expect(fs.readFileSync(at('home/workspace/server.mjs'), 'utf8')).toBe('mine');
});
