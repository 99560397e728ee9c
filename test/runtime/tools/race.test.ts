/**
 * Somebody swaps a folder for a link, thousands of times, while the file tools read and write in it: a script in its sandbox, which
 * nobody took turns with, or a program that keeps folders in step. Nothing outside is read or written.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { UserError } from '../../../src/errors.ts';
import { inWorkFolder } from '../../../src/features/skills/tools/work-folder.ts';
import { existingArtifact } from '../../../src/runtime/tools/attach-file.ts';
import { createTools } from '../../../src/runtime/tools/index.ts';
import { programOf } from '../../../src/skills/program.ts';
import { runScript } from '../../../src/skills/script.ts';
import type { Skill } from '../../../src/skills/skill.ts';
import { type Home, openHome } from '../../../src/workspace/home.ts';
import { IN_SANDBOX, isSandboxed } from '../../helpers/sandbox.ts';
import { toolScope } from '../../helpers/scope.ts';
import { tempFolder } from '../../helpers/temp.ts';

const SECRET = 'TOP-SECRET-CONTENT';
const TASK = '20260101-aaaaa';
const TRIES = 600;
const started: ChildProcess[] = [];

afterEach(() => {
  for (const child of started.splice(0)) child.kill('SIGKILL');
});

/** A folder and a link that take each other's place at `at`, and say how often they did in `count`. */
const SWAP = `
  const fs = require('node:fs');
  const [at, link, count] = process.argv.slice(1);
  // A tool may have made a folder in the moment between.
  const move = (from, to) => {
    for (;;) {
      try {
        return fs.renameSync(from, to);
      } catch {}
      try {
        fs.rmSync(to, { recursive: true, force: true });
      } catch {}
    }
  };
  fs.symlinkSync(link, at + '.link');
  for (let swaps = 0; ; swaps++) {
    move(at, at + '.folder');
    move(at + '.link', at);
    move(at, at + '.link');
    move(at + '.folder', at);
    if (swaps % 100 === 0) fs.writeFileSync(count, String(swaps));
  }`;

const PERL = `
  sub move { my ($from, $to) = @_; until (rename $from, $to) { unlink glob("$to/* $to/.*.tmp"); rmdir $to } }
  while (1) {
    move("sub", "old"); move("link", "sub"); move("sub", "link"); move("old", "sub");
    if ($n++ % 100 == 0) { open(F, ">swaps.new"); print F $n; close F; rename "swaps.new", "swaps" }
  }`;

async function swapped(at: string, link: string): Promise<() => number> {
  const count = path.join(path.dirname(fs.realpathSync(link)), `swaps-${path.basename(at)}`);
  const child = spawn(process.execPath, ['-e', SWAP, at, link, count], { stdio: ['ignore', 'ignore', 'inherit'] });
  started.push(child);
  const swaps = () => (fs.existsSync(count) ? Number(fs.readFileSync(count, 'utf8')) : 0);
  await expect.poll(swaps).toBeGreaterThan(0);
  return swaps;
}

/** A home, and a folder beside it with a secret of the names that are asked for. */
async function world(): Promise<{ home: Home; outside: string }> {
  const base = fs.realpathSync(tempFolder());
  const home = await openHome(path.join(base, 'home'));
  fs.mkdirSync(path.join(home.taskDir(TASK), 'work'), { recursive: true });
  const outside = path.join(base, 'outside', 'folder');
  fs.mkdirSync(outside, { recursive: true });
  fs.writeFileSync(path.join(outside, 'notes.txt'), SECRET);
  fs.writeFileSync(path.join(outside, 'run.sh'), SECRET);
  return { home, outside };
}

function toolsOf(home: Home) {
  const scope = toolScope(home);
  const { signal } = new AbortController();
  const call = (name: string, given: object) => {
    const tool = createTools(scope).find((one) => one.name === name);
    if (!tool) throw new Error(name);
    return tool.execute(tool.input.parse(given), { signal, callId: 'c' });
  };
  return { scope, call };
}

/** What became of a call: its result, or the sentence that refused it. Anything else is thrown. */
async function outcome(call: () => Promise<unknown>): Promise<string> {
  try {
    return JSON.stringify(await call());
  } catch (error) {
    if (error instanceof UserError) return error.message;
    throw error;
  }
}

