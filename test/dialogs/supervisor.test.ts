/** The supervisor of a playbook: what it changes is in the plan that people see and edit, within the constraints, also over a kill. */
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { LlmRequest, Turn } from '../emulators/llm.ts';
import { openChat } from '../kit/kit.ts';
import { type Place, type Platform, waitFor } from '../platforms/platform.ts';
import type { PlatformWorldOptions } from '../platforms/world.ts';

const PLAYBOOK = `# Playbook: Notes

## Goal
Publish the notes.

## Steps
1. [Coder] List what changed.
2. [Writer] Write the notes.
   - Constraint: The notes name the version.
3. [Coder] Look for typos.
4. Tell everybody.
`;

const isCheck = ({ system }: LlmRequest) => system.includes('You check whether one step');
const isPlan = ({ system }: LlmRequest) => system.includes('You supervise a playbook');
const stepIn = ({ lastUser }: LlmRequest) => /Your step:\n(.*)/.exec(lastUser)?.[1] ?? '';

async function open(options: PlatformWorldOptions = {}) {
  const { world, platform, dm } = await openChat({
    channel: { live: 'off', injection: 'followup' },
    files: {
      'agents/coder.yaml': 'description: coder\n',
      'agents/writer.yaml': 'description: writer\n',
      'playbooks/notes.md': PLAYBOOK,
    },
    ...options,
  });
  const asked = () =>
    world.llm.requests().filter((request) => !isCheck(request) && !isPlan(request) && stepIn(request) !== '');
  return { world, platform, dm, asked, steps: () => asked().map(stepIn) };
}

/** What the supervisor says, one turn a look; then it keeps everything. */
const supervising = (words: string[], work: (request: LlmRequest) => Turn | Promise<Turn>) => {
  const left = [...words];
  return (request: LlmRequest): Turn | Promise<Turn> => {
    if (isPlan(request)) return { text: left.shift() ?? 'KEEP' };
    return isCheck(request) ? { text: 'OK' } : work(request);
  };
};

async function planOf(platform: Platform, dm: Place): Promise<string> {
  const after = platform.answers(dm).length;
  await platform.command(dm, 'plan');
  return (await waitFor(platform, dm, { after, text: 'List what changed' })).text;
}

const play = (platform: Platform, dm: Place) => platform.command(dm, 'play', 'notes');

describe('a playbook', () => {
  it('is split, reordered and shortened by its supervisor, in the plan that people see, also through a kill', async () => {
    const { world, platform, dm, steps, asked } = await open({ process: true });
    const first = Promise.withResolvers<void>();
    let isHeld = true;
    world.llm.script(
      supervising(
        ['SPLIT 2: Draft the notes | [Writer] Polish them\nMOVE 4 BEFORE 3', 'SKIP 5: the list has no words of ours'],
        async (request) => {
          if (stepIn(request) === 'Draft the notes' && isHeld) await first.promise;
          return { text: `${stepIn(request)} is finished.` };
        },
      ),
    );
    await play(platform, dm);
    await world.llm.waitFor((request) => stepIn(request) === 'Draft the notes');
    const plan = await planOf(platform, dm);
    expect(plan.replace(/[\\~\u2060]/g, '')).toMatch(
      /2\. ▶ \[Writer\] Draft the notes\n3\. ○ \[Writer\] Polish them\n4\. ○ Tell everybody\.\n5\. – \[Coder\] Look for typos/,
    );
    isHeld = false;
    await world.kill();
    first.resolve();
    const answer = await waitFor(platform, dm, { text: 'is done' });
    expect(answer.text).toContain('4 of 4 steps');
    expect(answer.text.replace(/\\/g, '')).toMatch(
      /5\. – \[Coder\] Look for typos\. \(left out\)\s+the list has no words of ours/,
    );
    expect([...new Set(steps())]).toEqual(['List what changed.', 'Draft the notes', 'Polish them', 'Tell everybody.']);
    // The constraint went along, and each part knows that it is one.
    const polish = asked().find((request) => stepIn(request) === 'Polish them');
    expect(polish?.lastUser).toContain('The notes name the version.');
    expect(polish?.lastUser).toContain('part 2 of 2');
    expect(polish?.system).toContain('You are the viber "writer"');
  });
});

