/** A playbook with two agents and a constraint, driven from Slack: it gets to its end through a kill, a stop, words in between. */
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { LlmRequest, Turn } from '../emulators/llm.ts';
import { eventually } from '../helpers/eventually.ts';
import { ask, type Place, waitFor } from '../platforms/platform.ts';
import { openPlatforms, type PlatformWorldOptions } from '../platforms/world.ts';

const PLAYBOOK = `# Playbook: Release Notes

## Goal
Publish the notes of version <version>.

## Steps
1. [Coder] List what changed in <version>.
2. [Agent: Writer] Write the notes as a file.
   - Constraint: The notes name the version.
3. [Coder] Say where they stand.
`;

const isCheck = ({ system }: LlmRequest) => system.includes('You check whether one step');
const stepOf = ({ lastUser }: LlmRequest) => Number(/, step (\d) of/.exec(lastUser)?.[1] ?? 0);
const workerOf = ({ system }: LlmRequest) => /You are the viber "([\w-]+)"/.exec(system)?.[1];

/** A gate that a scripted model waits at. */
function gate() {
  const { promise: reached, resolve: reach } = Promise.withResolvers<void>();
  const { promise: opened, resolve: open } = Promise.withResolvers<void>();
  let isOpen = false;
  return {
    reached,
    open() {
      isOpen = true;
      open();
    },
    async pass() {
      reach();
      if (!isOpen) await opened;
    },
  };
}

const notes = (content: string): Turn => ({
  toolCalls: [{ name: 'create_artifact', arguments: { title: 'notes.md', type: 'text/markdown', content } }],
});

async function setUp(options: Partial<PlatformWorldOptions> = {}) {
  const world = await openPlatforms({
    on: ['slack'],
    prepare(home) {
      fs.mkdirSync(path.join(home, 'agents'), { recursive: true });
      fs.mkdirSync(path.join(home, 'playbooks'), { recursive: true });
      fs.writeFileSync(
        path.join(home, 'agents/coder.yaml'),
        'description: Knows the code.\nprompt: You are careful.\n',
      );
      fs.writeFileSync(path.join(home, 'agents/writer.yaml'), 'description: Writes.\n');
      fs.writeFileSync(path.join(home, 'playbooks/release-notes.md'), PLAYBOOK);
      const old = new Date(Date.now() - 10_000);
      for (const name of ['coder', 'writer']) fs.utimesSync(path.join(home, `agents/${name}.yaml`), old, old);
    },
    ...options,
  });
  const slack = world.platforms[options.on?.[0] ?? 'slack'];
  const plan = async () => (await slack.command(slack.room, 'plan', world.tasks()[0])).text;
  const steps = (n: number) => world.llm.requests().filter((request) => !isCheck(request) && stepOf(request) === n);
  const checks = () => world.llm.requests().filter(isCheck);
  const finished = (place: Place) => waitFor(slack, place, { text: 'is done' });
  return { world, slack, plan, steps, checks, finished };
}

