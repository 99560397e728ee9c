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

type Open = Awaited<ReturnType<typeof openToGuests>>;
type Where = 'direct' | 'group';
type Who = 'owner' | 'member' | 'allow-listed' | 'guest';
const PERSON: Record<Who, Person> = { owner: 'alex', member: 'sam', 'allow-listed': 'kim', guest: 'kim' };

/** What the prompt of a second message holds, when the task has three open steps, and which tools it is offered. */
async function seenBy({ world, platform }: Open, who: Who, place: Where) {
  const by = PERSON[who];
  const at = place === 'direct' ? platform.dm(by) : platform.room;
  world.llm.script(({ toolResults }) =>
    toolResults.length === 0 ? { toolCalls: [call('update_plan', { plan: PLAN })] } : { text: 'planned' },
  );
  const given = { by, mention: place === 'group', after: platform.answers(at).length };
  await ask(platform, at, '/new plan it', { ...given, text: 'planned' });
  world.llm.script(() => ({ text: `seen ${who}` }));
  await ask(platform, at, 'look', { ...given, text: `seen ${who}` });
  const request = world.llm.requests().at(-1);
  const text = JSON.stringify(request?.body.messages);
  return {
    told: PRIVATE.filter((each) => text.includes(`${CANARY}-${each}`)),
    tools: request?.tools.toSorted() ?? [],
  };
}

describe('in the prompt and among the tools', () => {
  const PEOPLE_OF_LIST: readonly Who[] = ['owner', 'member', 'guest'];
  it.each([
    { memory: 'direct', allow: [], people: PEOPLE_OF_LIST, told: ['owner direct', 'member direct'] },
    { memory: 'direct', allow: ['6666'], people: ['allow-listed'], told: ['allow-listed direct'] },
    {
      ...{ memory: 'group', allow: [], people: PEOPLE_OF_LIST },
      told: ['owner direct', 'member direct', 'owner group', 'member group'],
    },
    { memory: 'group', allow: ['6666'], people: ['allow-listed'], told: ['allow-listed direct', 'allow-listed group'] },
  ] as const)('of $people, with access.memory $memory: memory of $told', async ({ memory, allow, people, told }) => {
    const open = await openToGuests('telegram', { access: { memory, allow } });
    const found: string[] = [];
    for (const who of people) {
      for (const place of ['direct', 'group'] as const) {
        const seen = await seenBy(open, who, place);
        const isTold = told.some((each) => each === `${who} ${place}`);
        if (seen.told.length === PRIVATE.length) found.push(`${who} ${place}`);
        else expect(seen.told, `${who} ${place}`).toEqual([]);
        // There is another viber, and owners may talk to any.
        const more = who === 'owner' ? ['use_viber'] : [];
        expect(seen.tools, `${who} ${place}`).toEqual(
          [...OWN, ...(who === 'guest' ? [] : PEOPLE), ...(isTold ? OF_MEMORY : []), ...more].toSorted(),
        );
      }
    }
    expect(found.toSorted()).toEqual(told.toSorted());
  });
});