describe('the supervisor', () => {
  it('changes nothing against a constraint or a person, and nothing by words that are no change', async () => {
    const { world, platform, dm, steps } = await open();
    const held = Promise.withResolvers<void>();
    const reached = Promise.withResolvers<void>();
    world.llm.script(
      supervising(
        [
          'SKIP 2: not needed\nSPLIT 9: a | b\nI would rather not write notes.',
          'SKIP 3: no typos',
          'SKIP 4: no typos\nSKIP 3: x',
        ],
        async (request) => {
          if (stepIn(request).startsWith('Write')) {
            reached.resolve();
            await held.promise;
          }
          return { text: 'It is finished.' };
        },
      ),
    );
    await play(platform, dm);
    await reached.promise;
    const [task = ''] = world.tasks();
    const file = path.join(world.home, 'artifacts', task, 'task.md');
    expect(fs.readFileSync(file, 'utf8')).toContain('- [-] [Coder] Look for typos.');
    // Somebody wants it after all, and adds a step: both are theirs.
    const edited = fs
      .readFileSync(file, 'utf8')
      .replace('- [-] [Coder] Look', '- [ ] [Coder] Look')
      .replace(/(- \[ \] Tell everybody\.)/, '- [ ] Water the plants.\n$1');
    fs.writeFileSync(file, edited);
    held.resolve();
    const answer = await waitFor(platform, dm, { text: 'is done' });
    expect(answer.text).toContain('5 of 5 steps');
    expect(steps()).toEqual([
      'List what changed.',
      'Write the notes.',
      'Look for typos.',
      'Water the plants.',
      'Tell everybody.',
    ]);
  });

  it('that talks nonsense changes nothing, and costs one look a step', async () => {
    const { world, platform, dm, steps } = await open();
    const words = [
      "I'm sorry, but I cannot help with that.",
      '',
      Array.from({ length: 10_000 }, (_, at) => `${at + 1}. A step of its own`).join('\n'),
      'SPLIT 4: [Agent] first part | [Agent] second part\nSKIP 4: the reason in one sentence',
    ];
    const looks: string[] = [];
    world.llm.script((request) => {
      if (isPlan(request)) looks.push(request.lastUser);
      if (isPlan(request)) return { text: words[looks.length - 1] ?? 'KEEP' };
      return { text: isCheck(request) ? 'OK' : 'It is finished.' };
    });
    await play(platform, dm);
    expect((await waitFor(platform, dm, { text: 'is done' })).text).toContain('4 of 4 steps');
    expect(steps()).toEqual(['List what changed.', 'Write the notes.', 'Look for typos.', 'Tell everybody.']);
    // An empty answer is asked for once more, as of any model.
    expect(looks).toHaveLength(5);
  });

  it('may split a step that does not pass, once; one that cannot be asked changes nothing', async () => {
    const { world, platform, dm, steps } = await open();
    world.llm.script((request) => {
      if (isPlan(request))
        return request.lastUser.includes('<failed') ? { text: 'SPLIT 2: Draft | Polish' } : { fault: 'bad-request' };
      if (!isCheck(request)) return { text: 'It is finished.' };
      return {
        text:
          request.lastUser.includes('Write the notes.') && !request.lastUser.includes('part ')
            ? 'NOT OK: too much at once'
            : 'OK',
      };
    });
    await play(platform, dm);
    const answer = await waitFor(platform, dm, { text: /is done|stopped at/ });
    expect(answer.text).toContain('5 of 5 steps');
    expect(steps()).toEqual([
      'List what changed.',
      'Write the notes.',
      'Write the notes.',
      'Draft',
      'Polish',
      'Look for typos.',
      'Tell everybody.',
    ]);
    expect(world.logs.some(({ msg }) => msg === 'the supervisor of a playbook could not be asked')).toBe(true);
  });

  it('is not asked of the built-in model: the steps are done as they stand', async () => {
    const { world, platform, dm } = await open({ offline: true });
    await play(platform, dm);
    await waitFor(platform, dm, { text: /Notes\W* (is done|stopped)/ });
    const [task = ''] = world.tasks();
    expect(world.read(`artifacts/${task}/playbook.md`)).toContain('2. [Agent: Writer] Write the notes.');
    expect(world.read(`artifacts/${task}/playbook.md`)).not.toContain('part 1');
    expect(world.llm.requests()).toEqual([]);
  });

  it('leaves a playbook that can be played to its end when a crash cuts a change', async () => {
    const { world, platform, dm, steps } = await open({
      process: true,
      env: { OPENVIBER_CRASH_AT: 'playbook-revised' },
    });
    world.llm.script(
      supervising(['SPLIT 2: Draft the notes | Polish them', 'SPLIT 2: Draft the notes | Polish them'], (request) => ({
        text: `${stepIn(request)} ready`,
      })),
    );
    platform.say(dm, '/play notes');
    await world.ended();
    await world.restart();
    const answer = await waitFor(platform, dm, { text: 'is done' });
    expect(answer.text).toMatch(/[45] of [45] steps/);
    const all = steps().join('\n');
    expect(all).toMatch(/Write the notes|Polish them/);
  });
});
