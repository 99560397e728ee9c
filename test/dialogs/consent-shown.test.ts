/** Consent is for what was shown: whatever changes between a question and its yes, what runs is what the question said, or it asks again. */
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { digestOf } from '../../src/runtime/reply/show.ts';
import type { ToolCall } from '../emulators/llm.ts';
import { calls, openChat, press } from '../kit/kit.ts';
import { ask, type Place, type Platform, waitFor } from '../platforms/platform.ts';
import { type PlatformWorld, putFiles } from '../platforms/world.ts';

const AGAIN = 'Something has changed since you said yes';
const DIGEST = 'name: Digest\nschedule: every weekday at 9\ntimezone: Europe/Berlin\nprompt: Write the digest\n';
const MARK =
  '---\nname: mark\ndescription: Marks.\nparameters:\n  word:\n    type: string\n    description: A word\n---\necho marked\n';
const PLAN = '## Goal\n\nA trip\n\n## Plan\n\n- [ ] Book a train\n';

interface Case {
  name: string;
  calls: ToolCall[];
  /** Part of the question. */
  asks: string;
  /** What its yes-button is called. */
  yes?: string;
  files?: Record<string, string>;
  change(to: { world: PlatformWorld; platform: Platform; dm: Place; task: string }): unknown;
  /** By which the wanted outcome is told: it asked again, or what it has made. */
  made?(world: PlatformWorld): void;
}