describe('while a folder is swapped for a link', () => {
  it.each([
    ['work/', (home: Home) => path.join(home.taskDir(TASK), 'work/sub'), 'work/sub'],
    ['workspace/', (home: Home) => path.join(home.viberDir('default'), 'sub'), 'workspace/sub'],
  ])('the tools for files stay in %s', async (_, placeOf, name) => {
    const { home, outside } = await world();
    const place = placeOf(home);
    fs.mkdirSync(place, { recursive: true });
    fs.writeFileSync(path.join(place, 'notes.txt'), 'fine');
    const swaps = await swapped(place, outside);
    const { scope, call } = toolsOf(home);
    const said: string[] = [];
    let bytes = '';
    for (let round = 0; round < TRIES || swaps() < 1_000; round++) {
      said.push(await outcome(() => call('read_file', { path: `${name}/notes.txt` })));
      said.push(
        await outcome(() => call('write_file', { path: `${name}/job-${round % 10}.yaml`, content: 'planted' })),
      );
      said.push(await outcome(() => call('list_files', { path: name })));
      const attach = async () => {
        const { ref } = await existingArtifact(scope, `${name}/notes.txt`);
        bytes = fs.readFileSync(path.join(home.root, ref), 'utf8');
        return bytes;
      };
      said.push(await outcome(attach));
    }
    expect(said.filter((line) => line.includes(SECRET))).toEqual([]);
    expect(said.some((line) => line.includes('fine'))).toBe(true);
    expect(fs.readdirSync(outside).sort()).toEqual(['notes.txt', 'run.sh']);
  });

  it('a program of a skill is read in its own folder', async () => {
    const { home, outside } = await world();
    const folder = path.join(home.skills, 'report');
    fs.mkdirSync(path.join(folder, 'scripts'), { recursive: true });
    fs.writeFileSync(path.join(folder, 'scripts/run.sh'), 'fine');
    const swaps = await swapped(path.join(folder, 'scripts'), outside);
    const skill = { name: 'report', level: 'user', folder, file: path.join(folder, 'SKILL.md') } as Skill;
    const said: string[] = [];
    for (let round = 0; round < TRIES || swaps() < 1_000; round++)
      said.push(await outcome(async () => programOf(skill, 'scripts/run.sh').text));
    expect(said.filter((line) => line.includes(SECRET))).toEqual([]);
    expect(said).toContain('"fine"');
  });

  it.skipIf(!isSandboxed)(`${IN_SANDBOX} a script reaches nothing outside by it`, async () => {
    const { home, outside } = await world();
    const work = path.join(home.taskDir(TASK), 'work');
    fs.mkdirSync(path.join(work, 'sub'));
    fs.writeFileSync(path.join(work, 'sub/notes.txt'), 'fine');
    const end = new AbortController();
    // Perl is a part of every Debian, and swaps without starting a process each time.
    const text = `ln -s ${outside} link\nexec perl -e '${PERL}'`;
    const script = runScript({
      ...{ script: { shell: 'sh', text }, variables: {}, cwd: work, timeoutMs: 200_000, signal: end.signal },
    }).catch((error: unknown) => error);
    const swaps = () => Number(fs.existsSync(path.join(work, 'swaps')) && fs.readFileSync(path.join(work, 'swaps')));
    await expect.poll(swaps).toBeGreaterThan(0);
    const { call } = toolsOf(home);
    const said: string[] = [];
    for (let round = 0; round < TRIES; round++) {
      said.push(await outcome(() => call('read_file', { path: 'work/sub/notes.txt' })));
      said.push(
        await outcome(() => call('write_file', { path: `work/sub/job-${round % 10}.yaml`, content: 'planted' })),
      );
    }
    end.abort(new Error('over'));
    await script;
    expect(said.filter((line) => line.includes(SECRET))).toEqual([]);
    expect(said.some((line) => line.includes('fine'))).toBe(true);
    expect(fs.readdirSync(outside).sort()).toEqual(['notes.txt', 'run.sh']);
  });
});

describe('one lock for a work folder', () => {
  const turnsOf = (home: Home) => {
    const { scope, call } = toolsOf(home);
    const order: string[] = [];
    const script = Promise.withResolvers<void>();
    const began = Promise.withResolvers<void>();
    const { signal } = new AbortController();
    const work = async ({ path: folder }: { path: string }) => {
      began.resolve();
      await script.promise;
      fs.writeFileSync(path.join(folder, 'notes.txt'), 'whole');
      order.push('script');
    };
    const running = inWorkFolder(scope, undefined, work, { signal });
    return { scope, call, order, script, began: began.promise, running };
  };

  it('the tools for files wait for the script that works there, and for nobody else', async () => {
    const { home } = await world();
    const { call, order, script, began, running } = turnsOf(home);
    await began;
    const read = call('read_file', { path: 'work/notes.txt' }).then((result) => order.push(JSON.stringify(result)));
    const wrote = call('write_file', { path: 'work/more.txt', content: 'x' }).then(() => order.push('written'));
    await call('write_file', { path: 'workspace/elsewhere.txt', content: 'x' });
    await call('write_file', { path: 'an artifact.txt', content: 'x' });
    expect(order).toEqual([]);
    script.resolve();
    await Promise.all([running, read, wrote]);
    expect(order[0]).toBe('script');
    expect(order).toContainEqual(expect.stringContaining('whole'));
  });

  it('a call that is stopped waits no longer, and holds up nobody', async () => {
    const { home } = await world();
    const { scope, script, began, running } = turnsOf(home);
    await began;
    const stop = new AbortController();
    const second = inWorkFolder(scope, undefined, async () => 'second', stop);
    const third = inWorkFolder(scope, undefined, async () => 'third', new AbortController());
    stop.abort(new Error('stopped'));
    await expect(second).rejects.toThrow('stopped');
    script.resolve();
    await running;
    expect(await third).toBe('third');
  });
});
