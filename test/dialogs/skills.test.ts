/** Skills in the chats, on every platform: consent to a script with all that will run, what comes back, and what is refused. */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { spellInvisible } from '../../src/runtime/reply/show.ts';
import { eventually } from '../helpers/eventually.ts';
import { IN_SANDBOX, isSandboxed } from '../helpers/sandbox.ts';
import { tempFolder } from '../helpers/temp.ts';
import { calls, onEveryPlatform, openChat, press, readable } from '../kit/kit.ts';
import { ask, type Place, type Platform, waitFor, wholeQuestion } from '../platforms/platform.ts';
import { type ChannelName, type PlatformWorldOptions, putFiles } from '../platforms/world.ts';

const machine = vi.hoisted(() => ({ isWithoutSandbox: false }));
vi.mock(import('../../src/skills/sandbox.ts'), async (original) => {
  const real = await original();
  return {
    ...real,
    findSandbox: async () => (machine.isWithoutSandbox ? undefined : real.findSandbox()),
    hasSandbox: async () => !machine.isWithoutSandbox && (await real.hasSandbox()),
  };
});

const git = (folder: string, ...args: string[]): string =>
  execFileSync('git', ['-c', 'safe.directory=*', ...args], { cwd: folder, encoding: 'utf8' }).trimEnd();