const job = (fields: object): ToolCall => ({
  name: 'create_scheduled_job',
  arguments: { name: 'Call mum', schedule: 'tomorrow at 9', prompt: 'Remind Alex to call mum', ...fields },
});
const put = (world: PlatformWorld, file: string, text: string) => putFiles(world.home, { [file]: text });
const made = (world: PlatformWorld) => parse(world.read('jobs/call-mum.yaml'));
const CASES: Case[] = [
  {
    name: 'a zone that is said meanwhile leaves a job in the one that was shown',
    calls: [job({})],
    asks: '09:00 Berlin time',
    change: ({ platform, dm }) => platform.command(dm, 'timezone', 'Asia/Tokyo'),
    made: (world) =>
      expect(made(world)).toMatchObject({
        timezone: 'Europe/Berlin',
        schedule: expect.stringMatching(/T0[78]:00:00Z$/),
      }),
  },
  {
    name: 'a zone that is said meanwhile leaves a recurring job in the one that was shown',
    calls: [job({ schedule: 'every monday at 9' })],
    asks: 'every Monday at 09:00 (Berlin time)',
    change: ({ platform, dm }) => platform.command(dm, 'timezone', 'Asia/Tokyo'),
    made: (world) => expect(made(world)).toMatchObject({ timezone: 'Europe/Berlin', schedule: 'every monday at 9' }),
  },
  {
    name: 'a job that is edited meanwhile is not moved unasked',
    calls: [{ name: 'change_scheduled_job', arguments: { name: 'dig', schedule: 'daily at 10' } }],
    asks: 'Move Digest to every day at 10:00',
    files: { 'jobs/digest.yaml': DIGEST },
    change: async ({ world, platform, dm }) => {
      put(world, 'jobs/digest.yaml', DIGEST.replace('Europe/Berlin', 'Asia/Tokyo'));
      await expect.poll(async () => (await platform.command(dm, 'jobs', 'show digest')).text).toContain('Tokyo');
    },
  },
  {
    name: 'a job that is edited in the moment before the yes is not moved unasked',
    calls: [{ name: 'change_scheduled_job', arguments: { name: 'dig', schedule: 'daily at 10' } }],
    asks: 'Move Digest to every day at 10:00',
    files: { 'jobs/digest.yaml': DIGEST },
    change: ({ world }) => put(world, 'jobs/digest.yaml', DIGEST.replace('Europe/Berlin', 'Asia/Tokyo')),
  },
  {
    name: 'another job under the same name is not deleted',
    calls: [{ name: 'delete_scheduled_job', arguments: { name: 'Digest' } }],
    asks: 'Delete Digest',
    files: { 'jobs/digest.yaml': DIGEST },
    change: async ({ world, platform, dm }) => {
      put(world, 'jobs/digest.yaml', DIGEST.replace('weekday at 9', 'day at 17:00'));
      await expect.poll(async () => (await platform.command(dm, 'jobs', 'show digest')).text).toContain('17:00');
    },
  },
  {
    name: 'a line of memory with more under it by now is not forgotten unasked',
    calls: [{ name: 'forget', arguments: { words: 'window' } }],
    asks: 'Forget this',
    yes: 'Forget it',
    files: { 'vibers/default/MEMORY.md': '# Memory\n\n- Prefers window seats\n' },
    change: ({ world }) =>
      put(world, 'vibers/default/MEMORY.md', '# Memory\n\n- Prefers window seats\n  - and never row 13\n'),
  },
  {
    name: 'a file that is sent is the one that was asked about',
    calls: [
      { name: 'write_file', arguments: { path: 'report.txt', content: 'first' } },
      { name: 'notify', arguments: { to: 'loopback:sam', text: 'Here', artifacts: ['REF'] } },
    ],
    asks: 'Send this to',
    yes: 'Send',
    change: ({ world, task }) => {
      const index = `artifacts/${task}/artifacts.jsonl`;
      const last = JSON.parse(world.read(index).trim().split('\n').at(-1) ?? '');
      fs.appendFileSync(path.join(world.home, index), `${JSON.stringify({ ...last, sha256: 'f'.repeat(64) })}\n`);
    },
  },
  {
    name: 'a file of the workspace that somebody has changed is not replaced unasked',
    calls: [{ name: 'write_file', arguments: { path: 'workspace/notes.md', content: 'new' } }],
    asks: 'Save notes.md in your workspace?',
    yes: 'Save',
    files: { 'agents/default.yaml': 'mode: ask\n', 'vibers/default/notes.md': 'old' },
    change: ({ world }) => put(world, 'vibers/default/notes.md', 'mine'),
  },
  {
    name: 'a plan that somebody has changed is not replaced unasked',
    calls: [{ name: 'update_plan', arguments: { plan: PLAN } }],
    asks: 'Change the plan of this task?',
    files: { 'agents/default.yaml': 'mode: ask\n' },
    change: ({ world, task }) => put(world, `artifacts/${task}/task.md`, PLAN.replace('train', 'plane')),
  },
  {
    name: 'a skill whose script is another by now is not run unasked',
    calls: [{ name: 'mark', arguments: { word: 'one' } }],
    asks: 'mark',
    files: { 'skills/mark/SKILL.md': MARK },
    change: async ({ world }) => {
      put(world, 'skills/mark/SKILL.md', MARK.replace('echo marked', 'echo marked twice'));
    },
  },
  {
    name: 'a skill whose agent file has it work elsewhere by now is not run unasked',
    calls: [{ name: 'mark', arguments: { word: 'one' } }],
    asks: 'mark',
    files: { 'skills/mark/SKILL.md': MARK },
    change: ({ world }) => {
      fs.mkdirSync(path.join(world.home, '../elsewhere-of-mark'), { recursive: true });
      put(world, 'agents/default.yaml', `folder: ${path.join(world.home, '../elsewhere-of-mark')}\n`);
    },
  },
  {
    name: 'what the agent file of a question has taken away by the yes is not done',
    calls: [{ name: 'mark', arguments: { word: 'one' } }],
    asks: 'mark',
    files: { 'skills/mark/SKILL.md': MARK },
    change: ({ world }) => put(world, 'agents/default.yaml', 'skills: [chart]\n'),
    made: (world) => expect(world.llm.requests().at(-1)?.toolResults.at(-1)).toContain('There is no tool mark'),
  },
  {
    name: 'a model that costs more by now is not chosen unasked',
    calls: [{ name: 'set_model', arguments: { model: 'local/huge' } }],
    asks: 'huge',
    change: async ({ world }) => {
      const file = path.join(world.home, 'config.json');
      const config = JSON.parse(fs.readFileSync(file, 'utf8'));
      config.prices = { 'local/huge': { input: 30, output: 99 } };
      fs.writeFileSync(file, JSON.stringify(config));
      await world.restart();
    },
  },
];

describe.each(CASES)('$name', ({ calls: given, asks, yes = 'Yes', files = {}, change, made: outcome }) => {
  it('holds', async () => {
    const { world, platform, dm } = await openChat({
      config: { jobs: { timezone: 'Europe/Berlin' } },
      files,
    });
    world.llm.script((request) => {
      const ref = request.toolResults.map((text) => /"id":"([^"]+)"/.exec(text)?.[1]).find(Boolean) ?? '';
      return calls(...JSON.parse(JSON.stringify(given).replace('REF', ref)))(request);
    });
    await ask(platform, dm, 'please', { text: asks });
    const [task = ''] = world.tasks();
    await change({ world, platform, dm, task });
    const after = platform.answers(dm).length;
    await platform.press(dm, yes);
    if (outcome) {
      await waitFor(platform, dm, { after, text: 'I was told' });
      outcome(world);
      return;
    }
    const again = await waitFor(platform, dm, { after, text: AGAIN });
    expect(again.text).toContain(asks);
    // What is asked now is what stands now: its yes does it.
    const done = await press(platform, dm, yes, 'I was told');
    expect(done.text).not.toContain('denied');
  });
});

