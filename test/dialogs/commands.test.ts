/** Commands in a project: what is asked about, what one press allows, and what goes out of this machine. */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { IN_SANDBOX, isSandboxed } from '../helpers/sandbox.ts';
import { tempFolder } from '../helpers/temp.ts';
import { manualClock } from '../jobs/manual-clock.ts';
import { ask, type Place, type Platform, waitFor } from '../platforms/platform.ts';
import { openPlatforms, type PlatformWorldOptions } from '../platforms/world.ts';

const git = (folder: string, ...args: string[]): string =>
  execFileSync('git', ['-c', 'user.name=Alex', '-c', 'user.email=alex@example.com', ...args], {
    cwd: folder,
    encoding: 'utf8',
  });

/** A project with a failing test, and a remote on this disk. */
function shopIn(root: string): { shop: string; remote: string } {
  const shop = path.join(root, 'shop');
  const remote = path.join(tempFolder(), 'remote.git');
  fs.mkdirSync(path.join(shop, 'src'), { recursive: true });
  const files = {
    'package.json': '{"name":"shop","type":"module","scripts":{"test":"node --test"}}',
    'src/price.js': 'export const total = (items) => items.reduce((sum, item) => sum + item.prise, 0);\n',
    'src/price.test.js':
      "import { equal } from 'node:assert';\nimport { test } from 'node:test';\nimport { total } from './price.js';\ntest('sums', () => equal(total([{ price: 2 }]), 2));\n",
  };
  for (const [name, text] of Object.entries(files)) fs.writeFileSync(path.join(shop, name), text);
  git(root, 'init', '--quiet', '--bare', remote);
  git(root, 'init', '--quiet', '--initial-branch=main', shop);
  git(shop, 'config', 'user.name', 'Alex');
  git(shop, 'config', 'user.email', 'alex@example.com');
  git(shop, 'remote', 'add', 'origin', remote);
  git(shop, 'add', '-A');
  git(shop, 'commit', '--quiet', '-m', 'Begin');
  git(shop, 'push', '--quiet', 'origin', 'main');
  return { shop, remote };
}

async function open(options: PlatformWorldOptions = {}) {
  const root = fs.realpathSync(tempFolder());
  const { shop, remote } = shopIn(root);
  const world = await openPlatforms({
    channel: { live: 'off', injection: 'followup' },
    ...options,
    config: { projects: { roots: [root] }, ...options.config },
  });
  return { world, shop, remote };
}

const call = (name: string, given: object) => ({ toolCalls: [{ name, arguments: { ...given } }] });
const run = (command: string, given: object = {}) => call('run_command', { command, ...given });
const chosen = call('use_project', { project: 'shop' });
const fix = call('edit_file', { path: 'src/price.js', edits: [{ old: 'item.prise', new: 'item.price' }] });

const countQuestions = (platform: Platform, place: Place): number =>
  platform.answers(place).filter(({ text }) => /\?/.test(text) && /Run|Push/.test(text)).length;

