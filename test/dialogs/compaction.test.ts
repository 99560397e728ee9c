/** Compaction as people meet it: /compact, the question to the owner, and a crash in the middle of it. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startLlm } from '../emulators/llm.ts';
import { startTelegram } from '../emulators/telegram.ts';
import { PROGRAM } from '../helpers/program.ts';
import { tempFolder } from '../helpers/temp.ts';
import { digestOf, isDigest } from '../runtime/memory/compaction-fixtures.ts';
import { ALEX, lastId, openWorld, type World } from './harness.ts';

const FACT = 'FACT: [Project Context] The blue safe holds the key';

function sessionOf(home: string): string {
  const folder = path.join(home, 'agents/default/sessions');
  const [name = ''] = fs.readdirSync(folder);
  return fs.readFileSync(path.join(folder, name), 'utf8');
}

const compactions = (home: string) => sessionOf(home).match(/^\{"type":"compaction"/gm) ?? [];

function logOf(home: string): string {
  const folder = path.join(home, 'workspace/memory');
  const logs = fs.readdirSync(folder).filter((name) => name.endsWith('.md'));
  return logs.map((name) => fs.readFileSync(path.join(folder, name), 'utf8')).join('\n');
}

function answerWell({ llm }: Pick<World, 'llm'>): void {
  llm.script((request) => ({ text: isDigest(request) ? digestOf(request) : 'Fine.' }));
}

describe('/compact', () => {
  it('says what it did and shows the summary, which the next request carries in place of the words', async () => {
    const world = await openWorld();
    answerWell(world);
    for (const text of ['Question number 1', FACT, 'Question number 2', 'Question number 3']) await world.ask(text);
    const originals = sessionOf(world.home);
    const reply = await world.ask('/compact');
    expect(reply.text).toContain("I put 6 messages into a summary; 1 fact is in today's log");
    expect(reply.text).toContain('They went through parts 1 to 2.');
    expect(logOf(world.home)).toContain('- The blue safe holds the key (memory_flush)');
    expect(sessionOf(world.home).startsWith(originals)).toBe(true);
    await world.ask('and now?');
    const request = world.llm.requests().at(-1);
    const said = JSON.stringify(request?.messages);
    expect(said).toContain('Summary of what was said before');
    expect(said).toContain('The blue safe holds the key');
    expect(said).not.toContain('Question number 1');
    expect(said).toContain('Question number 3');
  });

  it('says when there is nothing to compact', async () => {
    const world = await openWorld();
    expect((await world.ask('/compact')).text).toContain('There is nothing to compact');
    await world.ask('hello');
    // The answer is there a moment before the work is over.
    const compact = async () => (await world.ask('/compact')).text;
    await expect.poll(compact).toContain('There is nothing to compact');
    expect(world.llm.requests().filter(isDigest)).toEqual([]);
  });

  it('waits for the run under way and tells the end of it', async () => {
    const world = await openWorld();
    const go = Promise.withResolvers<void>();
    world.llm.script(async (request) => {
      if (isDigest(request)) return { text: digestOf(request) };
      if (request.lastUser.includes('slow')) await go.promise;
      return { text: 'Fine.' };
    });
    await world.ask('Question number 1');
    await world.ask('Question number 2');
    world.telegram.say(ALEX, 'slow');
    await world.llm.waitFor((request) => request.lastUser.includes('slow'));
    const first = await world.ask('/compact');
    expect(first.text).toContain("when I've finished");
    go.resolve();
    const told = await world.telegram.wait({ chat: ALEX, from: 'bot', text: 'into a summary;' });
    expect(told.text).toContain('I put 4 messages');
  });

  it('tells later when the model takes its time, and meanwhile other commands are answered', async () => {
    const world = await openWorld();
    answerWell(world);
    for (const text of ['Question number 1', 'Question number 2']) await world.ask(text);
    const go = Promise.withResolvers<void>();
    world.llm.script(async (request) => {
      await go.promise;
      return { text: digestOf(request) };
    });
    expect((await world.ask('/compact')).text).toContain("I'll tell you here when it is done");
    expect((await world.ask('/status')).text).toContain('runs so far');
    go.resolve();
    await world.telegram.wait({ chat: ALEX, from: 'bot', text: 'I put 2 messages' });
  });

  it('works without any model', async () => {
    const world = await openWorld({ offline: true });
    for (const text of ['Remember: the safe is blue.', 'I prefer tea.', 'hello']) await world.ask(text);
    const reply = await world.ask('/compact');
    expect(reply.text).toMatch(/I put 4 messages into a summary; 2 facts are in today's log/);
    expect(reply.text).toContain('the safe is blue');
  });
});

it('a run that waits for consent goes on after a compaction and a restart as if there had been none', async () => {
  const world = await openWorld();
  const call = { name: 'write_file', arguments: { path: 'workspace/note.md', content: 'kept' } };
  world.llm.script((request) => {
    if (isDigest(request)) return { text: digestOf(request) };
    if (request.toolResults.length > 0) return { text: `Written: ${request.lastUser}` };
    return request.lastUser.includes('please write') ? { toolCalls: [call] } : { text: 'Fine.' };
  });
  for (const text of ['Question number 1', 'Question number 2']) await world.ask(text);
  await world.ask('please write it down');
  expect((await world.ask('/compact')).text).toContain('I put 4 messages');
  expect((await world.ask('/compact')).text).toContain('nothing to compact');
  await world.restart();
  const before = lastId(world.telegram, ALEX);
  world.telegram.press(ALEX, 'Save');
  await world.telegram.wait({
    chat: ALEX,
    from: 'bot',
    after: before,
    text: 'Written: please write it',
  });
  expect(world.read('workspace/note.md')).toBe('kept');
});

it('a long conversation is compacted by itself, the owner is asked, and what they accept is known in the next task', async () => {
  const world = await openWorld({ config: { history: { maxMessages: 10 } } });
  answerWell(world);
  await world.ask(FACT);
  for (let n = 1; n < 14; n++) await world.ask(`Question number ${n}`);
  const asked = await world.telegram.wait({ chat: ALEX, from: 'bot', text: 'May I remember this?' });
  expect(asked.text).toContain('The blue safe holds the key');
  expect(compactions(world.home).length).toBeGreaterThan(0);
  await world.ask('and now?');
  expect(JSON.stringify(world.llm.requests().at(-1)?.messages)).toContain('The blue safe holds the key');
  expect(world.read('workspace/MEMORY.md')).not.toContain('blue safe');
  world.telegram.press(ALEX, 'Accept');
  // Whatever else is said there meanwhile.
  await world.telegram.wait({ chat: ALEX, from: 'bot', text: "I'll remember: The blue safe" });
  expect(world.read('workspace/MEMORY.md')).toContain('The blue safe holds the key');
  await world.ask('/new');
  world.telegram.say(ALEX, 'something else');
  const request = await world.llm.waitFor(({ lastUser }) => lastUser === 'something else');
  expect(request.system).toContain('The blue safe holds the key');
  expect(JSON.stringify(request.messages.slice(1))).not.toContain('blue safe');
});

it('a crash before the facts are kept, and one after it, lose nothing and double nothing', async () => {
  const telegram = await startTelegram();
  const llm = await startLlm();
  const home = tempFolder();
  const config = {
    model: 'local/test-model',
    providers: { local: { baseURL: llm.url, apiKey: 'none-needed' } },
    channels: {
      telegram: { token: telegram.token, apiRoot: telegram.url, access: { dm: 'allowlist', allow: [ALEX] } },
    },
    limits: { freeBytes: 0 },
    http: { port: 0 },
  };
  fs.writeFileSync(path.join(home, 'config.json'), JSON.stringify(config));
  const children = new Set<ReturnType<typeof spawn>>();
  onTestFinished(async () => {
    for (const child of children) child.kill('SIGKILL');
    await Promise.all([telegram.close(), llm.close()]);
  });
  const start = (at?: string) => {
    const env = { ...process.env, ...(at === undefined ? {} : { OPENVIBER_CRASH_AT: at }) };
    const child = spawn(process.execPath, [PROGRAM, 'start', '--home', home], { stdio: 'ignore', env });
    children.add(child);
    return once(child, 'exit').then(() => children.delete(child));
  };
  answerWell({ llm });
  const crashed = start('compaction-extracted');
  for (const text of ['Question number 1', FACT, 'Question number 2']) {
    const after = lastId(telegram, ALEX);
    telegram.say(ALEX, text);
    await telegram.wait({ chat: ALEX, from: 'bot', after });
  }
  telegram.say(ALEX, '/compact');
  await crashed;
  expect(compactions(home)).toHaveLength(0);
  expect(logOf(home)).not.toContain('blue safe');
  await start('compaction-flushed');
  // The flush is on the disk before the line is.
  expect(compactions(home)).toHaveLength(0);
  expect(logOf(home)).toContain('blue safe');
  start();
  const done = await telegram.wait({ chat: ALEX, from: 'bot', text: 'into a summary' });
  expect(done.text).toContain('I put 4 messages');
  expect(compactions(home)).toHaveLength(1);
  expect(logOf(home).match(/blue safe holds the key/g)).toHaveLength(1);
  const pending = fs.readdirSync(path.join(home, 'workspace/memory/suggestions'));
  expect(pending.filter((name) => name.endsWith('.json'))).toHaveLength(1);
});
