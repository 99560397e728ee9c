/** What jobs name that there is not: which names, what may have been meant, and how many messages the owners get of it. */
import { expect, test } from 'vitest';
import { type Job, parseJob } from '../../src/features/jobs/job.ts';
import { JobNames } from '../../src/features/jobs/names.ts';
import { holdsUp, sayUnknown, type UnknownName, unknownIn } from '../../src/features/jobs/unknown.ts';
import { silentLog } from '../../src/log.ts';
import { messagesIn, type Wording } from '../../src/messages/messages.ts';
import type { KnownNames } from '../../src/runtime/contract/job-service.ts';

const OPTIONS = { file: 'some.yaml', now: new Date(0), timezone: 'UTC' };
const some = await parseJob('name: Some\nschedule: 0 9 * * *\nprompt: x\n', OPTIONS);
const someJob = (id: string): Job => ({ ...some, id });

// biome-ignore format: a row is a line
const known: KnownNames = {
  vibers: ['default', 'writer'],
  providers: ['openai', 'offline', 'local'],
  modelProblem: (name) => (name === 'openai/x' ? 'no key for openai' : undefined),
  skills: new Map([['default', [{ name: 'weather', isTool: true }, { name: 'letters', isTool: false }]]]),
  off: ['shell'],
  tools: ['read_file', 'memory_search'],
  servers: new Map([['github', ['github_search_code']], ['mail', undefined]]),
};

// biome-ignore format: a row is a line
const TABLE: [what: string, job: Parameters<typeof unknownIn>[0], unknown: UnknownName[]][] = [
  ['nothing', { agent: {} }, []],
  ['what there is', { viber: 'writer', agent: { model: 'local/m' } }, []],
  ['a viber', { viber: 'writr', agent: {} }, [{ kind: 'viber', name: 'writr', near: 'writer' }]],
  ['its skills then are not looked at', { viber: 'x', agent: { skills: ['y'] } }, [{ kind: 'viber', name: 'x' }]],
  ['a model without a key', { agent: { model: 'openai/x' } }, [{ kind: 'model', name: 'openai/x', why: 'no key for openai' }]],
  ['a provider', { agent: { model: 'opnai/a/b' } }, [{ kind: 'provider', name: 'opnai', near: 'openai', model: 'opnai/a/b' }]],
  ['a text is no tool', { agent: { tools: ['letters', 'weather'] } }, [{ kind: 'tool', name: 'letters' }]],
  ['a tool of a server as a skill', { agent: { skills: ['github_search_code', 'mail_anything'] } }, []],
  ['a tool that a server has not', { agent: { tools: ['github_search_cod'] } }, [{ kind: 'tool', name: 'github_search_cod', near: 'github_search_code' }]],
  ['one that is switched off', { agent: { skills: ['shell'] } }, [{ kind: 'skill', name: 'shell', isOff: true }]],
  ['twice the same', { agent: { skills: ['a-b', 'a-b'] } }, [{ kind: 'skill', name: 'a-b' }]],
  ['of a viber whose skills could not be read', { viber: 'writer', agent: { skills: ['a'] } }, []],
];

test.each(TABLE)('%s', (_what, job, unknown) => {
  expect(unknownIn(job, 'default', known)).toEqual(unknown);
  expect(unknown.some(holdsUp)).toBe(unknown.some(({ kind }) => kind !== 'skill' && kind !== 'tool'));
});

test('a hundred names are five sentences', () => {
  const skills = Array.from({ length: 100 }, (_, index) => `unheard-of-${index}`);
  const said = sayUnknown(unknownIn({ agent: { skills } }, 'default', known), String);
  expect(said.map((each) => messagesIn('en').said(each)).at(-1)).toBe('96 more names in its file are unknown.');
  expect(said).toHaveLength(5);
});

test('two thousand files with unknown names are one message, and the same files none again', async () => {
  const jobs: Job[] = Array.from({ length: 2_000 }, (_, index) => ({ ...someJob(`job-${index}`), viber: 'nobody' }));
  const told: [string, Wording][] = [];
  let looks = 0;
  const names = new JobNames({
    jobs: { all: () => jobs.map((job) => ({ id: job.id, file: '', path: '', state: 'loaded', job })) },
    usual: 'default',
    lookUp: async () => {
      looks++;
      return known;
    },
    tellOwners: async (id, said) => void told.push([id, said]),
    log: silentLog(),
  });
  await names.check();
  await names.check();
  expect(looks).toBe(2);
  expect(told.map(([, said]) => messagesIn('en').said(said))).toEqual([
    "2,000 jobs name a viber, model, skill or tool that doesn't exist. /jobs shows which.",
  ]);
});

test('what cannot be looked up is not unknown', async () => {
  const job = { ...someJob('one'), agent: { skills: ['x'] } };
  const names = new JobNames({
    jobs: { all: () => [{ id: 'one', file: '', path: '', state: 'loaded', job }] },
    usual: 'default',
    lookUp: () => Promise.reject(new Error('no disk')),
    tellOwners: () => Promise.reject(new Error('nobody is told')),
    log: silentLog(),
  });
  await names.check();
  expect(names.of(job)).toEqual([]);
  expect(await names.now(job)).toEqual([]);
});
