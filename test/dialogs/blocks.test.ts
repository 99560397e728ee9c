/** What stands in blocks of an answer: a plan is put in place, files are kept and found, and nobody ever sees JSON. */
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { LlmRequest, Turn } from '../emulators/llm.ts';
import { onEveryPlatform, openChat, press } from '../kit/kit.ts';
import { ask, type Place, type Platform, waitFor } from '../platforms/platform.ts';
import type { ChannelName, PlatformWorldOptions } from '../platforms/world.ts';

const fenced = (info: string, body: string) => `\`\`\`${info}\n${body}\n\`\`\``;
const PLAN = '## Goal\nPaint the kitchen\n\n## Plan\n- [x] Buy paint\n- [ ] Tape the edges\n- [ ] Paint\n';

async function open(options: PlatformWorldOptions = {}, on?: ChannelName) {
  const { world, platform, dm } = await openChat({ channel: { live: 'off' }, ...options }, on);
  const said = (text: string | ((request: LlmRequest) => Turn)) =>
    world.llm.script(typeof text === 'string' ? () => ({ text }) : text);
  const planNow = () => world.read(`artifacts/${world.tasks()[0]}/task.md`);
  return { world, platform, dm, said, planNow };
}

describe('a plan in an answer', () => {
  it('is put in place, what has changed is one line, and a hand edit is decided by a button', async () => {
    const { world, platform, dm, said, planNow } = await open();
    said(`Here is how.\n\n${fenced('plan', PLAN)}`);
    const first = await ask(platform, dm, 'plan it');
    expect(first.text).toMatch(/^Here is how\.\s+Plan: 3 steps, next: Tape the edges$/);
    expect(planNow()).toContain('- [ ] Tape the edges');
    const steps = [
      { step: 'Buy paint', status: 'completed' },
      { step: 'Tape the edges', status: 'done' },
      { step: 'Paint', status: 'in_progress' },
      { step: 'Clean up', status: 'pending' },
    ];
    said(`On it.\n\n${fenced('json', JSON.stringify({ update_plan: { steps } }))}`);
    const second = await ask(platform, dm, 'go on');
    expect(second.text).toMatch(/^On it\.\s+Plan: ✓ Tape the edges · ▶ Paint · \+ Clean up$/);
    // Edited by hand while the model thinks.
    const file = path.join(world.home, 'artifacts', world.tasks()[0] ?? '', 'task.md');
    world.llm.script(() => {
      fs.writeFileSync(file, fs.readFileSync(file, 'utf8').replace('Clean up', 'Clean up TWICE'));
      return {
        text: `Done.\n\n${fenced('plan', PLAN.replace('- [ ] Tape', '- [x] Tape').replace('] Paint\n', '] Paint it RED\n'))}`,
      };
    });
    const asked = await ask(platform, dm, 'go on');
    expect(asked.text).toMatch(
      /so that version stays[\s\S]*Clean up TWICE[\s\S]*I would have written[\s\S]*Paint it RED/,
    );
    expect(asked.buttons).toEqual(['Apply', 'Keep mine']);
    expect(planNow()).toContain('TWICE');
    // What stands by the yes is not what was shown beside it: it is asked about again.
    fs.writeFileSync(file, fs.readFileSync(file, 'utf8').replace('TWICE', 'THRICE'));
    const again = await press(platform, dm, 'Apply', 'Something has changed since I asked');
    expect(again.text).toMatch(/THRICE[\s\S]*Paint it RED/);
    expect(planNow()).toContain('THRICE');
    await press(platform, dm, 'Apply', 'as I proposed');
    expect(planNow()).toContain('Paint it RED');
    await expect.poll(() => platform.answers(dm).flatMap(({ buttons }) => buttons)).not.toContain('Apply');
  });

  it('that is written as a call of the tool is put in place, and its JSON is not shown', async () => {
    const { platform, dm, said, planNow } = await open();
    const plan = [
      { step: 'Buy paint', status: 'completed' },
      { step: 'Paint', status: 'pending' },
    ];
    said(`On it.\n\n${fenced('tool_call', JSON.stringify({ name: 'update_plan', arguments: { plan } }))}`);
    const { text } = await ask(platform, dm, 'plan it');
    expect(text).toMatch(/^On it\.\s+Plan: 2 steps, next: Paint$/);
    expect(planNow()).toContain('- [x] Buy paint');
  });

  it('is changed by adding and moving steps', async () => {
    const { platform, dm, said, planNow } = await open();
    said('Hello.');
    await ask(platform, dm, 'hello');
    await platform.command(dm, 'plan', 'add Buy paint');
    await platform.command(dm, 'plan', 'add Paint the wall');
    expect((await platform.command(dm, 'plan', 'move 2 to 1')).text).toMatch(
      /1\..{1,8}Paint the wall[\s\S]*2\..{1,8}Buy paint/,
    );
    expect(planNow()).toMatch(/- \[ \] Paint the wall\n- \[ \] Buy paint/);
    expect((await platform.command(dm, 'plan', 'move 9 1')).text).toContain('no step 9');
  });
});

