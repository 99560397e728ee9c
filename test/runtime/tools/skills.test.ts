/** What a run is offered of the skills, and what a script of one may and may not do; each script really runs. */

import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it, onTestFinished, test, vi } from 'vitest';
import type { Principal } from '../../../src/access/principal.ts';
import { UserError } from '../../../src/errors.ts';
import { skills as skillsCommand } from '../../../src/features/skills/command/skills.ts';
import { skills as feature } from '../../../src/features/skills/index.ts';
import { GatewaySkills } from '../../../src/features/skills/open.ts';
import { versionOf } from '../../../src/features/skills/tools/version.ts';
import { workFolder } from '../../../src/features/skills/tools/work-folder.ts';
import { messagesIn } from '../../../src/messages/messages.ts';
import { type ConsentRules, withConsent } from '../../../src/runtime/approvals/consent.ts';
import { approve } from '../../../src/runtime/commands/approve.ts';
import type { Invocation } from '../../../src/runtime/commands/command.ts';
import type { Order } from '../../../src/runtime/contract/order.ts';
import type { OwnSettings } from '../../../src/runtime/contract/settings.ts';
import type { RuntimeTool } from '../../../src/runtime/contract/task.ts';
import { mayUse } from '../../../src/runtime/tools/asked.ts';
import { createTools } from '../../../src/runtime/tools/index.ts';
import { ownTools } from '../../../src/runtime/tools/table.ts';
import { parseSkill } from '../../../src/skills/skill.ts';
import { openHome } from '../../../src/workspace/home.ts';
import { saveTask } from '../../../src/workspace/tasks/record.ts';
import type { ArtifactRef } from '../../../src/workspace/types.ts';
import { defaults } from '../../helpers/defaults.ts';
import { openTestGateway } from '../../helpers/gateway.ts';
import { IN_SANDBOX, isSandboxed } from '../../helpers/sandbox.ts';
import { toolScope } from '../../helpers/scope.ts';
import { putAll, tempFolder } from '../../helpers/temp.ts';

const asked = (role: Principal['role']) => ({ principal: { role }, task: { goal: 'do it' } }) as Order;
const signal = new AbortController().signal;

const skillText = (name: string, body: string, front = 'parameters: {}\n'): string =>
  `---\nname: ${name}\ndescription: Does ${name}.\n${front}---\n\`\`\`sh\n${body}\n\`\`\`\n`;
const WORD = 'parameters: {word: {type: string, description: A word}}\n';

interface Given {
  files?: Record<string, string>;
  env?: Record<string, Record<string, string>>;
  timeout?: number;
  sandbox?: boolean;
}

async function open({ files = {}, env = {}, timeout = 20, sandbox = false }: Given = {}) {
  const home = await openHome(path.join(tempFolder(), 'home'));
  putAll(home.root, files);
  const config = { skills: { ...defaults.skills, env, timeout } };
  const { gw } = await openTestGateway({ homeRoot: home.root, config });
  const skills = new GatewaySkills(gw, sandbox);
  onTestFinished(skills.start());
  const refs: ArtifactRef[] = [];
  const scopeOf = (viber = 'default') => toolScope(home, { viber, onArtifact: (ref) => refs.push(ref) });
  const offer = async (own: OwnSettings = {}, viber?: string) =>
    feature.offers?.when(asked('member'), own, gw)
      ? skills.offer(asked('member'), own, scopeOf(viber))
      : { tools: [], skills: '' };
  const tool = async (name: string, own: OwnSettings = {}, viber?: string): Promise<RuntimeTool> => {
    const { tools } = await offer(own, viber);
    const found = tools.find((each) => each.name === name);
    if (!found) throw new Error(`no ${name} among ${tools.map((each) => each.name).join(' ')}`);
    return found;
  };
  const call = async (name: string, input: unknown = {}, own: OwnSettings = {}) => {
    const found = await tool(name, own);
    return found.execute(found.input.parse(input), { signal, callId: 'c1' });
  };
  const names = async (own: OwnSettings = {}, viber?: string) =>
    (await offer(own, viber)).tools.map(({ name }) => name);
  return { home, skills, refs, scope: scopeOf(), offer, tool, call, names };
}

const put = (file: string, text: string) => {
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, text);
};
const many = (count: number, make: (n: number) => [string, string]) =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => make(n)));

