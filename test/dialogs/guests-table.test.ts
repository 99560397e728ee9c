/** Who is told what, and offered what, where: owners, members, those on an allow list, and guests, in private and in a group. */
import { describe, expect, it } from 'vitest';
import { ask, type Person } from '../platforms/platform.ts';
import { CANARY, call, openToGuests } from './guests-world.ts';

const OWN = [
  ...['ask_user', 'attach_artifact', 'chart', 'create_artifact', 'list_files', 'read_file', 'update_plan'],
  ...['web-fetch', 'write_file'],
];
const PEOPLE = [
  ...[
    'ask_agent',
    'create_scheduled_job',
    'delegate',
    'delete_scheduled_job',
    'git-commit',
    'list_scheduled_jobs',
    'memory_search',
  ],
  ...['notify', 'read_skill', 'remember', 'run_skill_file', 'set_model'],
  ...['change_scheduled_job', 'list_tasks', 'new_task', 'open_task', 'search_history', 'set_timezone'],
];
/** Where memory may be told. */
const OF_MEMORY = ['forget', 'what_was_done'];
const PLAN = '## Goal\n\nx\n\n## Plan\n\n- [ ] a\n- [ ] b\n- [ ] c\n';
const PRIVATE = ['MEMORY', 'USER', 'LOG'];

type Who = 'owner' | 'member' | 'allow-listed' | 'guest';
const PERSON: Record<Who, Person> = { owner: 'alex', member: 'sam', 'allow-listed': 'kim', guest: 'kim' };

/** What the prompt of a second message holds, when the task has three open steps, and which tools it is offered. */
async function seenBy(who: Who, place: 'direct' | 'group', memory: 'direct' | 'group') {
  const { world, platform } = await openToGuests('telegram', {
    access: { memory, ...(who === 'allow-listed' ? { allow: ['6666'] } : {}) },
  });
  const by = PERSON[who];
  const at = place === 'direct' ? platform.dm(by) : platform.room;
  world.llm.script(({ toolResults }) =>
    toolResults.length === 0 ? { toolCalls: [call('update_plan', { plan: PLAN })] } : { text: 'planned' },
  );
  await ask(platform, at, '/new plan it', { by, mention: place === 'group', text: 'planned' });
  world.llm.script(() => ({ text: 'seen' }));
  await ask(platform, at, 'look', { by, mention: place === 'group', text: 'seen' });
  const request = world.llm.requests().at(-1);
  const text = JSON.stringify(request?.body.messages);
  return {
    told: PRIVATE.filter((each) => text.includes(`${CANARY}-${each}`)),
    tools: request?.tools.toSorted() ?? [],
  };
}

describe('in the prompt and among the tools', () => {
  const rows: [Who, 'direct' | 'group', 'direct' | 'group', boolean][] = [
    ['owner', 'direct', 'direct', true],
    ['member', 'direct', 'direct', true],
    ['allow-listed', 'direct', 'direct', true],
    ['guest', 'direct', 'direct', false],
    ['owner', 'group', 'direct', false],
    ['member', 'group', 'direct', false],
    ['allow-listed', 'group', 'direct', false],
    ['guest', 'group', 'direct', false],
    ['owner', 'group', 'group', true],
    ['member', 'group', 'group', true],
    ['allow-listed', 'group', 'group', true],
    ['guest', 'group', 'group', false],
    ['guest', 'direct', 'group', false],
  ];
  it.each(rows)(
    'of the %s, in a %s conversation, with access.memory %s: memory %s',
    async (who, place, memory, isTold) => {
      const { told, tools } = await seenBy(who, place, memory);
      expect(told).toEqual(isTold ? PRIVATE : []);
      // There is another viber, and owners may talk to any.
      const more = who === 'owner' ? ['use_viber'] : [];
      expect(tools).toEqual(
        [...OWN, ...(who === 'guest' ? [] : PEOPLE), ...(isTold ? OF_MEMORY : []), ...more].toSorted(),
      );
    },
  );
});
