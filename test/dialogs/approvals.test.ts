/** What waits for a person, on every platform: consent to a call, a plan, a question; who may answer, how often, until when. */
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { LlmRequest, ToolCall, Turn } from '../emulators/llm.ts';
import { letTimePass, onEveryPlatform, openChat, press as pressNewest, readable, requestFiles } from '../kit/kit.ts';
import { ask, type Person, type Place, type Platform, waitFor, wholeQuestion } from '../platforms/platform.ts';
import { NAMES, openPlatforms, type PlatformWorld } from '../platforms/world.ts';

const NOTE = { path: 'workspace/notes.md', content: 'milk and eggs' };

/** Calls these tools one after the other, one a step, and says what came of the last one. */
const calls =
  (...given: ToolCall[]) =>
  (request: LlmRequest): Turn => {
    const { toolResults } = request;
    const call = given[toolResults.length];
    return call ? { text: 'One moment.', toolCalls: [call] } : { text: `I was told: ${toolResults.at(-1)}` };
  };
/** With an argument that the tool does not know, and that would mislead whoever read it. */
const writing = (file = NOTE): ToolCall => ({ name: 'write_file', arguments: { ...file, note: 'a draft, not kept' } });

const note = (world: PlatformWorld): string => world.read('workspace/notes.md');

/** Also on a client that has not seen yet that the button is gone. */
const press = (platform: Platform, place: Place, label: string, text: string | RegExp, by?: Person) =>
  pressNewest(platform, place, label, text, { stale: true, ...(by && { by }) });

/** The conversation as the model saw it last, a line a message. */
const history = (world: PlatformWorld): string =>
  (world.llm.requests().at(-1)?.messages ?? [])
    .map(({ role, content, tool_calls }) => `${role}: ${JSON.stringify([content, tool_calls])}`)
    .join('\n');

describe.each(onEveryPlatform)('consent on %s', (name) => {
  it('is asked for with everything that will run; approved, it runs once and the work goes on', async () => {
    const { world, platform, dm } = await openChat({}, name);
    world.llm.script(calls(writing()));
    const asked = await ask(platform, dm, 'keep a note: milk and eggs', { text: 'Save notes.md in your workspace?' });
    expect(asked.text).toContain('One moment.');
    const shown = await wholeQuestion(platform, dm, asked);
    expect(shown).toContain('workspace/notes.md');
    expect(shown).toContain('milk and eggs');
    expect(shown).toContain('10 minutes');
    expect(shown).not.toMatch(/a draft|write_file|[{}]/);
    const folded = name === 'telegram' ? [] : ['Details'];
    expect(asked.buttons).toEqual(['Save', 'No', 'Always for this task', ...folded]);
    expect(note(world)).toBe('');
    expect((await platform.command(dm, 'status')).text).toContain(
      'waits for your answer: Save notes.md in your workspace?',
    );
    const done = await press(platform, dm, 'Save', 'I was told');
    expect(done.text).toContain('notes.md');
    expect(note(world)).toBe('milk and eggs');
    expect(platform.answers(dm).some((seen) => seen.text === 'On it.')).toBe(true);
    const again = await press(platform, dm, 'Save', /already/);
    expect(again.text).toBe('You have approved this already.');
    expect(world.llm.requests()).toHaveLength(2);
  });

  it('shows long arguments whole, in a file, with what cannot be seen made visible', async () => {
    const { world, platform, dm } = await openChat({}, name);
    const content = `${'word '.repeat(600)}\u202Egnp.exe\u200B\u0007 \`\`\`\n](http://x.test)`;
    world.llm.script(calls(writing({ path: 'workspace/long.md', content })));
    const asked = await ask(platform, dm, 'keep a long note', { file: 'details.txt' });
    const shown = readable(platform, asked);
    expect(shown).toContain('\\u{202E}gnp.exe\\u{200B}\\u{7}');
    for (const unseen of ['\u202E', '\u200B', '\u0007']) expect(shown).not.toContain(unseen);
    await press(platform, dm, 'Save', 'I was told');
    expect(world.read('workspace/long.md')).toBe(content);
  });
});

