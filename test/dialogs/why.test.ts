/** /why: what led to the last answer, told to whom it may be told, from what is on disk. */
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { LlmRequest, Turn } from '../emulators/llm.ts';
import { onEveryPlatform, openChat } from '../kit/kit.ts';
import { ask, type Place, type Platform, waitFor } from '../platforms/platform.ts';
import type { PlatformWorld } from '../platforms/world.ts';
import { ALEX, openWorld } from './harness.ts';

const MEMORY = '# Memory\n\n## Tea\n- Alex drinks oolong\n';
const SECRET = 'sk-test-model-key-123';

async function explained(platform: Platform, place: Place, args = ''): Promise<string> {
  const after = platform.answers(place).length;
  const told = await platform.command(place, 'why', args);
  const isWhole = /What it cost|There's no answer|can't find a task/;
  return isWhole.test(told.text) ? told.text : (await waitFor(platform, place, { after, text: isWhole })).text;
}

const remember = (world: PlatformWorld): void =>
  fs.writeFileSync(path.join(world.home, 'workspace', 'MEMORY.md'), MEMORY);

/** Writes a file, which a person is asked about, then answers. */
const writes = ({ toolResults }: LlmRequest): Turn =>
  toolResults.length === 0
    ? { toolCalls: [{ name: 'write_file', arguments: { path: 'workspace/notes.md', content: SECRET } }] }
    : { text: 'It is written.' };

describe.each(onEveryPlatform)('/why on %s', (name) => {
  it('tells a group nothing that was said elsewhere, nor what memory said', async () => {
    const { world, platform } = await openChat({ channel: { live: 'off' } }, name);
    remember(world);
    await ask(platform, platform.dm('alex'), 'my private worry');
    const [task = ''] = world.tasks();
    const said = platform.say(platform.room, 'our common work', { mention: true });
    const place = platform.answerPlace(said);
    await waitFor(platform, place, { text: /our common work/ });
    const where = name === 'slack' ? platform.room : place;
    const known = (await platform.command(where, 'tasks')).text.match(/\d{8}-[a-z0-9]+/)?.[0] ?? '';
    const own = await explained(platform, where, name === 'slack' ? known : '');
    expect(own).toContain('our common work');
    expect(own).toContain('Memory was left out');
    expect(own).not.toMatch(/oolong|private worry/);
    const other = await explained(platform, where, task);
    expect(other).not.toMatch(/oolong|private worry/);
  });
});

describe('/why', () => {
  it('explains an answer: the message, memory, the tool, who allowed it, and the cost', async () => {
    const { world, platform, dm } = await openChat();
    remember(world);
    world.llm.script(writes);
    platform.say(dm, 'write down the *key*');
    await waitFor(platform, dm, { text: /notes\.md/ });
    await platform.press(dm, 'Save', 'alex', true);
    await waitFor(platform, dm, { text: 'It is written.' });
    const text = await explained(platform, dm);
    expect(text).toMatch(/wrote on \S+ today at [\d:]+: "write down the \\?\*?key/);
    expect(text).toContain('Alex drinks oolong');
    expect(text).toContain('I used one tool.');
    expect(text).toMatch(/Writing notes\.md: path: workspace\/notes\.md, size: \d+/);
    expect(text).toMatch(/alex allowed it today/);
    expect(text).toMatch(/local\/test.model was asked 2 times, .*tokens in/);
    expect(text).toMatch(/for .* of that I waited for a person|It took \d+ s/);
    expect(text).not.toContain(SECRET);
  });
});

it('counts ten thousand tools in a few lines, and says of a failed run that it failed', async () => {
  const world = await openWorld();
  world.llm.script([{ text: 'Hello.' }]);
  await world.ask('hello');
  const file = path.join(
    world.home,
    'workspace',
    '..',
    'agents',
    'default',
    'sessions',
    `${path.basename(world.task())}.jsonl`,
  );
  const at = new Date().toISOString();
  const call = (n: number) => ({
    type: 'tool-call',
    toolCallId: `c${n}`,
    toolName: 'read_file',
    input: { path: `f${n}.md` },
  });
  const result = (n: number) => ({
    ...{ type: 'tool-result', toolCallId: `c${n}`, toolName: 'read_file' },
    output: { type: 'text', value: `line ${n}` },
  });
  const run = 'aaaaaaaaaaaa';
  const from = { channel: 'telegram', user: String(ALEX), name: 'Alex' };
  const lines = [
    { type: 'message', id: 'm', run, at, text: 'read all', from, files: [] },
    ...Array.from({ length: 10_000 }, (_, index) => ({
      ...{ type: 'step', run, at, index },
      messages: [
        { role: 'assistant', content: [call(index)] },
        { role: 'tool', content: [result(index)] },
      ],
    })),
    {
      type: 'result',
      run,
      at,
      state: 'error',
      text: 'Sorry.',
      summary: '',
      artifactRefs: [],
      error: 'the disk is gone',
    },
  ];
  fs.appendFileSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  const text = (await world.ask('/why')).text;
  expect(text).toContain('I used 10,000 tools, in this order.');
  expect(text).toContain('Reading f0.md: line 0');
  expect(text).toContain('9,995 more: reading a file (9995×)');
  expect(text).toContain('It failed: the disk is gone');
  expect(text).toContain('No call to a model is on record for it.');
});

it('has nothing to explain before the first answer, and speaks German', async () => {
  const world = await openWorld();
  world.telegram.addUser({ id: ALEX, first_name: 'Alex', language_code: 'de-AT' });
  expect((await world.ask('/why')).text).toContain('noch keine Antwort');
  world.llm.script([{ text: 'Hallo.' }]);
  await world.ask('hallo');
  const text = (await world.ask('/why')).text;
  expect(text).toContain('Was ich bekommen habe');
  expect(text).toMatch(/schrieb heute .* auf Telegram: „hallo“/);
  expect(text).toContain('Davor wurde in diesem Gespräch nichts gesagt.');
  expect(text).toContain('Ich habe ohne Werkzeug geantwortet.');
});
