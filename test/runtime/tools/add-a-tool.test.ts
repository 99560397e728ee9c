/** The guide to adding a tool is followed as it is written, on a copy of the source: the tool is then offered, named and run. */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';

const root = join(import.meta.dirname, '../../..');
const guide = readFileSync(join(root, 'docs/dev/add-a-tool.md'), 'utf8');
const blocks = [...guide.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, text = '']) => text);
const [file = '', english = '', german = '', line = ''] = blocks;

let copy: string;
const touched = new Set<string>();

function change(name: string, edit: (text: string) => string): void {
  const before = readFileSync(join(copy, name), 'utf8');
  const after = edit(before);
  expect(after, name).not.toBe(before);
  writeFileSync(join(copy, name), after);
  touched.add(name);
}

beforeAll(() => {
  copy = mkdtempSync(join(tmpdir(), 'add-a-tool-'));
  cpSync(join(root, 'src'), join(copy, 'src'), { recursive: true });
  cpSync(join(root, 'package.json'), join(copy, 'package.json'));
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
  mkdirSync(join(copy, 'src/runtime/tools'), { recursive: true });
  writeFileSync(join(copy, 'src/runtime/tools/days-until.ts'), file);
  touched.add('src/runtime/tools/days-until.ts');
  const intoDoing = (text: string) => (all: string) => all.replace(/(export const doing = [^\n]*\{\n)/, `$1${text}`);
  change('src/messages/en/live.ts', intoDoing(english));
  change('src/messages/de/live.ts', intoDoing(german));
  change('src/runtime/tools/table.ts', (all) =>
    all
      .replace(/\n(?=import \{ readFile)/, "\nimport { daysUntil } from './days-until.ts';\n")
      .replace(/(SERVICE_TOOLS: [\s\S]*?)(?=\];)/, `$1${line}`),
  );
});
afterAll(() => rmSync(copy, { recursive: true, force: true }));

/** What the changed source gives. */
function ask(program: string): unknown {
  const imports = `
    import { ownTools, SERVICE_TOOLS } from './src/runtime/tools/table.ts';
    import { offerTools } from './src/runtime/tools/bind.ts';
    import { doingWith } from './src/runtime/tools/doing.ts';
    import { messagesIn } from './src/messages/messages.ts';
    import { stablePart } from './src/runtime/context/system-prompt.ts';
    const facts = { role: 'member', isJob: false, isAsked: false, isHere: false, isAlone: false, tellsMemory: false };
    const gw = { people: { zones: { of: () => 'Europe/Berlin' } } };
    const run = { scope: {}, order: { principal: {}, task: {} }, own: {}, gw };
    const signal = new AbortController().signal;
    const print = (value) => process.stdout.write(JSON.stringify(value));
  `;
  writeFileSync(join(copy, 'ask.ts'), `${imports}\n${program}`);
  const { stdout, stderr } = spawnSync(process.execPath, ['ask.ts'], { cwd: copy, encoding: 'utf8' });
  if (stdout === '') throw new Error(stderr);
  return JSON.parse(stdout);
}

it('touches four files', () => {
  expect(blocks).toHaveLength(4);
  expect([...touched].sort()).toEqual([
    'src/messages/de/live.ts',
    'src/messages/en/live.ts',
    'src/runtime/tools/days-until.ts',
    'src/runtime/tools/table.ts',
  ]);
});

it('gives a tool that is offered to people, and not to guests; its name is taken', () => {
  const found = ask(`
    const names = async (role) => (await offerTools(SERVICE_TOOLS, run, { ...facts, role })).map(({ name }) => name);
    print([ownTools().includes('days_until'), (await names('member')).at(-1), (await names('guest')).includes('days_until')]);
  `);
  expect(found).toEqual([true, 'days_until', false]);
});

it('is named in words people read, and in the prompt of the runs that have it', () => {
  const found = ask(`
    const said = ['en', 'de'].map((language) => messagesIn(language).said(doingWith('days_until', { date: '2027-01-01' })));
    const parts = { bootstrap: [], memory: '', viber: 'default', channelNote: '', coding: false, isGuest: false, skills: '' };
    const [tool] = (await offerTools(SERVICE_TOOLS, run, facts)).slice(-1);
    const prompts = [[tool], []].map((tools) => stablePart({ ...parts, tools, agentPrompt: undefined }).includes('count the days'));
    print([...said, messagesIn('en').said(doingWith('days_until')), ...prompts]);
  `);
  expect(found).toEqual([
    'counting the days until 2027-01-01',
    'beim Zählen der Tage bis 2027-01-01',
    'counting the days',
    true,
    false,
  ]);
});

it('does what it says, and tells the model what it could not read', () => {
  const found = ask(`
    const [tool] = (await offerTools(SERVICE_TOOLS, run, facts)).slice(-1);
    const today = new Intl.DateTimeFormat('en-CA', { timeZone: 'Europe/Berlin' }).format(new Date());
    const call = (date) => tool.execute({ date }, { signal, callId: 'c' });
    print([await call(today), await call('soon').catch((error) => error.message)]);
  `);
  expect(found).toEqual([{ days: 0 }, 'The date is YYYY-MM-DD.']);
});