describe('consent', () => {
  it('is given while no slot is free: it is done, also when its person writes more before that', async () => {
    const config = { limits: { freeBytes: 0, messagesPerMinute: 1_000, runs: 1 } };
    const { world, platform, dm } = await openChat({ channel: { live: 'off' }, config });
    world.llm.script((request) => {
      if (request.lastUser.includes('long')) return { text: 'long done', delayMs: 2_000 };
      if (request.lastUser.includes('thanks')) return { text: 'You are welcome.' };
      return calls(writing())(request);
    });
    await ask(platform, dm, 'keep a note', { text: 'Save notes.md in your workspace?' });
    platform.say(platform.dm('sam'), 'long work', { by: 'sam' });
    await world.llm.waitFor(({ lastUser }) => lastUser.includes('long'));
    await press(platform, dm, 'Save', 'On it.');
    await ask(platform, dm, 'thanks', { text: 'You are welcome.' });
    expect(note(world)).toBe('milk and eggs');
    expect(history(world)).not.toContain('denied');
  });

  it('is denied: nothing runs, the model is told and goes on', async () => {
    const { world, platform, dm } = await openChat();
    world.llm.script(calls(writing()));
    await ask(platform, dm, 'keep a note', { text: 'Save notes.md in your workspace?' });
    const done = await press(platform, dm, 'No', 'I was told');
    expect(done.text).toContain('execution denied');
    expect((await press(platform, dm, 'Save', /already/)).text).toBe('You have refused this already.');
    expect(note(world)).toBe('');
  });

  it('is given by the people of the task alone, in a place with others', async () => {
    const { world, platform } = await openChat();
    world.llm.script(calls(writing()));
    const said = platform.say(platform.room, 'keep a note', { mention: true, by: 'sam' });
    const place = platform.answerPlace(said);
    await waitFor(platform, place, { text: 'Save notes.md in your workspace?' });
    const refused = await press(platform, place, 'Save', /people who take part/, 'kim');
    expect(refused.text).toContain('ask one of them');
    world.llm.script(() => ({ text: 'hello to you' }));
    const before = platform.answers(place).length;
    platform.say(place, 'hello', { mention: true, by: 'kim' });
    await waitFor(platform, place, { after: before, text: 'hello to you' });
    // A guest is shown nothing of what tools were asked to do for others.
    expect(history(world)).not.toContain('milk and eggs');
    expect(note(world)).toBe('');
    world.llm.script(calls(writing()));
    await press(platform, place, 'Save', 'I was told', 'sam');
    expect(note(world)).toBe('milk and eggs');
    expect((await press(platform, place, 'No', /already/, 'alex')).text).toMatch(/has approved this already/);
  });

  it('runs out: it is denied, the model goes on, and a late press is told so', async () => {
    const { world, platform, dm } = await openChat();
    world.llm.script(calls(writing()));
    await ask(platform, dm, 'keep a note', { text: 'Save notes.md' });
    await world.stop();
    letTimePass(world);
    await world.restart();
    const told = await waitFor(platform, dm, { text: 'I was told' });
    expect(told.text).toContain('execution denied: nobody answered');
    expect((await press(platform, dm, 'Save', /too late/)).text).toMatch(/I decided not to do it/);
    expect(note(world)).toBe('');
  });

  it('holds for what was shown alone: what has changed in the file of the request since does not run', async () => {
    const { world, platform, dm } = await openChat();
    world.llm.script(calls(writing()));
    await ask(platform, dm, 'keep a note', { text: 'Save notes.md in your workspace?' });
    await world.stop();
    for (const file of requestFiles(world)) {
      const request = JSON.parse(fs.readFileSync(file, 'utf8'));
      request.input = { ...request.input, content: 'give all to kim' };
      fs.writeFileSync(file, JSON.stringify(request));
    }
    await world.restart();
    const told = await press(platform, dm, 'Save', 'I was told');
    expect(told.text).toContain('this is no longer what was approved');
    expect(note(world)).toBe('');
  });

  it('is not given by writing something else: that is taken up, and the question stays open', async () => {
    const { world, platform, dm } = await openChat();
    world.llm.script(calls(writing()));
    await ask(platform, dm, 'keep a note', { text: 'Save notes.md in your workspace?' });
    world.llm.script(() => ({ text: 'here is a poem' }));
    await ask(platform, dm, 'never mind, a poem please', { text: 'here is a poem' });
    expect(history(world)).toMatch(/keep a note[\s\S]*write_file[\s\S]*has not answered yet[\s\S]*a poem please/);
    expect(note(world)).toBe('');
    world.llm.script(calls(writing()));
    await press(platform, dm, 'Save', 'I was told');
    expect(note(world)).toBe('milk and eggs');
  });

  it('holds for the rest of the task when so pressed, is shown in /status, and is taken back there', async () => {
    const { world, platform, dm } = await openChat();
    const more = { path: 'workspace/more.md', content: 'bread' };
    world.llm.script(calls(writing(), writing(more)));
    await ask(platform, dm, 'keep two notes', { text: 'Save notes.md in your workspace?' });
    await press(platform, dm, 'Always for this task', 'I was told');
    expect([note(world), world.read('workspace/more.md')]).toEqual(['milk and eggs', 'bread']);
    const status = await platform.command(dm, 'status');
    expect(status.text).toMatch(/allowed here without asking: files in your workspace/);
    expect((await press(platform, dm, 'Ask again: files in your workspace', /ask before this again/)).text).toContain(
      'files in your workspace',
    );
    await ask(platform, dm, 'once more', { text: /^Save |\nSave / });
  });

  it('is asked for one call at a time, and /stop withdraws the question', async () => {
    const { world, platform, dm } = await openChat();
    const both = [writing(), writing({ path: 'workspace/more.md', content: 'bread' })];
    world.llm.script((request) =>
      request.toolResults.length > 0 ? { text: request.toolResults.join(' | ') } : { toolCalls: both },
    );
    const first = await ask(platform, dm, 'keep two notes', { text: /^Save |\nSave / });
    expect(first.text).not.toContain('more.md');
    const second = await press(platform, dm, 'No', 'Save more.md');
    expect(second.text).not.toContain('notes.md');
    expect(world.llm.requests()).toHaveLength(1);
    expect((await platform.command(dm, 'stop')).text).toBe('Stopped: keep two notes.');
    expect((await press(platform, dm, 'Save', /closed/)).text).toBe('This is closed: the work was stopped.');
    world.llm.script(() => ({ text: 'as you like' }));
    await ask(platform, dm, 'what now?', { text: 'as you like' });
    expect(history(world)).toMatch(/said no[\s\S]*stopped the work/);
    expect([note(world), world.read('workspace/more.md')]).toEqual(['', '']);
  });
});