const hasGit = (() => {
  try {
    execFileSync('git', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
})();

const skillFile = (name: string, front: string, body: string): string =>
  `---\nname: ${name}\ndescription: Does ${name}.\n${front}---\n${body}\n`;

const MARK = skillFile(
  'mark',
  'parameters:\n  word:\n    type: string\n    description: A word\n    required: true\n',
  'echo "$word" >> marks.txt\necho "marked $word"',
);

interface Given extends PlatformWorldOptions {
  /** By path below the home. */
  files?: Record<string, string>;
  /** Further lines of agents/default.yaml. */
  agent?: string;
}

const open = (name: ChannelName, { files = {}, agent, ...options }: Given = {}) =>
  openChat({ ...options, files: { ...files, ...(agent !== undefined && { 'agents/default.yaml': agent }) } }, name);

/** A repository with one commit and a change that is not committed. */
function repository(): string {
  const folder = fs.realpathSync(tempFolder());
  git(folder, 'init', '-q');
  git(folder, '-c', 'user.name=A', '-c', 'user.email=a@example.com', 'commit', '-q', '--allow-empty', '-m', 'first');
  fs.writeFileSync(path.join(folder, 'notes.md'), 'milk\n');
  return folder;
}

const at = (folder: string): string => `folder: ${folder}\n`;
const sh = (body: string): string => `\`\`\`sh\n${body}\n\`\`\``;

/** Until /skills says so: what has settled on disk is taken up. */
async function offers(platform: Platform, dm: Place, fits: (text: string) => boolean): Promise<void> {
  await eventually(async () => expect(fits((await platform.command(dm, 'skills')).text)).toBe(true));
}

const HOSTILE = `It's "done"; $(touch ${path.join(os.tmpdir(), 'viber-ran-this')}) \`touch ran\``;
const ran = path.join(os.tmpdir(), 'viber-ran-this');

/** Shown with its script; approved, it commits with exactly that message. */
async function commits(name: ChannelName, isWithout: boolean): Promise<void> {
  machine.isWithoutSandbox = isWithout;
  const folder = repository();
  // Without a sandbox even this mode asks.
  const mode = isWithout ? 'execute' : 'decide';
  const { world, platform, dm } = await open(name, { agent: `folder: ${folder}\nmode: ${mode}\n` });
  world.llm.script(calls({ name: 'git-commit', arguments: { message: HOSTILE } }));
  const asked = await ask(platform, dm, 'commit it', { text: 'May I run' });
  expect(asked.buttons.slice(0, 3)).toEqual(['Yes', 'No', 'Always for this task']);
  const shown = await wholeQuestion(platform, dm, asked);
  expect(shown).toContain('git add .\ngit commit -m "$message"');
  expect(shown).toContain(spellInvisible(HOSTILE));
  expect(shown).toContain(folder);
  expect(shown).toContain(isWithout ? 'without a sandbox' : 'in a sandbox, without network');
  expect(git(folder, 'log', '--format=%s')).toBe('first');
  const done = await press(platform, dm, 'Yes', 'I was told');
  expect(done.text).toContain('"code":0');
  expect(git(folder, 'log', '-1', '--format=%B')).toBe(HOSTILE);
  expect(git(folder, 'show', '--name-only', '--format=')).toBe('notes.md');
  expect(git(folder, 'log', '--format=%s').split('\n')).toHaveLength(2);
  expect(fs.existsSync(ran)).toBe(false);
  expect(fs.existsSync(path.join(folder, 'ran'))).toBe(false);
}

describe('git-commit', () => {
  it.skipIf(!hasGit || !isSandboxed).each(onEveryPlatform)(
    `is shown with its script, and commits with exactly that message, on %s ${IN_SANDBOX}`,
    (name) => commits(name, false),
  );

  it.skipIf(!hasGit)('is shown with its script, and commits with exactly that message, without a sandbox', () =>
    commits('loopback', true),
  );
});

describe('a skill', () => {
  it('is denied: nothing runs, and the model is told', async () => {
    machine.isWithoutSandbox = false;
    const folder = tempFolder();
    const { world, platform, dm } = await open('loopback', {
      files: { 'skills/mark/SKILL.md': MARK },
      agent: at(folder),
    });
    world.llm.script(calls({ name: 'mark', arguments: { word: 'one' } }));
    await ask(platform, dm, 'mark it', { text: 'May I run' });
    const done = await press(platform, dm, 'No', 'I was told');
    expect(done.text).toContain('execution denied');
    expect(fs.readdirSync(folder)).toEqual([]);
  });

  it('draws a chart that comes back as a picture', async () => {
    const { world, platform, dm } = await open('loopback');
    const data = 'month,sales\nJan,3\nFeb,5\n';
    world.llm.script(calls({ name: 'chart', arguments: { title: 'Sales', type: 'bar', data } }));
    await ask(platform, dm, 'draw it', { text: 'I was told' });
    const [file] = (await waitFor(platform, dm, { file: 'Sales.png' })).files;
    expect(file && platform.bytes(file).subarray(1, 4).toString()).toBe('PNG');
    // Bundled skills must not make every request heavy.
    expect(world.llm.stats().bytes.largest).toBeLessThan(13_500);
  });

  it('writes a file in the folder of the task, and it is attached; a link to another file is not', async () => {
    machine.isWithoutSandbox = true;
    const secret = path.join(tempFolder(), 'secret.txt');
    fs.writeFileSync(secret, 'not for anybody');
    const body = `printf 'a,b\\n1,2\\n' > table.csv\nln -s ${secret} soft.txt\nln ${secret} hard.txt || cp /dev/null hard.txt\n`;
    const { world, platform, dm } = await open('loopback', {
      files: { 'skills/table.skill.md': skillFile('table', 'parameters: {}\n', sh(body)) },
    });
    world.llm.script(calls({ name: 'table', arguments: {} }));
    await ask(platform, dm, 'make the table', { text: 'May I run' });
    await press(platform, dm, 'Yes', 'I was told');
    const [file] = (await waitFor(platform, dm, { file: 'table.csv' })).files;
    expect(file && platform.bytes(file).toString()).toBe('a,b\n1,2\n');
    expect(platform.answers(dm).flatMap((seen) => seen.files.map((each) => each.name))).toEqual(['table.csv']);
    const kept = fs.readdirSync(path.join(world.home, 'artifacts', world.tasks()[0] ?? ''));
    for (const each of kept.filter((one) => one !== 'work'))
      expect(world.read(path.join('artifacts', world.tasks()[0] ?? '', each))).not.toContain('not for anybody');
  });

  it('that has changed between question and answer is asked about anew, as it is now', async () => {
    machine.isWithoutSandbox = false;
    const folder = tempFolder();
    const { world, platform, dm } = await open('loopback', {
      files: { 'skills/mark/SKILL.md': MARK },
      agent: at(folder),
    });
    const call = { name: 'mark', arguments: { word: 'one' } };
    world.llm.script(calls(call));
    await ask(platform, dm, 'mark it', { text: 'May I run' });
    putFiles(world.home, { 'skills/mark/SKILL.md': MARK.replace('marks.txt', 'other.txt') });
    await offers(platform, dm, (text) => text.includes('mark'));
    const asked = await press(platform, dm, 'Yes', 'Something has changed since you said yes');
    expect(asked.text).toContain('May I run');
    expect(fs.readdirSync(folder)).toEqual([]);
    expect(await wholeQuestion(platform, dm, asked)).toContain('other.txt');
    await press(platform, dm, 'Yes', 'I was told');
    expect(fs.readFileSync(path.join(folder, 'other.txt'), 'utf8')).toBe('one\n');
  });

  it('is not approved by a guest, who may look at what there is', async () => {
    machine.isWithoutSandbox = false;
    const folder = tempFolder();
    const files = { 'skills/mark/SKILL.md': MARK, 'skills/half/SKILL.md': '---\nname: half\n' };
    const { world, platform } = await open('loopback', { files, agent: at(folder) });
    world.llm.script(calls({ name: 'mark', arguments: { word: 'one' } }));
    const place = platform.answerPlace(platform.say(platform.room, 'mark it', { mention: true, by: 'sam' }));
    await waitFor(platform, place, { text: 'May I run' });
    expect((await press(platform, place, 'Yes', /people who take part/, { by: 'kim' })).text).toContain(
      'ask one of them',
    );
    const theirs = platform.answerPlace(platform.say(platform.room, 'mark it for me', { mention: true, by: 'kim' }));
    await waitFor(platform, theirs, { text: 'I was told' });
    const offered = world.llm.requests().at(-1)?.tools ?? [];
    expect(offered).toContain('chart');
    expect(offered).not.toContain('mark');
    expect(fs.readdirSync(folder)).toEqual([]);
    const seen = (await platform.command(platform.room, 'skills', '', 'kim')).text;
    expect(seen).toMatch(/git-commit.{0,4}: Stage changes and commit with a message/);
    expect(seen).toMatch(/mark.{0,4}: Does mark/);
    expect(seen).not.toContain('half');
    const own = (await platform.command(platform.dm('alex'), 'skills')).text;
    expect(own).toMatch(/Not loaded[\s\S]*skills\/half\/SKILL\.md: .*half-written/);
  });
});

describe('skills', () => {
  it('are taken up in the next run when they change on disk; a broken edit keeps the last good one, and /skills says why', async () => {
    const { world, platform, dm } = await open('telegram');
    const names = () => world.llm.requests().at(-1)?.tools ?? [];
    await ask(platform, dm, 'hello', { text: 'hello' });
    expect(names()).toEqual(expect.arrayContaining(['chart', 'git-commit', 'web-fetch', 'read_skill']));
    expect(names()).not.toContain('mark');
    putFiles(world.home, { 'skills/mark/SKILL.md': MARK });
    await offers(platform, dm, (text) => /mark/.test(text));
    await ask(platform, dm, 'and now', { text: 'and now' });
    expect(names()).toContain('mark');
    putFiles(world.home, { 'skills/mark/SKILL.md': MARK.replace('type: string', 'type: text') });
    await offers(platform, dm, (text) => text.includes('last good version stays in use'));
    await ask(platform, dm, 'still there', { text: 'still there' });
    expect(names()).toContain('mark');
    fs.rmSync(path.join(world.home, 'skills/mark'), { recursive: true });
    await offers(platform, dm, (text) => !text.includes('mark'));
    await ask(platform, dm, 'and gone', { text: 'and gone' });
    expect(names()).not.toContain('mark');
  });

  it('to be read are listed in the prompt and read on demand; what cannot be used is not offered, and /skills has the fix', async () => {
    const files = {
      'skills/tea/SKILL.md': '---\nname: tea\ndescription: How we make tea.\n---\nBoil the water first.\n',
      'skills/tea/references/pots.md': 'The blue pot.',
      'skills/gone/SKILL.md': skillFile(
        'gone',
        'metadata: {openviber: {requires: {bins: [no-such-program-x]}}}\n',
        sh('true'),
      ),
      'skills/keyed/SKILL.md': skillFile('keyed', 'metadata: {openviber: {requires: {env: [TEA_KEY]}}}\n', sh('true')),
    };
    const { world, platform, dm } = await open('slack', { files });
    const read = (args: object) => ({ name: 'read_skill', arguments: args });
    world.llm.script(
      calls(
        read({ name: 'tea' }),
        read({ name: 'tea', file: 'references/pots.md' }),
        read({ name: 'tea', file: '../../config.json' }),
      ),
    );
    const done = await ask(platform, dm, 'make tea', { text: 'I was told' });
    expect(done.text).toContain('cannot be read');
    const request = world.llm.requests().at(-1);
    expect(request?.system).toContain('- tea: How we make tea.');
    expect(request?.toolResults[0]).toContain('Boil the water first.');
    expect(request?.toolResults[0]).toContain('references/pots.md');
    expect(request?.toolResults[1]).toContain('The blue pot.');
    expect(request?.tools).not.toContain('gone');
    const shown = (await platform.command(dm, 'skills')).text;
    expect(shown).toMatch(/gone.*install no-such-program-x/);
    expect(shown).toContain('skills.env.keyed.TEA_KEY');
  });

  it('refuse what is not theirs: further and reserved parameters, wrong types, before anybody is asked', async () => {
    const folder = tempFolder();
    const { world, platform, dm } = await open('discord', {
      files: { 'skills/mark/SKILL.md': MARK },
      agent: at(folder),
    });
    const bad = [{ word: 'x', PATH: '/tmp' }, { word: 'x', BASH_ENV: '/tmp/x' }, { word: 1 }, {}, { word: 'a\u0000b' }];
    world.llm.script(calls(...bad.map((each) => ({ name: 'mark', arguments: each }))));
    await ask(platform, dm, 'mark it', { text: 'I was told' });
    const results = world.llm.requests().at(-1)?.toolResults ?? [];
    expect(results).toHaveLength(bad.length);
    for (const result of results) expect(result).toContain('The arguments do not fit');
    expect(fs.readdirSync(folder)).toEqual([]);
  });

  it('name the setting when their folder is not there', async () => {
    const { world, platform, dm } = await open('telegram', {
      files: { 'skills/mark/SKILL.md': MARK },
      agent: at('/no/such/folder'),
    });
    world.llm.script(calls({ name: 'mark', arguments: { word: 'one' } }));
    const done = await ask(platform, dm, 'mark it', { text: 'I was told' });
    expect(done.text).toMatch(/there is no such folder\. Change .?folder.? in agents\/default\.yaml/);
    expect(platform.answers(dm).filter((seen) => seen.text.includes('May I run'))).toEqual([]);
  });

  it('with a long script are shown whole in a file; "always" holds for this version alone', async () => {
    machine.isWithoutSandbox = false;
    const folder = tempFolder();
    const long = MARK.replace('echo "marked', `${'# a line that nobody needs\n'.repeat(100)}echo "marked`);
    const { world, platform, dm } = await open('telegram', {
      files: { 'skills/mark/SKILL.md': long },
      agent: at(folder),
    });
    const call = { name: 'mark', arguments: { word: 'one' } };
    world.llm.script(calls(call, call));
    const asked = await ask(platform, dm, 'mark it', { text: 'May I run' });
    await waitFor(platform, dm, { file: 'details.txt' });
    expect(readable(platform, asked) + platform.answers(dm).map((seen) => readable(platform, seen))).toContain(
      'echo "marked $word"',
    );
    await press(platform, dm, 'Always for this task', 'I was told');
    expect(fs.readFileSync(path.join(folder, 'marks.txt'), 'utf8')).toBe('one\none\n');
    putFiles(world.home, { 'skills/mark/SKILL.md': MARK });
    await offers(platform, dm, (text) => text.includes('mark'));
    await ask(platform, dm, 'once more', { text: 'May I run' });
  });

  it('and the tools of servers stand beside each other, and /skills lists both', async () => {
    const server = path.join(import.meta.dirname, '..', 'fixtures', 'mcp', 'server.mjs');
    const config = { mcp: { docs: { command: process.execPath, args: [server], trusted: true } } };
    const { world, platform, dm } = await open('telegram', { config });
    expect((await platform.command(dm, 'skills')).text).toMatch(/docs.*not used yet/);
    world.llm.script(calls({ name: 'docs_echo', arguments: { words: 'hi' } }));
    expect((await ask(platform, dm, 'echo', { text: 'I was told' })).text).toContain('echo: hi');
    expect(world.llm.requests().at(-1)?.tools).toEqual(
      expect.arrayContaining(['git-commit', 'docs_echo', 'read_file']),
    );
    expect((await platform.command(dm, 'skills')).text).toMatch(/docs.*ok, \d+ tools/);
  });

  it('that were approved after a SIGKILL run once, and not at all when they changed meanwhile', async () => {
    const folder = tempFolder();
    const files = { 'skills/mark/SKILL.md': MARK };
    const { world, platform, dm } = await open('slack', { files, agent: at(folder), process: true });
    const call = { name: 'mark', arguments: { word: 'one' } };
    world.llm.script(calls(call));
    await ask(platform, dm, 'mark it', { text: 'May I run' });
    await world.kill();
    await press(platform, dm, 'Yes', 'I was told');
    expect(fs.readFileSync(path.join(folder, 'marks.txt'), 'utf8')).toBe('one\n');
    await ask(platform, dm, 'mark it again', { text: 'May I run' });
    putFiles(world.home, { 'skills/mark/SKILL.md': MARK.replace('marks.txt', 'other.txt') });
    await world.kill();
    const again = await press(platform, dm, 'Yes', 'Something has changed since you said yes');
    expect(again.text).toContain('May I run');
    expect(fs.readdirSync(folder)).toEqual(['marks.txt']);
  });

  it('cut by a crash are reported and never repeated', async () => {
    const folder = tempFolder();
    const slow = MARK.replace('echo "marked', 'sleep 5\necho "marked');
    const { world, platform, dm } = await open('telegram', {
      ...{ files: { 'skills/mark/SKILL.md': slow }, agent: at(folder), process: true },
    });
    world.llm.script(calls({ name: 'mark', arguments: { word: 'one' } }));
    await ask(platform, dm, 'mark it', { text: 'May I run' });
    await platform.press(dm, 'Yes');
    const marks = path.join(folder, 'marks.txt');
    await eventually(() => expect(fs.readFileSync(marks, 'utf8')).toBe('one\n'));
    await world.kill();
    const told = await waitFor(platform, dm, { text: 'may or may not have happened' });
    expect(told.text).toContain('mark');
    expect(fs.readFileSync(marks, 'utf8')).toBe('one\n');
    expect(platform.answers(dm).filter((seen) => seen.text.includes('May I run'))).toHaveLength(1);
  });
});