describe('what is offered', () => {
  it('is the bundled skills, in the same order and with the same schemas in every run', async () => {
    const { offer } = await open();
    const [first, second] = [await offer(), await offer()];
    expect(first.tools.map(({ name }) => name)).toEqual(['chart', 'git-commit', 'web-fetch', 'read_skill']);
    expect(first.skills).toMatch(/^- summarise: Summarise a document/);
    expect(second.skills).toBe(first.skills);
    const keys = ({ tools }: typeof first) => tools.slice(0, 3).map(({ schema, input }) => schema ?? input);
    for (const [index, key] of keys(first).entries()) expect(keys(second)[index]).toBe(key);
    expect(first.tools[0]?.schema).toMatchObject({
      properties: { type: { enum: expect.arrayContaining(['pie']) } },
    });
  });

  it('follows the viber: skills by name, none for [], tools alone leave them out', async () => {
    const { names, offer } = await open();
    expect(await names({ skills: ['chart'] })).toEqual(['chart', 'read_skill']);
    expect(await names({ skills: ['summarise'] })).toEqual(['read_skill']);
    expect(await offer({ skills: [] })).toEqual({ tools: [], skills: '' });
    expect((await offer({ tools: ['read_file'] })).skills ?? '').toBe('');
    const both: OwnSettings = { tools: ['read_file'], skills: ['summarise'] };
    const allowed = (await offer(both)).tools.filter(mayUse(both, undefined));
    expect(allowed.map(({ name }) => name)).toEqual(['read_skill']);
  });

  it('holds no scripts in the run of a guest', async () => {
    const { skills, scope } = await open({ files: { 'skills/a.skill.md': skillText('a', 'true') } });
    const { tools } = await skills.offer(asked('guest'), {}, scope);
    expect(tools.map(({ name }) => name)).toEqual(['chart', 'web-fetch']);
  });

  it("has a viber's own skills for that viber alone, and they hide those of the same name", async () => {
    const files = {
      'skills/greet/SKILL.md': skillText('greet', 'echo from the home'),
      'vibers/dev/skills/greet/SKILL.md': skillText('greet', 'echo from dev'),
      'vibers/dev/skills/secret-plan/SKILL.md': skillText('secret-plan', 'true'),
    };
    const { names, tool } = await open({ files });
    expect(await names()).not.toContain('secret-plan');
    expect(await names({}, 'dev')).toContain('secret-plan');
    expect((await tool('greet', {}, 'dev')).codeFor?.({})).toContain('from dev');
    expect((await tool('greet')).codeFor?.({})).toContain('from the home');
  });

  it('is bounded: 64 tools, the own ones first; 2,000 tokens of what is read, and names', async () => {
    const files = {
      ...many(80, (n) => [`skills/s${n}.skill.md`, skillText(`s${n}`, 'true')]),
      'workspace/skills/zz.skill.md': skillText('zz', 'true'),
      ...many(50, (n) => [
        `skills/r${n}/SKILL.md`,
        `---\nname: r${n}\ndescription: ${'Long. '.repeat(90)}\n---\nText.\n`,
      ]),
    };
    const { names, offer } = await open({ files });
    const offered = await names();
    expect(offered).toHaveLength(67);
    expect(offered.slice(-3)).toEqual(['read_skill', 'run_skill_file', 'find_skill']);
    expect(offered).toContain('zz');
    const { skills = '' } = await offer();
    expect(skills.length).toBeLessThan(12_000);
    expect(skills.split('\n').at(-1)).toMatch(/by their names alone \(find_skill.*: r/);
    // Those that are too many to be called can be read.
    const left = Object.keys(many(80, (n) => [`s${n}`, ''])).filter((name) => !offered.includes(name));
    expect(left.length).toBeGreaterThan(15);
    for (const name of left) expect(skills).toMatch(new RegExp(`\\b${name}\\b`));
  });

  it('takes no name of a tool of ours', async () => {
    const { skills, scope, names } = await open({
      files: { 'skills/a.skill.md': skillText('notify', 'true'), 'skills/b.skill.md': skillText('read-file', 'true') },
    });
    expect((await skills.list('default')).problems.map(({ reason }) => messagesIn('en').said(reason))).toEqual([
      expect.stringContaining('"notify" is the name of a built-in tool'),
      expect.stringContaining('"read-file" is the name of a built-in tool'),
    ]);
    expect(ownTools()).toEqual(expect.arrayContaining(createTools(scope).map(({ name }) => name)));
    expect(await names()).not.toContain('notify');
  });
});

test('what a server said when it failed is for owners alone', async () => {
  const problem = 'The server docs (mcp.docs) is not there: cannot open /srv/private';
  const servers = [{ name: 'docs', state: 'failed' as const, tools: 0, problem }];
  const { gw } = await openTestGateway({ features: [{ name: 'servers', servers: async () => servers }] });
  const shown = async (isOwner: boolean) => {
    const principal = { role: isOwner ? 'owner' : 'member' };
    const context = { gw, viber: 'default', args: '', principal, messages: messagesIn('en') };
    return (await skillsCommand.run(context as unknown as Invocation)).text;
  };
  expect(await shown(true)).toMatch(/docs\*\* \(tool server\): can't be reached: .*cannot open/);
  expect(await shown(false)).toMatch(/docs\*\* \(tool server\): can't be reached$/);
});

describe('consent to a script', () => {
  const asks = (tool: RuntimeTool, mode: ConsentRules['mode'], input: unknown, always: ConsentRules['always'] = []) =>
    withConsent([tool], { mode, always, needsPlan: false })[0]?.asksBefore?.(input);

  it('is asked for outside a sandbox in every mode', async () => {
    const { tool } = await open({ files: { 'skills/a.skill.md': skillText('a', 'true') } });
    const a = await tool('a');
    for (const mode of ['ask', 'decide', 'execute'] as const) expect(asks(a, mode, {})).toBe(true);
    expect(a.noteFor?.({}, messagesIn('en'))).toContain('without a sandbox');
    expect(a.noteFor?.({}, messagesIn('de'))).toContain('ohne Sandbox');
  });

  it.skipIf(!isSandboxed)(`in mode execute is not asked for ${IN_SANDBOX}, and holds for a sandbox alone`, async () => {
    const files = { 'skills/a.skill.md': skillText('a', 'true') };
    const [inside, outside] = await Promise.all([open({ files, sandbox: true }), open({ files })]);
    const [a, b] = await Promise.all([inside.tool('a'), outside.tool('a')]);
    expect(['ask', 'decide', 'execute'].map((mode) => asks(a, mode as 'ask', {}))).toEqual([true, true, false]);
    expect(a.kindOf?.({})).not.toBe(b.kindOf?.({}));
  });

  it('holds for the skill as it was, with the files beside it, and in that place', async () => {
    const { home, tool } = await open({
      files: { 'skills/a/SKILL.md': skillText('a', 'sh "$SKILL_DIR/run.sh"'), 'skills/a/run.sh': 'echo one' },
    });
    const a = await tool('a');
    const kind = a.kindOf?.({}) ?? '';
    const consent = { tool: 'a', kind, by: 'telegram:1', at: '' };
    expect(asks(a, 'decide', {}, [consent])).toBe(false);
    const elsewhere = await tool('a', { folder: tempFolder() });
    expect(asks(elsewhere, 'decide', {}, [consent])).toBe(true);
    const file = path.join(home.root, 'skills/a/run.sh');
    const { atime, mtime } = fs.statSync(file);
    fs.writeFileSync(file, 'echo two');
    fs.utimesSync(file, atime, mtime);
    expect(asks(a, 'decide', {}, [consent])).toBe(true);
  });

  it('tells versions apart by name, content and place', () => {
    const skill = parseSkill(skillText('a', 'true'), { file: '/x/a.skill.md', level: 'user', reserved: new Set() });
    expect(versionOf(skill, ['/a'])).toBe(versionOf({ ...skill }, ['/a']));
    expect(versionOf(skill, ['/a'])).not.toBe(versionOf(skill, ['/b']));
    expect(versionOf({ ...skill, digest: 'other' }, ['/a'])).not.toBe(versionOf(skill, ['/a']));
  });
});

const SANDBOXES = [
  { sandbox: true, where: IN_SANDBOX },
  { sandbox: false, where: 'without a sandbox' },
];

describe.each(SANDBOXES)('a script $where', ({ sandbox }) => {
  const test = it.skipIf(sandbox && !isSandboxed);

  test('finds its parameters in the environment alone, and works in the folder of the task', async () => {
    const body = 'echo "$word"; pwd; printf "%s" "$word" > out.txt; touch "$OPENVIBER_FILES/task.json" || true';
    const { call, refs, home } = await open({ files: { 'skills/a.skill.md': skillText('a', body, WORD) }, sandbox });
    const word = `$(id) \`id\` "; id #'`;
    const folder = path.join(home.taskDir('20260101-aaaaa'), 'work');
    const result = await call('a', { word });
    expect(result).toMatchObject({ code: 0, artifacts: [{ name: 'out.txt' }] });
    expect((result as { output: string }).output).toContain(`${word}\n${fs.realpathSync(folder)}`);
    expect(fs.readFileSync(path.join(home.root, refs[0]?.ref ?? ''), 'utf8')).toBe(word);
    expect(fs.existsSync(path.join(folder, '..', 'task.json'))).toBe(!sandbox);
  });

  test('keeps what is new or changed, once, and names what it does not keep', async () => {
    const body =
      'echo x >> log.txt; : > empty.txt; mkdir -p deep; i=0; while [ $i -lt 12 ]; do echo $i > deep/$i.txt; i=$((i+1)); done';
    const { call, refs } = await open({ files: { 'skills/a.skill.md': skillText('a', body) }, sandbox });
    const first = (await call('a')) as { artifacts: { name: string; id: string }[]; notKept: string[] };
    expect(first.artifacts).toHaveLength(10);
    expect(first.notKept).toEqual(expect.arrayContaining(['empty.txt']));
    const ids = new Set(refs.map(({ id }) => id));
    await call('a');
    expect(new Set(refs.map(({ id }) => id))).toEqual(ids);
  });

  test('that fails says so, with the end of what it wrote; colours and hidden characters are gone', async () => {
    const body =
      'i=0; while [ $i -lt 3000 ]; do echo "line $i"; i=$((i+1)); done; printf "\\033[31mred\\033[0m\\342\\200\\256\\n"; exit 3';
    const { call } = await open({ files: { 'skills/a.skill.md': skillText('a', body) }, sandbox });
    const result = (await call('a')) as { output: string };
    expect(result).toMatchObject({ code: 3, error: 'It failed with exit code 3.', truncated: true });
    expect(result.output).toMatch(/^\[\.\.\. \d+ characters cut[\s\S]*line 2999\nred$/);
    expect(result.output.length).toBeLessThan(8_100);
  });

  test('is ended in time, and has only what it was granted', async () => {
    const files = {
      'skills/a.skill.md': skillText('a', 'sleep 30'),
      'skills/b.skill.md': skillText('b', 'env | grep -c KEY || true; echo "got $B_KEY"'),
      'skills/c.skill.md': skillText('c', 'env | grep KEY || echo none'),
    };
    process.env.OUR_OWN_KEY = 'of-the-gateway';
    onTestFinished(() => {
      delete process.env.OUR_OWN_KEY;
    });
    const { call } = await open({ files, timeout: 1, env: { b: { B_KEY: 'secret-of-b' } }, sandbox });
    expect(await call('a')).toMatchObject({ error: expect.stringContaining('ended after 1 seconds') });
    expect(await call('b')).toMatchObject({ output: '1\ngot [secret]' });
    expect(await call('c')).toMatchObject({ output: 'none' });
  });
});

describe('the folder a script works in', () => {
  it('is refused where the gateway has its files, or where nothing is', async () => {
    const { home, scope } = await open();
    const link = path.join(tempFolder(), 'link');
    fs.symlinkSync(home.root, link);
    const bad = [
      home.root,
      path.dirname(home.root),
      '/',
      home.skills,
      home.access,
      home.viberDir('default'),
      link,
      '/no/such',
      'relative',
      import.meta.filename,
    ];
    for (const folder of bad)
      expect(() => workFolder(scope, folder), folder).toThrow(/Change `folder` in agents\/default/);
    const own = fs.realpathSync(tempFolder());
    fs.mkdirSync(path.join(own, 'code'));
    vi.stubEnv('HOME', own);
    onTestFinished(() => void vi.unstubAllEnvs());
    expect(workFolder(scope, '~/code')).toMatchObject({ path: path.join(own, 'code'), isTasks: false });
    // Keys and start files of its person could come to stand there.
    expect(() => workFolder(scope, '~')).toThrow(/Change `folder`/);
    expect(workFolder(scope, '  ').isTasks).toBe(true);
  });

  it("is not the task's own once a link stands there", async () => {
    const { home, scope } = await open();
    const own = path.join(home.taskDir(scope.taskId), 'work');
    workFolder(scope, undefined);
    fs.rmdirSync(own);
    fs.symlinkSync('/etc', own);
    expect(() => workFolder(scope, undefined)).toThrow(UserError);
  });
});

describe('read_skill', () => {
  it('gives the text and what is beside it, and nothing that is elsewhere', async () => {
    const files = { 'skills/a/SKILL.md': '---\nname: a\ndescription: d\n---\nRead me.\n', 'skills/a/more.md': 'More.' };
    const { home, call } = await open({ files });
    fs.symlinkSync(path.join(home.root, 'workspace/SOUL.md'), path.join(home.skills, 'a/soul.md'));
    put(path.join(home.skills, 'a/picture.bin'), '\0\0');
    expect(await call('read_skill', { name: 'A' })).toEqual({
      ...{ name: 'a', body: 'Read me.' },
      files: [
        { name: 'more.md', size: 5 },
        { name: 'picture.bin', size: 2 },
      ].sort((x, y) => (x.name < y.name ? -1 : 1)),
    });
    expect(await call('read_skill', { name: 'a', file: 'more.md' })).toMatchObject({ text: 'More.' });
    for (const file of ['../b', '/etc/passwd', 'soul.md', 'picture.bin', '.hidden', 'gone.md'])
      await expect(call('read_skill', { name: 'a', file })).rejects.toThrow(UserError);
    expect(await call('read_skill', { name: 'git-commit' })).toMatchObject({
      body: expect.stringContaining('git add .'),
    });
    for (const name of ['gone', '__proto__']) await expect(call('read_skill', { name })).rejects.toThrow(UserError);
  });

  it('gives what is long in pages, to the last character', async () => {
    const lines = Array.from({ length: 9_000 }, (_, index) => `Line ${index} 🫖`).join('\n');
    const unbroken = '🫖'.repeat(30_000);
    const { home, call } = await open({
      files: { 'skills/a/SKILL.md': `---\nname: a\ndescription: d\n---\n${lines}\n` },
    });
    put(path.join(home.skills, 'a/unbroken.md'), `x${unbroken}`);
    put(path.join(home.skills, 'a/huge.md'), 'x'.repeat(256 * 1024 + 1));
    const whole = async (file?: string) => {
      const pages: string[] = [];
      for (let next: number | undefined = 0; next !== undefined; ) {
        const given: Record<string, unknown> = Object(
          await call('read_skill', { name: 'a', offset: next, ...(file ? { file } : {}) }),
        );
        pages.push(String(given.body ?? given.text));
        expect(given.more === undefined).toBe(given.next === undefined);
        next = typeof given.next === 'number' ? given.next : undefined;
      }
      return pages;
    };
    const pages = await whole();
    expect(pages.length).toBeGreaterThan(2);
    expect(pages.slice(0, -1).every((page) => page.endsWith('\n'))).toBe(true);
    expect(pages.join('')).toBe(lines);
    expect((await whole('unbroken.md')).join('')).toBe(`x${unbroken}`);
    await expect(call('read_skill', { name: 'a', file: 'huge.md' })).rejects.toThrow('larger than 262144 bytes');
  });
});

it('the skills in the documents are skills', () => {
  const page = fs.readFileSync(path.join(import.meta.dirname, '../../../docs/skills.md'), 'utf8');
  const texts = [...page.matchAll(/^```markdown\n(---\n[\s\S]*?)^```$/gm)].map(([, text = '']) => text);
  const source = { file: '/x/a.skill.md', level: 'user' as const, reserved: new Set(ownTools()) };
  expect(texts.map((text) => parseSkill(text, source).kind)).toEqual(['instructions', 'tool']);
});

it('a guest among the people of a task consents to no effect, of their own run or of somebody else’s', async () => {
  const { home } = await open();
  const at = new Date().toISOString();
  const who = (role: Principal['role'], user: string): Principal => ({
    ...{ channel: 'telegram', account: 'b', user, role, via: 'button', name: `N${user}` },
  });
  const address = { channel: 'telegram', account: 'b', chat: '5' };
  const task = { id: '20260101-aaaaa', viber: 'default', goal: 'g', title: 'g', state: 'completed' as const };
  const people = ['telegram:8', 'telegram:9'];
  await saveTask(home, { ...task, people, conversations: [], runs: 1, createdAt: at, updatedAt: at });
  const message = { address, sender: { user: '8', name: 'N8', isBot: false } };
  const decided: string[] = [];
  const answer = (asker: Principal, presser: Principal) => {
    const request = { id: 'r', kind: 'tool', taskId: task.id, principal: asker, asked: [message] };
    const approvals = { get: () => request, open: () => [], decide: async () => void decided.push(presser.role) };
    const gw = { home, consent: { approvals } };
    const context = { gw, address, message, principal: presser, args: 'r yes', messages: messagesIn('en') };
    return approve.run(context as unknown as Invocation);
  };
  const refused = await answer(who('member', '8'), who('guest', '9'));
  expect(refused.text).toBe('Only N8 or an owner may answer this.');
  expect(decided).toEqual([]);
  await answer(who('member', '8'), who('member', '9'));
  await answer(who('guest', '9'), who('guest', '9'));
  expect(decided).toEqual(['member']);
});