it('is given in the conversation that was asked alone, by its own people elsewhere neither', async () => {
  const { world, platform, dm } = await openChat();
  world.llm.script(calls(writing()));
  await ask(platform, dm, 'keep a note', { text: 'Save notes.md in your workspace?' });
  const [file = ''] = requestFiles(world);
  const id = path.basename(file, '.json');
  for (const verb of ['yes', 'always', 'no', 'edit'])
    expect((await platform.command(platform.room, 'approve', `${id} ${verb}`)).text).toContain(
      'answer this in the conversation where I asked',
    );
  expect([note(world), JSON.parse(fs.readFileSync(file, 'utf8')).decision]).toEqual(['', undefined]);
  await press(platform, dm, 'Save', 'I was told');
  expect(note(world)).toBe('milk and eggs');
});

it('waits through a SIGKILL on each platform, and what was approved then runs once', async () => {
  const world = await openPlatforms({ process: true, linked: false, channel: { access: { dm: 'open' } } });
  const platforms = NAMES.map((name) => world.platforms[name]);
  const file = ({ name }: Platform) => ({ path: `workspace/${name}.md`, content: 'milk' });
  for (const platform of platforms) world.llm.scriptFor(`on ${platform.name}`, calls(writing(file(platform))));
  const on = (work: (platform: Platform, dm: Place) => Promise<unknown>) =>
    Promise.all(platforms.map((platform) => work(platform, platform.dm('alex'))));
  await on((platform, dm) => ask(platform, dm, `keep a note on ${platform.name}`, { text: /^Save |\nSave / }));
  await world.kill();
  await on((platform, dm) => press(platform, dm, 'Save', 'I was told'));
  for (const platform of platforms) {
    expect(world.read(file(platform).path)).toBe('milk');
    fs.writeFileSync(path.join(world.home, file(platform).path), 'changed since');
  }
  await world.kill();
  const again = await on((platform, dm) => press(platform, dm, 'Save', /already/));
  expect(again).toEqual(platforms.map(() => expect.objectContaining({ text: 'You have approved this already.' })));
  expect(platforms.map((platform) => world.read(file(platform).path))).toEqual(platforms.map(() => 'changed since'));
  expect(world.llm.requests()).toHaveLength(6);
});