describe('what stands beside a call of a tool', () => {
  const files = (entry: object) => fenced('artifact_deltas', JSON.stringify(entry));
  const named = (platform: Platform, dm: Place) =>
    platform.answers(dm).flatMap((seen) => seen.files.map((file) => file.name));

  it('comes with the question: words and files, each once', async () => {
    const { platform, dm, said } = await open();
    const make = { name: 'create_artifact', arguments: { title: 'table.csv', type: 'text/csv', content: 'a;b' } };
    const question = { name: 'ask_user', arguments: { question: 'Is it fine?', options: ['Yes', 'No'] } };
    said(({ toolResults }) => {
      if (toolResults.length === 0) return { toolCalls: [make] };
      const draft = `Here are both.\n\n${files({ title: 'draft.md', content: '# Draft' })}`;
      return toolResults.length === 1 ? { text: draft, toolCalls: [question] } : { text: 'Good, they stay.' };
    });
    const asked = await ask(platform, dm, 'write a draft', { text: 'Is it fine?' });
    expect(asked.text).toMatch(/^Here are both\.\s+Is it fine\?/);
    await expect.poll(() => named(platform, dm).toSorted()).toEqual(['draft.md', 'table.csv']);
    await press(platform, dm, 'Yes', 'Good, they stay.');
    expect((await platform.command(dm, 'artifacts')).text).toMatch(/draft\.md[\s\S]*table\.csv/);
    expect(named(platform, dm)).toHaveLength(2);
    expect(platform.answers(dm).filter((seen) => seen.text.includes('Here are both'))).toHaveLength(1);
  });

  it('is part of the answer when the call only put something aside, and its blocks count anyway', async () => {
    const { world, platform, dm, said } = await open();
    const plan = { name: 'update_plan', arguments: { plan: '## Goal\nBake\n\n## Plan\n- [x] Write the recipe\n' } };
    const look = { name: 'list_files', arguments: {} };
    said(({ toolResults }) => {
      if (toolResults.length === 0)
        return { text: `Let me look.\n\n${files({ title: 'notes.md', content: '# Notes' })}`, toolCalls: [look] };
      const recipe = `200 g flour.\n\n<memory_suggestion>Alex bakes</memory_suggestion>`;
      return toolResults.length === 1 ? { text: recipe, toolCalls: [plan] } : { text: 'The plan is up to date.' };
    });
    const { text } = await ask(platform, dm, 'the recipe please', { text: 'up to date' });
    expect(text).toMatch(/^200 g flour\.\s+The plan is up to date\./);
    expect(text).toContain('Alex bakes');
    await expect.poll(() => named(platform, dm)).toEqual(['notes.md']);
    expect(world.llm.requests()).toHaveLength(3);
  });
});