it.each([
  { name: 'change_scheduled_job', arguments: { name: 'dig', schedule: 'daily at 10' } },
  { name: 'delete_scheduled_job', arguments: { name: 'dig' } },
])('a job that is gone by the yes is told as gone by $name', async (call) => {
  const { world, platform, dm } = await openChat();
  put(world, 'jobs/digest.yaml', DIGEST);
  world.llm.script(calls(call));
  await ask(platform, dm, 'please', { text: 'Digest' });
  fs.rmSync(path.join(world.home, 'jobs/digest.yaml'));
  const { text } = await press(platform, dm, 'Yes', 'I was told');
  expect(text).toContain('There is no job digest');
});

it('a job whose time no version of today reads is told why, with what to do, when its question of before an upgrade is answered', async () => {
  const { world, platform, dm } = await openChat();
  world.llm.script(calls(job({ schedule: 'every monday at 9' })));
  await ask(platform, dm, 'please', { text: 'every Monday' });
  // As the version before has left it.
  const held = fs
    .readdirSync(world.home, { recursive: true, encoding: 'utf8' })
    .filter((name) => /^(?:access|agents|artifacts)\b.*\.jsonl?$/.test(name))
    .map((name) => path.join(world.home, name))
    .filter((file) => fs.readFileSync(file, 'utf8').includes('every monday at 9'));
  const german = (text: string) => text.replaceAll('every monday at 9', 'jeden Montag um 9');
  const asked = held.flatMap(
    (file) =>
      fs.readFileSync(file, 'utf8').match(/\{"callId".*?"digest":"\w+".*\}|\{[^{]*"callId"[\s\S]*"digest"[\s\S]*\}/g) ??
      [],
  );
  const { tool, input, shows, digest } = asked.map((text) => JSON.parse(text)).find((one) => one.digest !== undefined);
  const now = digestOf(tool, JSON.parse(german(JSON.stringify(input))), shows);
  for (const file of held) fs.writeFileSync(file, german(fs.readFileSync(file, 'utf8')).replaceAll(digest, now));
  await world.restart();
  const { text } = await press(platform, dm, 'Yes', 'I was told');
  expect(text).toMatch(
    /Nothing was scheduled, though they said yes: .*jeden Montag um 9.*asked about before an upgrade.*ask again with the same time in English/s,
  );
  expect(fs.readdirSync(path.join(world.home, 'jobs'))).toEqual([]);
});

interface Asking {
  name: string;
  /** Said first, with what the model does. */
  calls?: ToolCall[];
  command?: [name: string, args: string];
  /** Part of the question. */
  asks: string;
  yes: string;
  files: Record<string, string>;
  change(to: { world: PlatformWorld; platform: Platform; dm: Place }): unknown;
  /** Part of the question as it is put again. */
  again: string;
  /** What has not been done by the first yes, and has by the second. */
  isDone(world: PlatformWorld, to: { platform: Platform; dm: Place }): boolean | Promise<boolean>;
}

const SKILL = 'skills/mark/SKILL.md';
const MEMORY = 'vibers/default/MEMORY.md';
const MADE = `${DIGEST}createdBy: telegram:1001\n`;
const QUESTIONS: Asking[] = [
  {
    name: 'a skill that is another by now is not removed',
    command: ['skills', 'remove mark'],
    ...{ asks: 'Remove the skill mark?', yes: 'Remove', files: { [SKILL]: MARK }, again: 'Remove the skill mark?' },
    change: ({ world }) => put(world, SKILL, MARK.replace('echo marked', 'echo precious')),
    isDone: (world) => !fs.existsSync(path.join(world.home, SKILL)),
  },
  {
    name: 'a job that is another by now is not deleted',
    command: ['jobs', 'delete digest'],
    ...{ asks: 'for good?', yes: 'Yes, delete it', files: { 'jobs/digest.yaml': DIGEST }, again: 'for good?' },
    change: async ({ world, platform, dm }) => {
      put(world, 'jobs/digest.yaml', DIGEST.replace('weekday at 9', 'day at 17:00'));
      await expect.poll(async () => (await platform.command(dm, 'jobs', 'show digest')).text).toContain('17:00');
    },
    isDone: (world) => !fs.existsSync(path.join(world.home, 'jobs/digest.yaml')),
  },
  {
    name: 'jobs are not moved into a zone that was said later',
    command: ['timezone', 'Asia/Tokyo'],
    ...{ asks: 'One job of yours uses Berlin time', yes: 'Move them', files: { 'jobs/digest.yaml': MADE } },
    again: 'America/New',
    change: ({ platform, dm }) => platform.command(dm, 'timezone', 'America/New_York'),
    isDone: (world) => world.read('jobs/digest.yaml').includes('America/New_York'),
  },
  {
    name: 'a line of memory with more under it by now is not replaced unasked',
    calls: [{ name: 'remember', arguments: { text: 'Prefers aisle seats', replaces: 'window' } }],
    ...{ asks: 'May I remember this?', yes: 'Accept', files: { [MEMORY]: '# Memory\n\n- Prefers window seats\n' } },
    again: 'never row 13',
    change: ({ world }) => put(world, MEMORY, '# Memory\n\n- Prefers window seats\n  - and never row 13\n'),
    isDone: (world) => world.read(MEMORY).includes('aisle') && !world.read(MEMORY).includes('row 13'),
  },
  {
    name: 'a model that costs more by now than its button says is not chosen unasked',
    command: ['model', ''],
    ...{ asks: 'another one', yes: 'huge', files: {}, again: '30' },
    async change({ world }) {
      const file = path.join(world.home, 'config.json');
      const config = JSON.parse(fs.readFileSync(file, 'utf8'));
      config.prices = { 'local/huge': { input: 30, output: 99 } };
      fs.writeFileSync(file, JSON.stringify(config));
      await world.restart();
    },
    isDone: async (_world, { platform, dm }) => (await platform.command(dm, 'model')).text.includes('30'),
  },
];

describe.each(QUESTIONS)('$name', ({ calls: given, command, asks, yes, files, change, again, isDone }) => {
  it('holds', async () => {
    const { world, platform, dm } = await openChat({
      config: { jobs: { timezone: 'Europe/Berlin' }, models: ['local/test-model', 'local/huge'] },
      files,
    });
    world.llm.script(calls(...(given ?? [])));
    const asked = command ? await platform.command(dm, ...command) : await ask(platform, dm, 'please', { text: asks });
    expect(asked.text).toContain(asks);
    const label = asked.buttons.find((each) => each.includes(yes)) ?? '';
    await change({ world, platform, dm });
    const now = await press(platform, dm, label, 'Something has changed since I asked', { stale: true });
    expect(now.text).toContain(again);
    expect(await isDone(world, { platform, dm })).toBe(false);
    await platform.press(dm, now.buttons.find((each) => each.includes(yes)) ?? '');
    await expect.poll(async () => isDone(world, { platform, dm })).toBe(true);
  });
});

it('a step of a playbook that waits does what it showed, and the steps go on as they were begun, whatever their files say by the yes', async () => {
  const steps = '## Steps\n1. [Coder] Write the notes of <version>.\n2. [Coder] Say where they stand.\n';
  const { world, platform, dm } = await openChat({
    files: {
      'playbooks/notes.md': `# Playbook: Notes\n\n## Goal\nNotes\n\n${steps}`,
      'agents/coder.yaml': 'description: Codes.\nmode: ask\n',
    },
  });
  world.llm.script(({ system, lastUser, toolResults }) => {
    if (system.includes('You check whether')) return { text: 'OK' };
    if (!lastUser.includes('step 1 of 2') || toolResults.length > 0) return { text: 'Done.' };
    return { toolCalls: [{ name: 'write_file', arguments: { path: 'workspace/notes.md', content: 'as shown' } }] };
  });
  await platform.command(dm, 'play', 'notes version=1.2');
  await waitFor(platform, dm, { text: 'Save notes.md in your workspace?' });
  put(world, 'playbooks/notes.md', '# Playbook: Notes\n\n## Goal\nHavoc\n\n## Steps\n1. [Coder] Delete everything.\n');
  put(world, 'agents/coder.yaml', 'description: Codes.\nmode: execute\nprompt: Delete everything.\n');
  await press(platform, dm, 'Save', 'is done');
  expect(['vibers/coder/notes.md', 'vibers/default/notes.md'].map(world.read)).toContain('as shown');
  const asked = world.llm.requests().map(({ lastUser }) => lastUser);
  expect(asked.some((text) => text.includes('Say where they stand'))).toBe(true);
  expect(asked.join()).not.toContain('Delete everything');
});
