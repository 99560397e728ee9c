/** What people read when something goes wrong, what the button under it does, and what happens at a daily limit. */

import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { traceOf } from '../../src/cli/trace/events.ts';
import { run as trace } from '../../src/cli/trace/trace.ts';
import { messagesIn, say } from '../../src/messages/messages.ts';
import { interruptedWhile, toolFailed } from '../../src/runtime/tools/doing.ts';
import type { LlmFault } from '../emulators/llm.ts';
import { NO_OPTIONS } from '../helpers/cli.ts';
import { eventually } from '../helpers/eventually.ts';
import { openChat, press } from '../kit/kit.ts';
import { quiet } from '../kit/quiet.ts';
import { ask, waitFor } from '../platforms/platform.ts';
import { telegramPlatform } from '../platforms/telegram.ts';
import type { ChannelName, openPlatforms, PlatformWorldOptions } from '../platforms/world.ts';
import { openWorld } from './harness.ts';

/** Only where something is to be mended that a person in a chat cannot mend. */
const TRACE = / \(for the owner: viber trace ([0-9a-f]{12})\)$/;
const FOR_OWNERS = new Set<LlmFault>(['unauthorized', 'no-credit', 'refuse']);
const INSIDE = /HTTP|sk-test|127\.0\.0\.1|Error\b|node:|\.ts\b|\bat \/|\{|undefined/;

function open(config: PlatformWorldOptions['config'] = {}, more: Partial<PlatformWorldOptions> = {}, on?: ChannelName) {
  return openChat({ channel: { live: 'off', injection: 'followup' }, config, ...more }, on);
}

const session = (world: Awaited<ReturnType<typeof openPlatforms>>): Record<string, unknown>[] => {
  const [task = ''] = world.tasks();
  const lines = world.read(`agents/default/sessions/${task}.jsonl`).trim().split('\n');
  return lines.map((line) => JSON.parse(line));
};

const CASES: [LlmFault, RegExp, string][] = [
  ['unauthorized', /^The provider "local" didn't accept the key: check providers\.local\.apiKey\./, 'Retry'],
  [
    'no-credit',
    /^The provider "local" has no credit left for us: top it up, or choose another model with \/(viber )?model\./,
    'Retry',
  ],
  ['overloaded', /^The provider "local" is busy right now: try again in a few minutes\./, 'Retry'],
  ['server-error', /^The provider "local" is having problems: try again in a moment\./, 'Retry'],
  ['refuse', /^The provider "local" can't be reached: check .* providers\.local\.baseURL is right\./, 'Retry'],
  ['too-long', /^The provider "local" can't handle a conversation this long: .*\/new/, 'New task'],
  ['stall-start', /^The model local\/test-model didn't begin to answer within 5 seconds:/, 'Retry'],
  ['stall-middle', /^The model local\/test-model sent nothing for .* in the middle of its answer/, 'Retry'],
  ['cut', /^The model local\/test-model broke off in the middle/, 'Retry'],
];

describe('an error', () => {
  it('says in one plain sentence which kind of thing failed, with the button that helps, and to whom an owner has to see', async () => {
    const { world, platform, dm } = await open({ timeouts: { firstToken: 5, idle: 5 } });
    for (const [fault, words, button] of CASES) {
      world.llm.fault(fault, 2);
      const seen = await ask(platform, dm, `what about ${fault}`, { text: words });
      expect([fault, TRACE.test(seen.text)]).toEqual([fault, FOR_OWNERS.has(fault)]);
      expect(seen.text).not.toMatch(/trace(?! [0-9a-f]{12}\)$)/);
      expect(seen.text).not.toMatch(INSIDE);
      expect(seen.text).not.toContain('\n');
      expect([fault, seen.buttons]).toEqual([fault, [button]]);
      // Faults that were met once only must not reach the next message.
      world.llm.reset();
    }
  });

  it('tells those who cannot mend it that somebody has to, and the owner once what', async () => {
    const { world, platform, dm } = await open();
    await ask(platform, dm, 'hello', { text: 'hello' });
    const sam = platform.dm('sam');
    for (const fault of ['refuse', 'unauthorized'] as const) {
      for (const n of [1, 2]) {
        world.llm.fault(fault, 2);
        const seen = await ask(platform, sam, `${fault} ${n}`, { by: 'sam', text: /My owner has to fix it/ });
        expect(seen.text).toMatch(TRACE);
        expect(seen.text).not.toMatch(/provider|providers\.|local/);
        world.llm.reset();
      }
      const told = () => platform.answers(dm).filter(({ text }) => text.includes("I couldn't answer"));
      await expect.poll(() => told().length).toBe(fault === 'refuse' ? 1 : 2);
      expect(told().at(-1)?.text).toMatch(fault === 'refuse' ? /baseURL is right/ : /didn't accept the key/);
    }
  });

  it('Retry says the same again, and what was finished before the error is not done twice', async () => {
    const { world, platform, dm } = await open();
    world.llm.fault('unauthorized');
    await ask(platform, dm, 'say hello', { text: 'trace' });
    await press(platform, dm, 'Retry', /^say hello$/);

    world.llm.script([
      { toolCalls: [{ name: 'create_artifact', arguments: { title: 'a.txt', type: 'text/plain', content: 'one' } }] },
      { fault: 'unauthorized' },
      { text: 'Here it is.' },
    ]);
    const failed = await ask(platform, dm, 'make me a file', { text: 'trace' });
    expect(failed.buttons).toEqual(['Retry']);
    const before = platform.answers(dm).length;
    await platform.press(dm, 'Retry');
    await waitFor(platform, dm, { after: before, text: 'Here it is.' });
    const last = world.llm.requests().at(-1);
    expect(last?.lastUser).toMatch(/^make me a file\n\n\(An error ended this before.*do not repeat them/);
    expect(JSON.stringify(last?.messages)).toContain('create_artifact');
    const [task = ''] = world.tasks();
    expect(
      fs.readdirSync(path.join(world.home, 'artifacts', task)).filter((file) => file.endsWith('.txt')),
    ).toHaveLength(1);
  });

  it('offers Continue at the limit of steps and of length', async () => {
    const { world, platform, dm } = await open({ maxSteps: 1 });
    world.llm.script([{ toolCalls: [{ name: 'list_files', arguments: {} }] }, { text: 'Half of', finish: 'length' }]);
    expect(await ask(platform, dm, 'look around', { text: 'limit of steps' })).toMatchObject({ buttons: ['Continue'] });
    await platform.press(dm, 'Continue');
    expect(await waitFor(platform, dm, { text: 'length limit' })).toMatchObject({ buttons: ['Continue'] });
    expect(world.llm.requests().at(-1)?.lastUser).toBe('Please go on.');
  });

  it('stops a person at the daily limit: told once, the words kept, others go on, Continue takes it all up', async () => {
    const limits = { freeBytes: 0, tokensPerPersonPerDay: 100 };
    const { world, platform, dm } = await open({ limits });
    const usage = { prompt_tokens: 60, completion_tokens: 40, prompt_tokens_details: { cached_tokens: 50 } };
    world.llm.script((request) => ({ text: `re ${request.lastUser}`, usage }));
    await ask(platform, dm, 'first', { text: 're first' });
    const told = await ask(platform, dm, 'second', { text: 'limits.tokensPerPersonPerDay' });
    expect(told.text).toMatch(
      /^Your limit for today is used up \(100 of 100 tokens, .*I'll continue in (?:\d+ h )?\d+ min,.*I keep .*afterwards\.$/,
    );
    expect(told.buttons).toEqual(['Continue']);
    const count = platform.answers(dm).length;
    platform.say(dm, 'third');
    await eventually(() => expect(session(world).filter((line) => line.type === 'result')).toHaveLength(3));
    await world.restart();
    platform.say(dm, 'fourth');
    await eventually(() => expect(session(world).filter((line) => line.type === 'result')).toHaveLength(4));
    await quiet();
    expect([platform.answers(dm).length, world.llm.requests().length]).toEqual([count, 1]);
    // Somebody else is not concerned.
    await ask(platform, platform.dm('sam'), 'hello', { by: 'sam', text: 're hello' });
    const status = await platform.command(dm, 'status');
    expect(status.text).toMatch(/in total: 60 tokens in \(50 cached\), 40 out, price not known/);
    expect(status.text).toMatch(/today, you: 100 of 100 tokens[\s\S]*a limit is reached/);

    // The next day.
    const [today = ''] = fs.readdirSync(path.join(world.home, 'usage'));
    fs.renameSync(path.join(world.home, 'usage', today), path.join(world.home, 'usage/2020-01-01.jsonl'));
    await world.restart();
    await platform.press(dm, 'Continue');
    await waitFor(platform, dm, { text: 're Please go on.' });
    const messages = JSON.stringify(world.llm.requests().at(-1)?.messages);
    for (const words of ['second', 'third', 'fourth']) expect(messages).toContain(words);
  });
});

it('tells a tool that failed from a model that failed, and an interruption from both', async () => {
  const { world, platform, dm } = await open();
  const missing = { name: 'read_file', arguments: { path: 'no-such-file.txt' } };
  world.llm.script([{ toolCalls: [missing] }, { fault: 'empty-text' }, { fault: 'empty-text' }]);
  const seen = await ask(platform, dm, 'read it', { text: 'went wrong' });
  expect(seen.text).toBe(
    'Something went wrong while reading a file, and I found no way around it: try again, or put it differently.',
  );
  expect(seen.buttons).toEqual(['Retry']);
  expect(interruptedWhile('write_file', messagesIn('en'))).toMatchObject({
    text: expect.stringMatching(/^I was interrupted while writing a file\. It may or may not have happened, /),
    buttons: [[{ label: 'Continue', say: expect.stringContaining('Check first whether write_file took effect') }]],
  });
  expect(interruptedWhile('docs_find_page', messagesIn('de')).text).toMatch(
    /^Ich wurde bei der Arbeit mit docs find page unterbrochen\. Vielleicht ist es geschehen,/,
  );
  expect(messagesIn('de').said(toolFailed(['shell']).said ?? say('common.wrong'))).toBe(
    'Mir ist beim Ausführen eines Befehls etwas schiefgegangen, und ich kam nicht weiter: Versuch es nochmal, oder sag es anders.',
  );
});

it('tells somebody who speaks German in German which of two models failed', async () => {
  const { world, platform, dm } = await open({
    language: 'de',
    fallback: ['local/other'],
    timeouts: { firstToken: 5, idle: 5 },
  });
  world.llm.fault('stall-start', 4);
  const { text } = await ask(platform, dm, 'hallo', { text: 'geklappt' });
  expect(text).toMatch(
    /^Das Modell local\/test-model hat in 5 Sekunden nicht .* Der Ersatz \(local\/other\) hat auch nicht/,
  );
});

it('works by no settings that cannot be read: what they forbid is not known', async () => {
  const file = (home: string) => path.join(home, 'agents', 'default.yaml');
  const write = (home: string, text: string) => {
    fs.mkdirSync(path.dirname(file(home)), { recursive: true });
    fs.writeFileSync(file(home), text);
  };
  const { world, platform, dm } = await openChat({ prepare: (home) => write(home, 'mode: ask\ntools: [read_file') });
  const seen = await ask(platform, dm, 'go', { text: 'trace' });
  expect(seen.text).toMatch(/^agents\/default\.yaml can't be used, so this viber can't answer: .* line \d/);
  expect(world.llm.requests()).toEqual([]);
  write(world.home, 'mode: ask\ntools: [read_file]\n');
  await ask(platform, dm, 'hello', { text: 'hello' });
  expect(world.llm.requests().at(-1)?.tools).toEqual(['read_file']);
});

it('tells the owners once a day of a chat that takes nothing any more', async () => {
  const telegram = await telegramPlatform();
  const { world, platform, dm } = await open({}, { given: { telegram } }, 'telegram');
  await ask(platform, dm, 'hello', { text: 'hello' });
  const begun = Promise.withResolvers<void>();
  const go = Promise.withResolvers<void>();
  world.llm.script(async () => {
    begun.resolve();
    await go.promise;
    return { text: 'too late' };
  });
  platform.say(platform.dm('sam'), 'work', { by: 'sam' });
  platform.say(platform.dm('sam'), 'work more', { by: 'sam' });
  await begun.promise;
  telegram.emulator.block(Number(platform.identity('sam').split(':')[1]));
  go.resolve();
  const told = await waitFor(platform, dm, { text: "couldn't be delivered" });
  expect(told.text).toMatch(/^A message of mine in telegram:1002 couldn't be delivered: .*blocked.*spool\/dead/);
  await eventually(() => expect(fs.readdirSync(path.join(world.home, 'spool', 'dead'))).toHaveLength(2));
  expect(platform.answers(dm).filter(({ text }) => text.includes("couldn't be delivered"))).toHaveLength(1);
});

it('viber trace tells the whole way of a message that failed, was tried again and was answered', async () => {
  const { world, platform, dm } = await open();
  const file = { name: 'create_artifact', arguments: { title: 'a.txt', type: 'text/plain', content: 'one' } };
  world.llm.script([{ toolCalls: [file] }, { fault: 'unauthorized' }]);
  const { text } = await ask(platform, dm, 'make SECRETWORD', { text: 'trace' });
  const [, id = ''] = TRACE.exec(text) ?? [];
  await eventually(() => expect(traceOf(world.home, id).events.at(-1)?.what).toBe('sent'));
  const { events } = traceOf(world.home, id);
  expect(events.map((event) => event.what)).toEqual([
    ...['accepted', 'claimed', 'model call', 'step', 'result', 'out', 'intent', 'sent'],
  ]);
  expect(events.find((event) => event.what === 'result')?.detail).toMatch(/^error: The provider "local" didn't accept/);
  const lines: string[] = [];
  const print = (line: string) => void lines.push(line);
  expect(
    await trace({ args: [id], config: undefined, home: world.home, json: false, ...NO_OPTIONS, env: {}, print }),
  ).toBe(0);
  expect(lines.join('\n')).toMatch(/\+0\.\d{3} s {2}model call {2}local\/test-model, \d+ ms, \d+ tokens in/);
  expect(lines.join('\n')).not.toContain('SECRETWORD');
});

it.each([
  ['error-event', /^The model local\/test-model reported an error: try again, or set another model\./],
  ['bad-request', /^The provider "local" refused the request/],
] as const)("viber trace shows an owner the provider's own words (%s), and a chat doesn't", async (fault, words) => {
  const { world, platform, dm } = await open();
  const text = 'llama runner has stopped: out of memory\nwhile at "make the report of SECRETWORD for me"';
  world.llm.script(() => ({ fault, text }));
  const seen = await ask(platform, dm, 'make a report', { text: words });
  const [, id = ''] = TRACE.exec(seen.text) ?? [];
  expect(seen.text).not.toContain('llama runner');
  await eventually(() => expect(traceOf(world.home, id).events.at(-1)?.what).toBe('sent'));
  const result = traceOf(world.home, id).events.find((event) => event.what === 'result');
  expect(messagesIn('en').said(result?.detail ?? '')).toMatch(
    / The provider said: llama runner has stopped: out of memory while at …$/,
  );
});

const POLL = { interval: 200, timeout: 10_000 };

describe('daily limits', () => {
  it('of all end a run under way between two model calls; the owners are told once', async () => {
    const limits = { freeBytes: 0, costPerDay: 0.001 };
    const prices = { 'local/test-model': { input: 1, output: 10 } };
    const { world, platform } = await open({ limits, prices });
    world.llm.script([{ text: 'hello', usage: { prompt_tokens: 10, completion_tokens: 1 } }]);
    await ask(platform, platform.dm('alex'), 'hello', { text: 'hello' });
    world.llm.script(() => ({
      toolCalls: [{ name: 'list_files', arguments: {} }],
      usage: { prompt_tokens: 900, completion_tokens: 1 },
    }));
    const [owner, member] = [platform.dm('alex'), platform.dm('sam')];
    const requests = world.llm.requests().length;
    const told = await ask(platform, member, 'work', { by: 'sam', text: 'limits.costPerDay' });
    expect(told.text).toMatch(
      /^Today's limit for everybody is used up \(0\.00\d+ of 0\.0010+ USD, limits\.costPerDay\)/,
    );
    expect(world.llm.requests().length - requests).toBe(2);
    await waitFor(platform, owner, { text: "I'll answer again in " });
    expect((await ask(platform, owner, 'and me?', { text: 'limits.costPerDay' })).buttons).toEqual(['Continue']);
    await quiet();
    expect(platform.answers(owner).filter((seen) => seen.text.includes("I'll answer again in "))).toHaveLength(1);
    expect(world.llm.requests().length - requests).toBe(2);
  });

  it('count a call that a stop has cut, and survive a kill', async () => {
    const channel = { live: 'off', injection: 'followup' };
    const { world, platform, dm } = await openChat({ channel, process: true });
    world.llm.script([{ text: 'never', delayMs: 60_000 }]);
    platform.say(dm, 'work for long');
    await world.llm.waitFor((request) => request.lastUser === 'work for long');
    await platform.command(dm, 'stop');
    await ask(platform, dm, 'again', { text: 'again' });
    await world.kill();
    const day = new Date().toISOString().slice(0, 10);
    const lines = world
      .read(`usage/${day}.jsonl`)
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines.map((line) => line.isEstimate === true)).toEqual([true, false]);
    // The run that the kill has cut is counted when it is over.
    await expect
      .poll(async () => {
        const { text } = await platform.command(dm, 'status');
        return Number(/in total: ([\d,]+) tokens in/.exec(text)?.[1]?.replace(',', ''));
      }, POLL)
      .toBe(lines[0].inputTokens + lines[1].inputTokens);
  });
});

describe('work in a project', () => {
  const toolForEver = () => ({ toolCalls: [{ name: 'list_files', arguments: {} }] });
  const inProject = (more = '') => ({
    prepare(home: string) {
      fs.mkdirSync(path.join(home, 'agents'), { recursive: true });
      fs.writeFileSync(path.join(home, 'agents', 'default.yaml'), `folder: /srv/shop\n${more}`);
    },
  });

  it('has its five steps in the instructions, after the personal blocks in their order, and as many steps as any other', async () => {
    const { world, platform, dm } = await open({}, inProject());
    for (const [file, text] of Object.entries({
      'SOUL.md': 'SOULWORD',
      'USER.md': 'USERWORD',
      'MEMORY.md': 'MEMORYWORD',
    }))
      fs.writeFileSync(path.join(world.home, 'workspace', file), `# About\n\n${text}\n`);
    await ask(platform, dm, 'the login fails', { text: 'login' });
    const first = world.llm.requests().at(-1)?.system ?? '';
    const order = [
      'SOULWORD',
      'USERWORD',
      'MEMORYWORD',
      'UNDERSTAND',
      'PLAN',
      'IMPLEMENT',
      'VERIFY',
      'COMMIT & REPORT',
    ];
    const places = order.map((word) => first.indexOf(word, first.indexOf('SOULWORD')));
    expect(places).toEqual([...places].sort((a, b) => a - b));
    expect(places[0]).toBeGreaterThanOrEqual(0);
    expect(first.indexOf('<environment>')).toBeGreaterThan(places[4] ?? 0);
    await ask(platform, dm, 'thanks', { text: 'thanks' });
    expect(world.llm.requests().at(-1)?.system).toBe(first);
    await world.restart();
    const before = world.llm.requests().length;
    world.llm.script(toolForEver);
    await ask(platform, dm, 'go on then', { text: 'limit of steps' });
    expect(world.llm.requests().length - before).toBe(30);
  });

  it.each([
    ['a viber without one', {}, {}, 30],
    ['a project where something else is configured', { maxSteps: 4 }, inProject(), 4],
    ['a project whose viber has its own number', { maxSteps: 4 }, inProject('maxSteps: 6\n'), 6],
  ])('%s gets its own number of steps', async (_name, config, more, steps) => {
    const { world, platform, dm } = await open(config, more);
    world.llm.script(toolForEver);
    await ask(platform, dm, 'fix the bug in src/login.ts', { text: 'limit of steps' });
    expect(world.llm.requests()).toHaveLength(steps);
    expect(world.llm.requests()[0]?.system.includes('UNDERSTAND')).toBe('prepare' in more);
  });
});

it('a model without its key is named in the log at the start and in the first answer, with what to set', async () => {
  const world = await openWorld({ config: { model: 'anthropic/claude-sonnet-5-5' } });
  const said = () => world.logs.map(({ msg }) => String(msg));
  await expect
    .poll(said)
    .toContainEqual(expect.stringMatching(/^no model answers until this is fixed: .*ANTHROPIC_API_KEY/));
  expect((await world.ask('hello')).text).toMatch(/^I have no key for anthropic yet.*ANTHROPIC_API_KEY/);
});