describe('a plan in an answer', () => {
  it('where everything is asked about waits for a button, and stays as it is with the other one', async () => {
    const { platform, dm, said, planNow } = await open({ files: { 'agents/default.yaml': 'mode: ask\n' } });
    said(`So:\n\n${fenced('plan', PLAN)}`);
    expect((await ask(platform, dm, 'plan it')).buttons).toEqual(['Apply', 'Keep mine']);
    expect(planNow()).toBe('');
    await press(platform, dm, 'Keep mine', 'stays');
    expect(planNow()).toBe('');
    await ask(platform, dm, 'plan it again');
    await press(platform, dm, 'Apply', 'as I proposed');
    expect(planNow()).toContain('Tape the edges');
  });
});

describe('a call of a tool in an answer', () => {
  const call = JSON.stringify({
    name: 'write_file',
    arguments: { path: 'workspace/notes.md', content: 'milk and eggs' },
  });
  const note = (world: { read(file: string): string }) => world.read('workspace/notes.md');

  it.each([
    ['Qwen', `One moment.\n<tool_call>\n${call}\n</tool_call>`],
    [
      'Kimi',
      `One moment.<|tool_calls_section_begin|><|tool_call_begin|>functions.write_file:0<|tool_call_argument_begin|>${JSON.stringify(JSON.parse(call).arguments)}<|tool_call_end|><|tool_calls_section_end|>`,
    ],
    ['Llama, thinking', `<think>\nI save it.\n</think>\n${fenced('json', call)}`],
  ])('as %s writes it asks for consent as any other, and nobody sees its marks', async (_model, text) => {
    const { world, platform, dm } = await open();
    world.llm.script((request) => ({
      text: request.toolResults.length > 0 ? `I was told: ${request.toolResults.at(-1)}` : text,
    }));
    const asked = await ask(platform, dm, 'keep a note: milk and eggs', { text: 'Save notes.md in your workspace?' });
    expect(asked.buttons).toContain('Save');
    expect(note(world)).toBe('');
    await press(platform, dm, 'Save', 'I was told');
    expect(note(world)).toBe('milk and eggs');
    const told = platform.answers(dm).map((seen) => seen.text);
    expect(told.join('\n')).not.toMatch(/tool_call|<think|I save it|"name"/);
  });

  it('beside another that waits too is asked about without the same words again', async () => {
    const { world, platform, dm } = await open();
    const write = (file: string) => ({ name: 'write_file', arguments: { path: `workspace/${file}`, content: file } });
    world.llm.script(({ toolResults }) =>
      toolResults.length > 0
        ? { text: 'Both are kept.' }
        : { text: 'This is what I think.', toolCalls: [write('one.md'), write('two.md')] },
    );
    const first = await ask(platform, dm, 'keep two notes', { text: 'Save one.md' });
    expect(first.text).toContain('This is what I think.');
    const second = await press(platform, dm, 'Save', 'Save two.md');
    expect(second.text).not.toContain('This is what I think.');
    const answer = await press(platform, dm, 'Save', 'Both are kept.');
    expect(answer.text).toBe('Both are kept.');
  });

  it('that repeats what somebody has said is no call', async () => {
    const { world, platform, dm } = await open();
    world.llm.script(() => ({ text: `It says <tool_call>${call}</tool_call>` }));
    const answer = await ask(platform, dm, `what does <tool_call>${call}</tool_call> mean?`, { text: 'It says' });
    expect(answer.buttons).toEqual([]);
    expect([note(world), world.llm.requests().length]).toEqual(['', 1]);
  });
});

