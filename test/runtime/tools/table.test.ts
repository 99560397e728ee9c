/** The table of tools: who is offered which, in which order, and that everything people read of them is there. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { SKILL_TOOLS } from '../../../src/features/skills/tools/table.ts';
import { messagesIn } from '../../../src/messages/messages.ts';
import type { RunFacts } from '../../../src/runtime/contract/tool.ts';
import { isOffered } from '../../../src/runtime/tools/bind.ts';
import { doingWith } from '../../../src/runtime/tools/doing.ts';
import { allTools, CORE_TOOLS, knowTools, ownTools, SERVICE_TOOLS } from '../../../src/runtime/tools/table.ts';
import { FEATURES } from '../../helpers/features.ts';
import { openTestGateway } from '../../helpers/gateway.ts';

/** The tools that features bring. */
const BROUGHT = FEATURES.flatMap(({ tools = [] }) => tools);
knowTools(BROUGHT);
knowTools(SKILL_TOOLS);
/** The code of bundled skills, by name. */
const NATIVES = FEATURES.flatMap(({ natives = {} }) => Object.entries(natives));
knowTools(
  NATIVES.map(([name, tool]) => ({ ...tool, name })),
  false,
);

const HERE: RunFacts = {
  ...{ role: 'owner', isJob: false, isAsked: false, isHere: true, isAlone: false, tellsMemory: true },
};
const [FILES, SKILLS] = [
  ['create_artifact', 'attach_artifact', 'read_file', 'write_file', 'list_files'],
  ['read_skill', 'run_skill_file', 'find_skill'],
];
const JOBS = ['create_scheduled_job', 'list_scheduled_jobs', 'change_scheduled_job', 'delete_scheduled_job'];
const TASKS = ['list_tasks', 'open_task', 'new_task', 'use_viber'];
const MEMORY = ['forget', 'what_was_done'];
const ALONE = ['delegate'];
const ALL = [
  ...['update_plan', ...FILES, 'ask_user', 'set_model', ...TASKS, 'set_timezone'],
  ...['remember', 'memory_search', ...MEMORY, 'search_history', 'notify', ...JOBS, 'ask_agent', ...ALONE, 'web_search'],
  ...SKILLS,
];
const without = (...names: string[]) => ALL.filter((name) => !names.includes(name));
const talk = ['set_model', ...TASKS, ...MEMORY, 'search_history', 'set_timezone'];

// Services and settings may leave out more: a search engine that nobody has set up, agents that are not there.
it.each<[string, Partial<RunFacts>, string[]]>([
  ['an owner in a conversation of their own', {}, ALL],
  ['a member', { role: 'member' }, ALL],
  ['an owner where others can read', { tellsMemory: false }, without(...MEMORY)],
  ['a guest', { role: 'guest', tellsMemory: false }, ['update_plan', ...FILES, 'ask_user']],
  ['a job', { isJob: true, isHere: false }, without(...JOBS, ...talk)],
  ['a job whose place is known', { isJob: true }, without(...JOBS, ...talk)],
  ['a program that asks from nowhere', { isHere: false }, without(...JOBS, ...talk)],
  [
    'an agent that was asked',
    { isAsked: true, isAlone: true },
    without('update_plan', 'remember', 'ask_user', ...ALONE, ...talk),
  ],
  ['an agent at a step of a playbook', { isAsked: true }, without('update_plan', 'remember', ...ALONE, ...talk)],
  ['an agent that was asked by a guest', { role: 'guest', isAsked: true, isAlone: true }, FILES],
])('offers %s its own, in one order', (_who, facts, names) => {
  const tools = [...CORE_TOOLS, ...SERVICE_TOOLS, ...BROUGHT, ...SKILL_TOOLS];
  const offered = tools.filter((tool) => isOffered(tool, { ...HERE, ...facts }));
  expect(offered.map(({ name }) => name)).toEqual(names);
});

it('offers a guest those bundled skills whose file says so, and nothing that says nothing', () => {
  const guest = { ...HERE, role: 'guest' as const };
  expect(NATIVES.flatMap(([name, tool]) => (isOffered(tool, guest) ? [name] : []))).toEqual(['web-fetch', 'chart']);
  expect(isOffered({}, guest)).toBe(false);
});

it('has a name once, and the contract has a row for each', () => {
  const page = readFileSync(join(import.meta.dirname, '../../../docs/protocol.md'), 'utf8');
  expect(new Set(allTools().map(({ name }) => name)).size).toBe(allTools().length);
  expect(ownTools().filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
});

it.each(['en', 'de'])('says in %s what each does, and never by its name', (language) => {
  const messages = messagesIn(language);
  for (const { name, about } of allTools()) {
    const plain = messages.said(doingWith(name));
    expect(plain, name).not.toMatch(/_|using|bei der Arbeit mit|^doing\.|\{/);
    if (!about) continue;
    const said = messages.said(doingWith(name, { [about.argument]: 'notes.md' }));
    expect(said, name).toContain('notes.md');
    expect(messages.said(doingWith(name, { [about.argument]: { not: 'text' } })), name).toBe(plain);
  }
});

it.each<[string, string]>([
  ['run_tests', 'using run tests'],
  ['docs_find_page', 'using docs find page'],
  ['word-count', 'using word-count'],
  ['', 'using a tool'],
  ['<!channel> x', 'using a tool'],
  ['__proto__', 'using a tool'],
  ['constructor', 'using constructor'],
])('calls a tool of others by its name, where that can be one: %j', (name, said) => {
  expect(messagesIn('en').said(doingWith(name))).toBe(said);
});

it('describes set_model once for the models of a gateway and the rights of a person', async () => {
  let looks = 0;
  const { gw } = await openTestGateway({ config: { model: 'openai/gpt-5-mini', models: ['openai/gpt-5-mini'] } });
  const choices = Object.create(gw.models.choices, {
    offered: {
      value: () => {
        looks++;
        return gw.models.choices.offered();
      },
    },
    find: { value: (words: string, isOwner: boolean) => gw.models.choices.find(words, isOwner) },
    currency: { value: 'USD' },
  });
  const tool = SERVICE_TOOLS.find(({ name }) => name === 'set_model');
  const describe = (role: string) =>
    typeof tool?.describe === 'function' &&
    tool.describe({
      gw: { ...gw, models: { ...gw.models, choices } },
      order: { principal: { role }, address: { channel: 'local', account: '', chat: '1' } },
    } as never);
  const [first, second] = [describe('owner'), describe('owner')];
  expect(first).toBe(second);
  expect(looks).toBe(1);
  describe('member');
  describe('member');
  expect(looks).toBe(2);
});