describe('a playbook from Slack', () => {
  it('gets to its end through a kill, its plan visible, each step done once, a violated constraint mended', async () => {
    const { world, slack, plan, steps, checks, finished } = await setUp({ process: true });
    const second = gate();
    world.llm.script(async (request) => {
      if (isCheck(request)) {
        const isBad = request.lastUser.includes('constraints') && !request.lastUser.includes('Notes of 1.2.0');
        return { text: isBad ? 'NOT OK: the notes do not name the version 1.2.0.' : 'OK' };
      }
      const step = stepOf(request);
      if (step !== 2) return { text: `Step ${step} is finished by ${workerOf(request)}.` };
      if (request.lastUser.includes('did not pass')) {
        if (request.toolResults.length === 0) return notes('Notes of 1.2.0');
        await second.pass();
        return { text: 'The notes name 1.2.0 now.' };
      }
      return request.toolResults.length === 0 ? notes('Some notes') : { text: 'Notes written.' };
    });
    const thread = await slack.begin('play release-notes version=1.2.0');
    await second.reached;
    expect(await plan()).toMatch(/1\. ✓ \[Coder\] List what changed in 1\.2\.0\.\n2\. ▶ \[Writer\]/);
    await world.kill();
    second.open();
    const answer = await finished(thread);
    expect(answer.text).toContain('3 of 3 steps');
    expect(answer.text).toContain('Step 1 is finished by coder.');
    await waitFor(slack, thread, { file: 'notes (2).md' });
    const sent = slack.answers(thread).flatMap(({ files }) => files);
    expect(sent.map((each) => slack.bytes(each).toString())).toEqual(['Notes of 1.2.0']);
    expect(steps(1)).toHaveLength(1);
    // Two of the first try, one to mend it, and the one that the kill cut, asked again.
    expect(steps(2)).toHaveLength(5);
    expect(steps(2).every((request) => workerOf(request) === 'writer')).toBe(true);
    expect(steps(2)[2]?.lastUser).toContain('the notes do not name the version');
    expect(steps(3)).toHaveLength(1);
    expect(checks().length).toBe(4);
    expect(await plan()).toContain('All done.');
    const [task = ''] = world.tasks();
    expect(world.read(`artifacts/${task}/playbook.md`)).toContain('Publish the notes of version 1.2.0.');
    expect(world.read(`agents/writer/sessions/${task}.jsonl`)).toContain('Notes of 1.2.0');
    // The session of the viber holds its own lines only.
    expect(world.read(`agents/default/sessions/${task}.jsonl`)).not.toContain('create_artifact');
  });

  it('has each step done once and answers once, also when it crashes twice', async () => {
    // A third time would be taken for a message that ends its process (the kill above is one in the middle of a step).
    const crashes = [
      // [where it crashes, the file that tells so, what stands there then]
      ['playbook-step-written:2', 'agents/default/sessions/TASK.jsonl', 'Done: [Writer]'],
      ['run-answered', 'artifacts/TASK/playbook.md', '(finished)'],
    ] as const;
    /** Starts a process that ends itself at the n-th place. */
    const crashAt = async <T>(n: number, begin: () => Promise<T>): Promise<T> => {
      const [point] = crashes[n] ?? [];
      if (point !== undefined) process.env.OPENVIBER_CRASH_AT = point;
      return begin().finally(() => {
        delete process.env.OPENVIBER_CRASH_AT;
      });
    };
    const { world, slack, steps, finished } = await crashAt(0, () => setUp({ process: true }));
    world.llm.script((request) => {
      if (isCheck(request)) return { text: 'OK' };
      if (stepOf(request) === 2 && request.toolResults.length === 0) return notes('Notes of 1.2.0');
      return { text: `Step ${stepOf(request)} is finished.` };
    });
    const thread = await slack.begin('play release-notes version=1.2.0');
    for (const [n, [, file, mark]] of crashes.entries()) {
      const there = () => world.read(file.replace('TASK', world.tasks()[0] ?? ''));
      await eventually(() => expect(there()).toContain(mark));
      await world.ended();
      await crashAt(n + 1, () => world.kill());
    }
    const answer = await finished(thread);
    expect(answer.text).toMatch(/2\. .*Write the notes as a file\.\s+Step 2 is finished/);
    await waitFor(slack, thread, { file: 'notes.md' });
    expect([1, 2, 3].map((n) => steps(n).length)).toEqual([1, 2, 1]);
    const seen = slack.answers(thread);
    expect(seen.filter(({ text }) => text.includes('is done'))).toHaveLength(1);
    expect(seen.flatMap(({ files }) => files)).toHaveLength(1);
  });

  it('is stopped, asked something in between, and gone on with by /play', async () => {
    const { world, slack, plan, steps, finished } = await setUp();
    const second = gate();
    world.llm.script(async (request) => {
      if (isCheck(request)) return { text: 'OK' };
      if (stepOf(request) === 2) await second.pass();
      if (request.lastUser.includes('How many')) return { text: 'There are two changes.' };
      return { text: `Step ${stepOf(request)} is finished.` };
    });
    const thread = await slack.begin('play release-notes version=1.2.0');
    await second.reached;
    await slack.command(slack.room, 'stop', world.tasks()[0]);
    await world.llm.waitFor(({ outcome }) => outcome === 'aborted');
    second.open();
    expect(await plan()).toContain('1 of 3 done.');
    expect((await ask(slack, thread, 'How many changes?')).text).toContain('two changes');
    const going = await ask(slack, thread, '/viber play');
    expect(going.text).toContain('1 of 3 steps done');
    expect((await finished(thread)).text).toContain('3 of 3 steps');
    expect([1, 2, 3].map((n) => steps(n).length)).toEqual([1, 2, 1]);
    // The writer's own session tells it that it was stopped.
    expect(JSON.stringify(steps(2)[1]?.messages)).toContain('stopped before an answer');
    expect((await ask(slack, thread, '/viber play')).text).toContain('The playbooks:');
  });

  it('takes words written meanwhile into the step at hand, and goes on', async () => {
    const { world, slack, steps, finished } = await setUp();
    const second = gate();
    world.llm.script(async (request) => {
      if (isCheck(request)) return { text: 'OK' };
      if (stepOf(request) === 2 && !request.lastUser.includes('in French')) await second.pass();
      return { text: `Step ${stepOf(request)} is finished.` };
    });
    const thread = await slack.begin('play release-notes version=1.2.0');
    await second.reached;
    slack.say(thread, 'Write them in French, please.');
    expect((await finished(thread)).text).toContain('3 of 3 steps');
    second.open();
    expect([1, 2, 3].map((n) => steps(n).length)).toEqual([1, 2, 1]);
    expect(steps(2)[1]?.lastUser).toContain('The person adds:\nWrite them in French, please.');
    expect(steps(3)[0]?.lastUser).not.toContain('French');
  });

  it('ends at a step that does not pass twice, and the button tries it again', async () => {
    const { world, slack, steps, finished } = await setUp();
    let isGood = false;
    world.llm.script((request) => {
      if (!isCheck(request)) return { text: `Step ${stepOf(request)} is finished.` };
      return { text: !isGood && request.lastUser.includes('constraints') ? '**NOT OK:** no version is named' : 'OK' };
    });
    const thread = await slack.begin('play release-notes version=1.2.0');
    const stuck = await waitFor(slack, thread, { text: 'stopped at step 2 of 3' });
    expect(stuck.text).toContain('no version is named');
    expect(stuck.buttons).toEqual(['Continue']);
    expect(steps(2)).toHaveLength(2);
    isGood = true;
    await slack.press(thread, 'Continue');
    expect((await finished(thread)).text).toContain('3 of 3 steps');
    expect([1, 2, 3].map((n) => steps(n).length)).toEqual([1, 3, 1]);
  });

  it('waits for consent to what an agent would do outside, and goes on in that very step', async () => {
    const { world, slack, steps, finished } = await setUp();
    world.llm.script((request) => {
      if (isCheck(request)) return { text: 'OK' };
      const call = { name: 'write_file', arguments: { path: 'workspace/notes.md', content: 'for all' } };
      if (stepOf(request) === 2 && request.toolResults.length === 0) return { toolCalls: [call] };
      return { text: `Step ${stepOf(request)} is finished.` };
    });
    const thread = await slack.begin('play release-notes version=1.2.0');
    await waitFor(slack, thread, { text: 'Save notes.md' });
    await world.restart();
    await slack.press(thread, 'Save');
    expect((await finished(thread)).text).toContain('3 of 3 steps');
    // The workspace is the writer's own.
    expect(world.read('vibers/writer/notes.md')).toBe('for all');
    expect([1, 2, 3].map((n) => steps(n).length)).toEqual([1, 2, 1]);
    const [task = ''] = world.tasks();
    expect(world.read(`agents/writer/sessions/${task}.jsonl`)).toContain('"type":"decision"');
    expect(world.read(`agents/default/sessions/${task}.jsonl`)).not.toContain('"type":"decision"');
  });

  it('is not lost when the person writes something else instead of deciding', async () => {
    const { world, slack, plan, steps, finished } = await setUp();
    let isBold = true;
    world.llm.script((request) => {
      if (isCheck(request)) return { text: 'OK' };
      const call = { name: 'write_file', arguments: { path: 'workspace/notes.md', content: 'for all' } };
      if (isBold && stepOf(request) === 2 && request.toolResults.length === 0) return { toolCalls: [call] };
      return { text: stepOf(request) === 0 ? 'As you like.' : `Step ${stepOf(request)} is finished.` };
    });
    const thread = await slack.begin('play release-notes version=1.2.0');
    await waitFor(slack, thread, { text: 'Save notes.md' });
    isBold = false;
    expect((await ask(slack, thread, 'Rather not into the workspace.', { text: 'As you like' })).text).toContain(
      'As you',
    );
    expect(world.read('vibers/writer/notes.md')).toBe('');
    expect(await plan()).toContain('1 of 3 done.');
    // What was asked waits on, and the playbook with it.
    expect((await ask(slack, thread, '/viber play')).text).toContain('is waiting for your answer');
    await slack.press(thread, 'No');
    expect((await finished(thread)).text).toContain('3 of 3 steps');
    expect(JSON.stringify(steps(2).at(-1)?.messages)).toContain('execution denied');
    expect(steps(1)).toHaveLength(1);
  });

  it('shows who works, and how far the plan is', async () => {
    const { world, slack, finished } = await setUp({ channel: { live: 'status' } });
    const second = gate();
    world.llm.script(async (request) => {
      if (isCheck(request)) return { text: 'OK' };
      if (stepOf(request) === 2 && request.toolResults.length > 0) await second.pass();
      if (stepOf(request) === 2 && request.toolResults.length === 0) return notes('Notes of 1.2.0');
      return { text: `Step ${stepOf(request)} is finished.` };
    });
    const thread = await slack.begin('play release-notes version=1.2.0');
    await second.reached;
    const status = await waitFor(slack, thread, { text: /Working on step 2 of 3, .+: writer: / });
    expect(status.buttons).toContain('Stop');
    second.open();
    await finished(thread);
  });

  it('is stopped while it waits for an answer, and /play does the step anew', async () => {
    const { world, slack, steps, finished } = await setUp();
    let asks = true;
    world.llm.script((request) => {
      if (isCheck(request)) return { text: 'OK' };
      const call = { name: 'ask_user', arguments: { question: 'Which language?' } };
      if (asks && stepOf(request) === 2 && request.toolResults.length === 0) return { toolCalls: [call] };
      return { text: stepOf(request) === 0 ? 'Just talk.' : `Step ${stepOf(request)} is finished.` };
    });
    const thread = await slack.begin('play release-notes version=1.2.0');
    await waitFor(slack, thread, { text: 'Which language?' });
    expect((await ask(slack, thread, '/viber play')).text).toContain('is waiting for your answer');
    await slack.command(slack.room, 'stop', world.tasks()[0]);
    asks = false;
    await ask(slack, thread, '/viber play');
    expect((await finished(thread)).text).toContain('3 of 3 steps');
    expect([1, 2, 3].map((n) => steps(n).length)).toEqual([1, 2, 1]);
  });

  it('obeys the plan as people change it while it is played', async () => {
    const { world, slack, steps, finished } = await setUp();
    const second = gate();
    let last = 0;
    world.llm.script(async (request) => {
      if (isCheck(request)) return { text: 'OK' };
      if (request.system.includes('You supervise a playbook')) return { text: 'KEEP' };
      const step = stepOf(request);
      if (step === 2 && last === 1) await second.pass();
      last = step;
      return { text: `Answer to: ${/Your step:\n(.*)/.exec(request.lastUser)?.[1]}` };
    });
    const thread = await slack.begin('play release-notes version=1.2.0');
    await second.reached;
    const plan = path.join(world.home, 'artifacts', world.tasks()[0] ?? '', 'task.md');
    const text = fs
      .readFileSync(plan, 'utf8')
      .replace('- [x] [Coder] List', '- [ ] [Coder] List')
      .replace('- [ ] [Coder] Say where they stand.', '- [ ] [Writer] Thank everybody.');
    // Saved in place, and slowly.
    const file = fs.openSync(plan, 'w');
    second.open();
    await eventually(() =>
      expect(world.read(`agents/default/sessions/${world.tasks()[0]}.jsonl`)).toContain('Writer]'),
    );
    fs.writeSync(file, text);
    fs.closeSync(file);
    const answer = await finished(thread);
    expect(answer.text).toContain('Answer to: Thank everybody.');
    expect(answer.text).not.toContain('where they stand');
    expect(steps(1)).toHaveLength(2);
    expect(steps(2)).toHaveLength(1);
    expect(workerOf(steps(3)[0] as LlmRequest)).toBe('writer');
  });

  it('begins nothing before all it needs is given, nor for names that are none, nor for guests', async () => {
    const { world, slack } = await setUp({ linked: true });
    const say = async (args: string, by?: 'sam' | 'kim') => (await slack.command(slack.room, 'play', args, by)).text;
    expect(await say('')).toMatch(/release-feature: .*needs version[\s\S]*release-notes: Publish the notes/);
    expect(await say('release-notes')).toContain('needs version: send /viber play release-notes version=...');
    expect(await say('release-notes versoin=1')).toContain("doesn't need versoin; it needs version");
    expect(await say('release-notes version=1 version=2')).toContain('given twice');
    expect(await say('release-notes version=""')).toContain('The value of version must be one line');
    for (const name of ['../x', '..', '/etc/passwd', '__proto__', 'constructor', 'x'.repeat(200), 'release-notes.md'])
      expect(await say(name)).toContain("I can't find that playbook. There are: ");
    expect(await say('release-notes version=1', 'kim')).toContain("Playbooks are for this bot's members");
    expect(world.llm.requests()).toHaveLength(0);
    expect(world.tasks()).toEqual([]);
  });

  it('is played by the viber itself where an agent has no file, and says so', async () => {
    const { world, slack, steps, finished } = await setUp();
    fs.rmSync(path.join(world.home, 'agents/writer.yaml'));
    world.llm.script((request) => ({ text: isCheck(request) ? 'hm' : `Step ${stepOf(request)} is finished.` }));
    world.llm.scriptFor('constraints', () => ({ text: 'OK' }));
    const thread = await slack.begin('play Release-Notes version="1.2 beta"');
    const answer = await finished(thread);
    expect(answer.text).toContain(
      'There is no agent named Writer, so I did that myself. To add one, create agents/writer.yaml.',
    );
    expect(steps(2)[0]?.system).toContain('In this step you act as "Writer".');
    expect(steps(2).map(workerOf)).toEqual(['default']);
    expect(steps(2)[0]?.lastUser).toContain('1.2 beta');
  });
});