describe.each(onEveryPlatform)('files in an answer on %s', (name) => {
  it('have the names they were given, replace what has their id, and those that are too many are told', async () => {
    const { platform, dm, said } = await open({}, name);
    const names = () => platform.answers(dm).flatMap((seen) => seen.files.map((file) => file.name));
    const answer = (content: string, more: object[] = []) =>
      said(
        `This is ${content}.\n\n${fenced(
          'artifact_deltas',
          JSON.stringify([
            { id: 'src/app.py', title: 'src/app.py', type: 'text/x-python', content },
            { id: '📊', title: 'Release 1.2', content },
            { id: 'task', title: 'main.ts', type: 'text/plain', content },
            ...more,
          ]),
        )}`,
      );
    answer('one');
    await ask(platform, dm, 'write it', { text: 'This is one.' });
    await expect.poll(() => names().toSorted()).toEqual(['Release 1.2.md', 'app.py', 'main.ts']);
    const more = Array.from({ length: 19 }, (_, i) => ({ title: `f${i + 1}.md`, content: 'x' }));
    answer('two', more);
    const second = await ask(platform, dm, 'write it again, with the others', { text: 'This is two.' });
    expect(second.text).toMatch(
      /attach 20 files of up to 1 MB each to an answer; 2 more are missing\. Ask me for them/,
    );
    await expect.poll(() => names().length).toBe(13);
    const list = (await platform.command(dm, 'artifacts')).text;
    for (const file of ['app.py', 'Release 1.2.md', 'main.ts']) expect(list.split(file)).toHaveLength(2);
  });
});

describe('files in an answer', () => {
  it('are understood in each form, links are kept, and nobody sees JSON', async () => {
    const { world, platform, dm, said } = await open({}, 'telegram');
    const entry = { title: 'notes.md', type: 'text/markdown', content: '# Notes' };
    const link = { title: 'The handbook', type: 'text/html', ref: 'https://handbook.example/a(b)' };
    said(`Look.\n\n${fenced('json', JSON.stringify({ artifact_deltas: [entry, link] }))}`);
    const answer = await ask(platform, dm, 'make notes', { file: 'notes.md' });
    expect(answer.text).toContain('Look.');
    expect(answer.text).toContain('The handbook');
    expect(answer.text).not.toMatch(/[{}]|artifact_deltas/);
    expect((await platform.command(dm, 'artifacts')).text).toContain('The handbook');
    expect((await platform.command(dm, 'get', 'The handbook')).text).toContain('The handbook');
    const [task = ''] = world.tasks();
    const id = JSON.parse(world.read(`artifacts/${task}/artifacts.jsonl`).split('\n')[0] ?? '{}').id;
    said(`Again.\n\n${fenced('artifact_deltas', JSON.stringify({ ref: id }))}`);
    await ask(platform, dm, 'send it again', { file: 'notes.md' });
    said('Broken.\n\n```artifact_deltas\n[{"title":"a.md","content":"# A and mo');
    const broken = await ask(platform, dm, 'and more');
    expect(broken.text).toMatch(/^Broken\.\s+I tried to attach a file that couldn't be read/);
    // Every request after that still knows the link.
    said('ok');
    await ask(platform, dm, 'thanks');
    expect(JSON.stringify(world.llm.requests().at(-1)?.body)).toContain('The handbook');
  });

  it('that lie in the workspace are fetched and attached, pictures too, and never by a guest or from elsewhere', async () => {
    const { world, platform, dm } = await open();
    const folder = path.join(world.home, 'workspace', 'artifacts');
    fs.mkdirSync(folder, { recursive: true });
    const bytes = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 1, 2, 255]);
    fs.writeFileSync(path.join(folder, 'chart.png'), bytes);
    world.llm.script(({ toolResults }) =>
      toolResults.length === 0
        ? { toolCalls: [{ name: 'attach_artifact', arguments: { id: 'workspace/artifacts/chart.png' } }] }
        : { text: 'Here it is.' },
    );
    const got = await ask(platform, dm, 'send me the chart', { file: 'chart.png' });
    expect(platform.bytes(got.files[0] ?? { id: '', name: '', size: 0, sha256: '' })).toEqual(bytes);
    const after = platform.answers(dm).length;
    platform.say(dm, '/get workspace/artifacts/chart.png');
    await waitFor(platform, dm, { after, file: 'chart.png' });
    for (const elsewhere of ['workspace/../config.json', 'workspace/credentials/x', '../../config.json'])
      expect((await platform.command(dm, 'get', elsewhere)).files).toEqual([]);
  });
});