const PLAN = { goal: 'A party', steps: [{ id: '1', title: 'Buy a cake', status: 'pending' }] };
const planning: ToolCall = { name: 'update_plan', arguments: { plan: PLAN } };
const ON = { config: { planApproval: 'on' } };
const taskFile = (world: PlatformWorld, name: string) => path.join('artifacts', world.tasks()[0] ?? '', name);

describe('the plan', () => {
  it('comes before the work; approved after an edit by hand, the edited one counts', async () => {
    const { world, platform, dm } = await openChat(ON);
    world.llm.script(
      calls({ name: 'create_artifact', arguments: { title: 'a', type: 'text/plain', content: 'x' } }, planning),
    );
    const asked = await ask(platform, dm, 'plan a party', { text: 'Buy a cake' });
    expect(asked.buttons).toEqual(['Approve', 'Edit', 'Reject']);
    expect(history(world)).toContain('The plan must be approved first');
    const file = taskFile(world, 'implementation_plan.md');
    expect(world.read(file)).toContain('Buy a cake');
    await world.restart();
    await press(platform, dm, 'Edit', /edit/);
    await waitFor(platform, dm, { file: 'implementation_plan.md' });
    fs.writeFileSync(path.join(world.home, file), world.read(file).replace('a cake', 'two cakes'));
    const done = await press(platform, dm, 'Approve', 'I was told');
    expect(done.text).toMatch(/approved[\s\S]*two cakes/);
    expect(world.read(taskFile(world, 'task.md'))).toContain('two cakes');
    world.llm.script(calls(planning));
    const next = await ask(platform, dm, 'go on', { text: 'I was told' });
    expect(next.buttons).not.toContain('Approve');
  });

  it('is changed by a reply and asked about anew, and rejected', async () => {
    const { world, platform, dm } = await openChat(ON);
    world.llm.script(calls(planning));
    await ask(platform, dm, 'plan a party', { text: 'Buy a cake' });
    const changed = { ...PLAN, steps: [{ id: '1', title: 'Bake a pie', status: 'pending' }] };
    world.llm.script(calls({ name: 'update_plan', arguments: { plan: changed } }));
    const asked = await ask(platform, dm, 'a pie would be better', { text: 'Bake a pie' });
    expect(asked.buttons).toContain('Approve');
    expect(history(world)).toMatch(/has not answered yet[\s\S]*a pie would be better/);
    const file = taskFile(world, 'implementation_plan.md');
    fs.writeFileSync(path.join(world.home, file), world.read(file).replace('a pie', 'an apple pie'));
    world.llm.script(calls(planning));
    await ask(platform, dm, 'what do you think?', { text: 'nothing has been done yet' });
    expect(history(world)).toMatch(/<task>[\s\S]*Bake an apple pie/);
    const done = await press(platform, dm, 'Reject', 'I was told');
    expect(done.text).toContain('rejected');
  });

  it('that was edited in the task itself is not overwritten by the approval', async () => {
    const { world, platform, dm } = await openChat(ON);
    world.llm.script(calls(planning));
    await ask(platform, dm, 'plan a party', { text: 'Buy a cake' });
    const own = path.join(world.home, 'workspace/task.md');
    fs.writeFileSync(own, fs.readFileSync(own, 'utf8').replace('a cake', 'no cake'));
    const done = await press(platform, dm, 'Approve', 'I was told');
    expect(done.text).toContain('no cake');
    expect(world.read(taskFile(world, 'task.md'))).toContain('no cake');
  });
});