describe('a playbook in a private chat', () => {
  it('is the work of the task there, and the files come with its answer', async () => {
    const { world, slack: platform, finished } = await setUp({ on: ['loopback'] });
    world.llm.script((request) => {
      if (isCheck(request)) return { text: 'OK' };
      if (stepOf(request) === 2 && request.toolResults.length === 0) return notes('Notes of 2.0');
      return { text: stepOf(request) === 0 ? 'Hello.' : `Step ${stepOf(request)} is finished.` };
    });
    const place = platform.dm('sam');
    await ask(platform, place, 'hello', { by: 'sam', text: 'Hello.' });
    // A plan that is there already is somebody's work.
    const plan = path.join(world.home, 'artifacts', world.tasks()[0] ?? '', 'task.md');
    fs.writeFileSync(plan, '# Current Task\n\n## Goal\nMine\n\n## Plan\n- [ ] My own step\n');
    expect((await platform.command(place, 'play', 'release-notes version=1', 'sam')).text).toMatch(
      /send \/(viber )?new/,
    );
    expect(fs.readFileSync(plan, 'utf8')).toContain('My own step');
    fs.rmSync(plan);
    const said = await platform.command(place, 'play', 'release-notes version="2.0 final"', 'sam');
    expect(said.text).toMatch(/Playing \**Release Notes\**: 3 steps\./);
    expect((await finished(place)).text).toContain('3 of 3 steps');
    await waitFor(platform, place, { file: 'notes.md' });
    expect(world.tasks()).toHaveLength(1);
    expect(world.read(`artifacts/${world.tasks()[0]}/playbook.md`)).toContain('version 2.0 final.');
  });
});