describe.skipIf(!isSandboxed)(`commands ${IN_SANDBOX}`, () => {
  it('are allowed with one press and pushed with another', async () => {
    const { world, remote } = await open({ on: ['loopback'] });
    const platform = world.platforms.loopback;
    const steps = [
      chosen,
      run('git status --short && ls src'),
      run('node --test'),
      fix,
      run('node --test'),
      run('git switch -c viber/fix-price'),
      run('git commit -am "Read the price"'),
      run('git push origin viber/fix-price'),
    ];
    world.llm.script(({ toolResults }) => steps[toolResults.length] ?? { text: 'The tests pass, and it is pushed.' });
    const dm = platform.dm('alex');
    const first = await ask(platform, dm, 'In shop, run the tests and fix what fails.');
    expect(first.text).toContain('Run this in shop?');
    expect(first.text).toContain('node --test');
    expect(first.text).toContain('In the sandbox, without network.');
    expect(first.buttons).toEqual(
      expect.arrayContaining(['Run', "Don't run", 'Always: node --test …', 'All commands in shop']),
    );
    await platform.press(dm, 'All commands in shop');
    const second = await waitFor(platform, dm, { text: /Push 1 commit/ });
    expect(second.text).toContain('Read the price');
    expect(second.text).toContain('viber/fix-price');
    expect(second.buttons).toEqual(expect.arrayContaining(['Push', "Don't push"]));
    expect(second.buttons.join()).not.toMatch(/Always|All commands/);
    await platform.press(dm, 'Push');
    await waitFor(platform, dm, { text: /it is pushed/ });
    expect(git(remote, 'log', '--format=%s', 'viber/fix-price')).toBe('Read the price\nBegin\n');
    expect(countQuestions(platform, dm)).toBe(2);
    const results = JSON.stringify(world.llm.requests().at(-1)?.toolResults);
    expect(results).toContain('price.test.js');
    expect((await platform.command(dm, 'status')).text).toContain(
      'all commands in shop, in the sandbox without network',
    );
  });

  it('are asked about together, also after a crash, and one press decides all', async () => {
    const { world, shop } = await open({ on: ['telegram'], process: true });
    const { telegram } = world.platforms;
    const both = {
      toolCalls: ['node --test', 'git add -A', 'git status'].map((command) => ({
        name: 'run_command',
        arguments: { command },
      })),
    };
    const steps = [chosen, both];
    world.llm.script(({ toolResults }) => {
      if (toolResults.length >= 4) return { text: `Both ran: ${JSON.stringify(toolResults.slice(-3)).length > 50}` };
      return steps[toolResults.length] ?? { text: 'too early' };
    });
    const dm = telegram.dm('alex');
    fs.writeFileSync(path.join(shop, 'new.txt'), 'new\n');
    const asked = await ask(telegram, dm, 'In shop, run the tests and stage everything.');
    expect(asked.text).toContain('Run these 2 commands in shop?');
    expect(asked.text).toContain('node --test');
    expect(asked.text).toContain('git add -A');
    expect(asked.text).not.toContain('git status');
    expect(asked.buttons).toContain('Always: node --test, git add …');
    expect(git(shop, 'status', '--short')).toBe('?? new.txt\n');
    await world.kill();
    await telegram.press(dm, 'Always: node --test, git add …');
    await waitFor(telegram, dm, { text: /Both ran: true/ });
    expect(git(shop, 'status', '--short')).toBe('A  new.txt\n');
    const [task = ''] = world.tasks();
    const { always } = JSON.parse(world.read(`artifacts/${task}/task.json`));
    expect(always.map(({ kind }: { kind: string }) => kind)).toEqual([
      'commands like node --test',
      'commands like git add',
    ]);
  });

  it('ask each time where git could not give back what they delete, and run not at all after a no', async () => {
    const { world, shop } = await open({ on: ['discord'] });
    const { discord } = world.platforms;
    fs.writeFileSync(path.join(shop, 'notes.txt'), 'mine\n');
    const steps = [chosen, run('node --version; npm pkg get name'), run('rm src/price.js'), run('rm notes.txt')];
    world.llm.script(
      ({ toolResults }) => steps[toolResults.length] ?? { text: `The end. ${toolResults.at(-1) ?? ''}` },
    );
    const dm = discord.dm('alex');
    await ask(discord, dm, 'Clean up in shop.');
    await discord.press(dm, 'All commands in shop');
    const asked = await waitFor(discord, dm, { text: /rm notes.txt/ });
    expect(asked.text).toContain("It deletes files that git can't restore.");
    expect(asked.buttons.join()).not.toMatch(/Always|All/);
    expect(fs.existsSync(path.join(shop, 'src/price.js'))).toBe(false);
    await discord.say(dm, 'no');
    await waitFor(discord, dm, { text: /The end\./ });
    expect(fs.existsSync(path.join(shop, 'notes.txt'))).toBe(true);
  });

  it('are asked about again if a push would send something else than was shown', async () => {
    const { world, shop, remote } = await open({ on: ['slack'] });
    const { slack } = world.platforms;
    git(shop, 'commit', '--quiet', '--allow-empty', '-m', '*One* <b>\u202e`x` [Yes](http://x)');
    const steps = [chosen, run('git push origin main')];
    world.llm.script(({ toolResults }) => steps[toolResults.length] ?? { text: 'It is there.' });
    const dm = slack.dm('alex');
    const asked = await ask(slack, dm, 'Push the shop.');
    expect(asked.text).toContain('Push 1 commit');
    expect(asked.text).toContain('\\u{202E}');
    expect(asked.text).not.toContain('\u202e');
    git(shop, 'commit', '--quiet', '--allow-empty', '-m', 'Two');
    await slack.press(dm, 'Push');
    const again = await waitFor(slack, dm, { text: /Push 2 commits/ });
    expect(again.text).toContain('Something has changed since you said yes');
    expect(git(remote, 'log', '--format=%s', 'main')).toBe('Begin\n');
    slack.say(dm, 'yes');
    await waitFor(slack, dm, { text: /It is there/ });
    expect(git(remote, 'log', '-1', '--format=%s', 'main')).toBe('Two\n');
  });

  it('leave edits without a question where each would be asked about', async () => {
    const { world, shop } = await open({
      on: ['telegram'],
      files: { 'agents/default.yaml': 'mode: ask\n' },
    });
    const { telegram } = world.platforms;
    const steps = [chosen, run('node --test'), fix, run('node --test')];
    world.llm.script(({ toolResults }) => steps[toolResults.length] ?? { text: 'Fixed.' });
    const dm = telegram.dm('alex');
    await ask(telegram, dm, 'Fix shop.');
    await telegram.press(dm, 'All commands in shop');
    await waitFor(telegram, dm, { text: /Fixed\./ });
    expect(fs.readFileSync(path.join(shop, 'src/price.js'), 'utf8')).toContain('item.price, 0');
    expect(countQuestions(telegram, dm)).toBe(1);
  });

  it('of a job are asked about where its questions go, and nothing runs before the answer', async () => {
    const clock = manualClock('2026-01-12T06:30:00Z');
    const { world, shop } = await open({ on: ['telegram'], clock });
    const { telegram } = world.platforms;
    const dm = telegram.dm('alex');
    world.llm.script(({ toolResults, lastUser }) => {
      if (!lastUser.includes('Note the day')) return { text: 'Hello.' };
      return toolResults.length === 0 ? run('echo today > day.txt') : { text: 'The day is noted.' };
    });
    await ask(telegram, dm, 'hello');
    fs.mkdirSync(path.join(world.home, 'jobs'), { recursive: true });
    const job = { name: 'Day', schedule: '0 * * * *', prompt: 'Note the day', timezone: 'UTC', project: 'shop' };
    fs.writeFileSync(
      path.join(world.home, 'jobs', 'day.yaml'),
      JSON.stringify({ ...job, deliver: `telegram:${dm.chat}` }),
    );
    await expect.poll(() => fs.existsSync(path.join(world.home, 'spool', 'jobs', 'day.json'))).toBe(true);
    await clock.advance(3_600_000, () => new Promise<void>((resolve) => setImmediate(resolve)));
    const asked = await waitFor(telegram, dm, { text: /Run this in shop/ });
    expect(asked.text).toContain('echo today > day.txt');
    expect(fs.existsSync(path.join(shop, 'day.txt'))).toBe(false);
    await telegram.press(dm, 'Run');
    await waitFor(telegram, dm, { text: /The day is noted/ });
    expect(fs.readFileSync(path.join(shop, 'day.txt'), 'utf8')).toBe('today\n');
  });
});