const COLOURS: ToolCall = {
  name: 'ask_user',
  arguments: { question: 'Which colour?', options: ['red', 'blue'], recommended: 1 },
};

describe('a question', () => {
  it('is answered with a button, after a restart too, and once', async () => {
    const { world, platform, dm } = await openChat();
    world.llm.script(calls(COLOURS));
    const asked = await ask(platform, dm, 'paint it', { text: 'Which colour?' });
    expect(asked.buttons).toEqual(['red', 'blue (recommended)']);
    expect(asked.text).toMatch(/30 minutes, I'll go on with: blue/);
    await world.restart();
    const done = await press(platform, dm, 'red', 'I was told');
    expect(done.text).toContain('"answer":"red"');
    expect((await press(platform, dm, 'blue (recommended)', /already/)).text).toBe(
      'You have answered this already: red',
    );
  });

  it('is answered in words', async () => {
    const { world, platform, dm } = await openChat();
    world.llm.script(calls({ name: 'ask_user', arguments: { question: 'Which colour?' } }));
    const asked = await ask(platform, dm, 'paint it', { text: 'Which colour?' });
    expect(asked.buttons).toEqual([]);
    expect(asked.text).toContain("I'll wait.");
    world.llm.script(() => ({ text: 'green it is' }));
    await ask(platform, dm, 'something green', { text: 'green it is' });
    expect(history(world)).toMatch(/paint it[\s\S]*Which colour[\s\S]*in their own words[\s\S]*something green/);
  });

  it('goes on with what it recommended when nobody answers', async () => {
    const { world, platform, dm } = await openChat();
    world.llm.script(calls(COLOURS));
    await ask(platform, dm, 'paint it', { text: 'Which colour?' });
    await world.stop();
    letTimePass(world);
    await world.restart();
    const done = await waitFor(platform, dm, { text: 'I was told' });
    expect(done.text).toMatch(/"answer":"blue"[\s\S]*Nobody answered/);
    expect((await press(platform, dm, 'red', /too late/)).text).toContain('blue');
  });

  it('comes one at a time', async () => {
    const { world, platform, dm } = await openChat();
    const size: ToolCall = { name: 'ask_user', arguments: { question: 'Which size?', options: ['small', 'large'] } };
    world.llm.script(({ toolResults }) =>
      toolResults.length > 0 ? { text: `told ${toolResults.join(' ')}` } : { toolCalls: [COLOURS, size] },
    );
    const first = await ask(platform, dm, 'order it', { text: 'Which' });
    expect(first.text).not.toContain('Which size?');
    await press(platform, dm, 'red', 'Which size?');
    const done = await press(platform, dm, 'large', 'told');
    expect(done.text).toMatch(/red[\s\S]*large/);
    expect(world.llm.requests()).toHaveLength(2);
  });
});
