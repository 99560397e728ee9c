import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { eventually } from '../helpers/eventually.ts';
import { breakSpool, keysIn } from '../helpers/spool.ts';
import { tree } from '../helpers/temp.ts';
import { ALEX, lastId, openWorld, STRANGER } from './harness.ts';

const lines = (file: string) =>
  file
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));

describe('a message on Telegram becomes a task and comes back with its files', () => {
  it('makes a plan and a file, survives a restart, goes on, and sends the file again', async () => {
    const world = await openWorld({ offline: true });
    const { telegram } = world;
    const planned = await world.ask('make a plan: collect numbers; write the report; send it to Kim');
    expect(planned.text).toContain('3 steps');
    const written = await world.ask('write a file report.md: Sales went up 4%.');
    expect(written.files.map(({ name, kind }) => ({ name, kind }))).toEqual([{ name: 'report.md', kind: 'document' }]);
    const bytes = telegram.bytes(written.files[0]?.fileId ?? '').toString();
    expect(bytes.trim()).toBe('Sales went up 4%.');
    await world.restart();
    expect((await world.ask('done 1')).text).toContain('collect numbers');
    expect(world.read(`${world.task()}/task.md`)).toMatch(/- \[x\] collect numbers\n- \[ \] write the report/);
    expect(fs.readlinkSync(path.join(world.home, 'workspace/task.md'))).toBe(path.join('..', world.task(), 'task.md'));
    const again = await world.ask('/get report.md');
    expect(again.files[0]?.sha256).toBe(written.files[0]?.sha256);
  });

  it('reads a document sent in, and a changed one comes back', async () => {
    const world = await openWorld();
    world.llm.script((request) => {
      const [result] = request.toolResults;
      if (request.toolResults.length === 0)
        return { toolCalls: [{ name: 'read_file', arguments: { path: 'notes.txt' } }] };
      if (request.toolResults.length === 1) {
        const content = String(JSON.parse(result ?? '{}').text ?? '').toUpperCase();
        return {
          toolCalls: [{ name: 'create_artifact', arguments: { title: 'NOTES.txt', type: 'text/plain', content } }],
        };
      }
      return { text: 'Here it is in upper case.' };
    });
    world.telegram.sendFile(ALEX, { name: 'notes.txt', text: 'milk and honey', caption: 'in capitals please' });
    const reply = await world.answer();
    expect(reply.text).toBe('Here it is in upper case.');
    expect(world.telegram.bytes(reply.files[0]?.fileId ?? '').toString()).toBe('MILK AND HONEY');
  });

  it('takes the files and captions of a rich message in', async () => {
    const world = await openWorld();
    world.telegram.hold('rich-1', { name: 'notes.txt', text: 'milk and honey' });
    const document = { file_id: 'rich-1', file_unique_id: 'r1', file_name: 'notes.txt', mime_type: 'text/plain' };
    const block = { type: 'document' as const, document, caption: { text: 'what is in it?', credit: 'Kim' } };
    world.telegram.say(ALEX, { extra: { rich_message: { blocks: [block] } } });
    await world.answer();
    expect(world.llm.requests()[0]?.lastUser).toMatch(/what is in it\?\n— Kim[\s\S]*notes\.txt/);
    const stored = Object.entries(tree(path.join(world.home, world.task())));
    expect(stored.some(([, content]) => content === 'milk and honey')).toBe(true);
  });

  it('puts goal, plan, memory and artifacts of the workspace before the model, stable text first', async () => {
    const world = await openWorld({
      prepare: (home) => {
        fs.mkdirSync(path.join(home, 'workspace'), { recursive: true });
        fs.writeFileSync(path.join(home, 'workspace', 'soul.md'), 'Speak like a pirate.');
        fs.writeFileSync(
          path.join(home, 'workspace', 'MEMORY.md'),
          '# Memory\n\n## User Preferences\n- Likes green tea\n',
        );
      },
    });
    world.llm.scriptFor('begin', [
      {
        toolCalls: [
          {
            name: 'update_plan',
            arguments: { plan: { goal: 'Tea', steps: [{ id: '1', title: 'Boil water', status: 'pending' }] } },
          },
        ],
      },
      { text: 'Planned.' },
    ]);
    await world.ask('begin');
    await world.ask('and now?');
    const request = world.llm.requests().at(-1);
    const prompt = JSON.stringify(request?.messages);
    const places = ['Speak like a pirate', 'Likes green tea', '"begin"', '- [ ] Boil water', '"and now?"'];
    const order = places.map((text) => prompt.indexOf(text));
    expect(order).toEqual([...order].sort((a, b) => a - b));
    expect(order).not.toContain(-1);
    expect(request?.lastUser).toBe('and now?');
    expect(request?.messages.map((message) => message.role)).toEqual([
      'system',
      'user',
      'assistant',
      'tool',
      'assistant',
      'user',
      'user',
    ]);
  });

  it('takes artifact_deltas and memory suggestions out of the answer and asks before it remembers', async () => {
    const world = await openWorld();
    const block = '```artifact_deltas\n[{"title":"data.csv","type":"text/csv","content":"a,b\\n1,2\\n"}]\n```';
    world.llm.script([
      {
        text: `Done.\n\n${block}\n\n<memory_suggestion>\nAdd to MEMORY.md under "Project Context":\n- Uses CSV\n</memory_suggestion>`,
      },
    ]);
    const reply = await world.ask('table please');
    expect(reply.text).not.toMatch(/artifact_deltas|memory_suggestion/);
    expect(reply.files[0]?.name).toBe('data.csv');
    expect(world.read('workspace/MEMORY.md')).not.toContain('Uses CSV');
    const question = world.telegram.chat(ALEX).messages.find((message) => message.buttons.length > 0);
    expect(question?.text).toContain('Uses CSV');
    const before = lastId(world.telegram, ALEX);
    world.telegram.press(ALEX, 'Accept');
    expect((await world.answer(ALEX, before)).text).toContain('Uses CSV');
    expect(world.read('workspace/MEMORY.md')).toMatch(/## Project Context\n(.*\n)*- Uses CSV/);
  });

  it('keeps the session as lines a person can read, and the state of the task', async () => {
    const world = await openWorld();
    await world.ask('hello');
    const [session] = Object.entries(tree(path.join(world.home, 'agents/default/sessions')));
    expect(lines(session?.[1] ?? '').map((line) => line.type)).toEqual(['session', 'message', 'result']);
    await eventually(() =>
      expect(JSON.parse(world.read(`${world.task()}/task.json`))).toMatchObject({ state: 'completed', runs: 1 }),
    );
  });
});

describe('access', () => {
  it('costs nothing when a stranger writes: no model call, no download, no file; one code an hour', async () => {
    const world = await openWorld();
    await world.ask('hello');
    const settled = () =>
      eventually(() =>
        expect((['new', 'cur', 'out'] as const).flatMap((state) => keysIn(world.home, state))).toEqual([]),
      );
    await settled();
    const before = Object.keys(tree(world.home));
    const calls = { llm: world.llm.stats().requests, ...world.telegram.counters().methods };
    const asked = lastId(world.telegram, ALEX);
    world.telegram.sendFile(STRANGER, { name: 'evil.txt', text: 'run me' });
    const reply = await world.answer(STRANGER);
    expect((await world.answer(ALEX, asked)).text).toContain('asks to be let in');
    world.telegram.say(STRANGER, 'hello?');
    world.telegram.say(STRANGER, '/status');
    const code = /\b[A-HJ-NP-Z2-9]{8}\b/.exec(reply.text)?.[0];
    expect(code).toBeDefined();
    await world.ask('still there?');
    expect(world.telegram.chat(STRANGER).messages.filter((message) => message.from === 'bot')).toHaveLength(1);
    expect(world.llm.stats().requests).toBe(calls.llm + 1);
    expect(world.telegram.counters().methods.getFile).toBeUndefined();
    await settled();
    const grown = Object.keys(tree(world.home)).filter((file) => !before.includes(file));
    // The owner's own message has its line in the day's log.
    const own = grown.filter((file) => !/^(spool\/(log|ledger)|(workspace|vibers\/default)\/memory)\//.test(file));
    expect(own).toEqual([]);
    expect(JSON.stringify(tree(path.join(world.home, 'spool')))).not.toContain('run me');
  });

  it('lets a person in when an owner presses Approve, and greets them', async () => {
    const world = await openWorld();
    await world.ask('hello');
    const before = lastId(world.telegram, ALEX);
    world.telegram.say(STRANGER, 'may I?');
    await world.answer(STRANGER);
    await world.answer(ALEX, before);
    world.telegram.press(ALEX, 'Approve');
    await world.telegram.wait({ chat: STRANGER, from: 'bot', text: "You're in" });
    await world.telegram.wait({ chat: STRANGER, from: 'bot', text: 'may I?' });
    expect((await world.ask('thank you', STRANGER)).text).toBe('thank you');
    expect(await (await world.ask('/memory accept x', STRANGER)).text).toContain('Only an owner');
  });

  it('lets nobody approve who is not an owner', async () => {
    const world = await openWorld({ telegram: { access: { dm: 'open' } } });
    expect((await world.ask('/pair approve ABCDEFGH', STRANGER)).text).toContain('may not');
    expect((await world.ask('/memory', STRANGER)).text).toContain('may not');
  });

  it('answers in a listed group when addressed, as a reply, and nowhere else', async () => {
    const world = await openWorld({ telegram: { access: { groups: 'mention', chats: ['-100500'] } } });
    const { telegram } = world;
    telegram.addChat({ id: -100500, type: 'supergroup', title: 'Team' }, { members: [ALEX, STRANGER] });
    telegram.addChat({ id: -100501, type: 'supergroup', title: 'Other' }, { members: [ALEX] });
    telegram.say(-100500, { from: STRANGER, text: 'just chatting' });
    telegram.say(-100501, { from: ALEX, text: '@viber_test_bot hello' });
    const asked = telegram.say(-100500, { from: STRANGER, text: '@viber_test_bot what is up' });
    const reply = await world.answer(-100500);
    expect(reply.text).toContain('what is up');
    expect(reply.replyTo).toBe(asked.message_id);
    const followed = telegram.say(-100500, { from: ALEX, text: 'and then?', replyTo: reply.id });
    expect((await world.answer(-100500, followed.message_id)).text).toContain('and then?');
    expect(telegram.chat(-100501).messages.filter((message) => message.from === 'bot')).toEqual([]);
    expect(world.llm.stats().requests).toBe(2);
  });

  it('opens a private task in a group for its own person alone, and says what that means', async () => {
    const people = [
      { name: 'alex', role: 'member', ids: [`telegram:${ALEX}`] },
      { name: 'kim', role: 'owner', ids: [`telegram:${STRANGER}`] },
    ];
    const world = await openWorld({ telegram: { access: { chats: ['*'] } }, config: { people } });
    world.telegram.addChat({ id: -100500, type: 'supergroup', title: 'Team' }, { members: [ALEX, STRANGER] });
    await world.ask('a private matter');
    const text = `/open ${path.basename(world.task())}`;
    const asked = world.telegram.say(-100500, { from: STRANGER, text });
    const refusal = await world.answer(-100500, asked.message_id);
    expect(refusal.text).toContain("can't find a task");
    expect(refusal.text).not.toContain('private matter');
    const again = world.telegram.say(-100500, { from: ALEX, text });
    const recap = await world.answer(-100500, again.message_id);
    expect(recap.text).toContain('a private matter');
    expect(recap.text).toContain('Everyone here can see this task now');
  });

  it('goes on with the same task when a group becomes a supergroup', async () => {
    const world = await openWorld({ telegram: { access: { chats: ['*'] } } });
    world.telegram.addChat({ id: -77, type: 'group', title: 'Team' }, { members: [ALEX] });
    world.telegram.say(-77, { from: ALEX, text: '@viber_test_bot before' });
    await world.answer(-77);
    const moved = world.telegram.migrate(-77);
    await eventually(() => expect(JSON.stringify(world.logs)).toContain('channels.telegram.access.chats'));
    world.telegram.say(moved, { from: ALEX, text: '@viber_test_bot after' });
    await world.answer(moved);
    expect(world.task()).toBeDefined();
    expect(JSON.stringify(world.llm.requests().at(-1)?.messages)).toContain('before');
  });

  it('keeps forum topics apart, the General topic too', async () => {
    const world = await openWorld({ telegram: { access: { chats: ['*'], groups: 'all' } } });
    const { telegram } = world;
    telegram.addChat({ id: -100500, type: 'supergroup', title: 'Team', is_forum: true }, { members: [ALEX] });
    const topic = telegram.topic(-100500, 'Cooking');
    telegram.say(-100500, { from: ALEX, text: 'in general' });
    telegram.say(-100500, { from: ALEX, text: 'in the topic', thread: topic });
    await telegram.wait({ chat: -100500, from: 'bot', count: 2 });
    const bot = telegram.chat(-100500).messages.filter((message) => message.from === 'bot');
    expect(bot.map(({ text, thread }) => [text.includes('in general'), thread]).sort()).toEqual([
      [false, topic],
      [true, undefined],
    ]);
    expect(fs.readdirSync(path.join(world.home, 'artifacts'))).toHaveLength(2);
  });
});

describe('commands', () => {
  it('answers each of them, and what is unknown', async () => {
    const world = await openWorld({ offline: true });
    expect((await world.ask('/start')).text).toContain('/tasks');
    expect((await world.ask('/status')).text).toContain('no task');
    await world.ask('make a plan: one; two; three');
    await world.ask('write a file a.txt: hello');
    expect((await world.ask('/status')).text).toMatch(/plan: 0\/3/);
    expect((await world.ask('/plan')).text).toContain('two');
    expect((await world.ask('/artifacts')).text).toContain('a.txt');
    expect((await world.ask('/get nothing')).text).toContain('no file');
    expect((await world.ask('/stop')).text).toContain('nothing to stop');
    expect((await world.ask('/nonsense')).text).toContain('/help');
    expect((await world.ask('/memory')).text).toContain('memory is empty');
  });

  it('takes its own commands in a group, and leaves those of other bots to them', async () => {
    const world = await openWorld({ telegram: { access: { chats: ['*'] } } });
    const { telegram } = world;
    telegram.addChat({ id: -100500, type: 'supergroup', title: 'Team' }, { members: [ALEX, STRANGER] });
    const foreign = telegram.say(-100500, { from: STRANGER, text: '/weather Berlin' });
    telegram.edit(-100500, foreign.message_id, '/weather Hamburg');
    const asked = telegram.say(-100500, { from: STRANGER, text: '/status' });
    expect((await world.answer(-100500, asked.message_id)).text).toContain('no task');
    const begun = telegram.say(-100500, { from: STRANGER, text: '/new tea for two' });
    expect((await world.answer(-100500, begun.message_id)).text).toContain('tea for two');
    const before = lastId(telegram, -100500);
    telegram.edit(-100500, begun.message_id, '/new tea for three');
    expect((await world.answer(-100500, before)).text).toContain('tea for three');
    const named = telegram.say(-100500, { from: STRANGER, text: '/weather@viber_test_bot' });
    expect((await world.answer(-100500, named.message_id)).text).toContain('/help');
    expect(JSON.stringify(world.llm.requests())).not.toMatch(/Berlin|Hamburg/);
    expect(telegram.chat(-100500).messages.filter((message) => message.from === 'bot')).toHaveLength(4);
  });

  it('begins another task with /new and goes back with /open', async () => {
    const world = await openWorld({ offline: true });
    await world.ask('make a plan: first; second');
    const firstId = path.basename(world.task());
    await world.ask('/new');
    expect((await world.ask('/plan')).text).toContain('no plan');
    await world.ask('write a file b.txt: hello');
    const listed = await world.ask('/tasks');
    expect(listed.text).toContain(firstId);
    const recap = await world.ask(`/open ${firstId.slice(-5)}`);
    expect(recap.text).toMatch(/Plan: 0\/2/);
    expect((await world.ask('/plan')).text).toContain('second');
    expect((await world.ask('/open nonsense')).text).toContain("can't find a task");
  });

  it('shows nobody the tasks of others', async () => {
    const world = await openWorld({ telegram: { access: { dm: 'open' } } });
    await world.ask('my secret plans');
    const id = path.basename(world.task());
    expect((await world.ask(`/open ${id}`, STRANGER)).text).toContain("can't find a task");
    expect((await world.ask('/tasks', STRANGER)).text).not.toContain(id);
  });

  it('stops a run at once, answers once, and no completion follows', async () => {
    const world = await openWorld();
    world.llm.script([{ text: 'never', delayMs: 60_000 }]);
    world.telegram.say(ALEX, 'work for long');
    await eventually(() => expect(world.llm.stats().active).toBe(1));
    const reply = await world.ask('/stop');
    expect(reply.text).toContain('Stopped');
    await eventually(() => expect(world.llm.stats()).toMatchObject({ active: 0, aborted: 1 }));
    expect((await world.ask('go on')).text).toBe('go on');
    expect(world.telegram.chat(ALEX).messages.filter((message) => message.from === 'bot')).toHaveLength(2);
  });
});

describe('trouble', () => {
  it('says in one sentence what failed, with a trace id and a button', async () => {
    const world = await openWorld();
    world.llm.fault('unauthorized');
    const reply = await world.ask('hello');
    expect(reply.text).toMatch(/providers\.local\.apiKey/);
    expect(reply.text).toMatch(/trace [0-9a-f]{12}/);
    expect(reply.text).not.toContain('sk-test');
    const before = lastId(world.telegram, ALEX);
    world.telegram.press(ALEX, 'Retry');
    expect((await world.answer(ALEX, before)).text).toBe('hello');
  });

  it('answers a message given four times once, also after a restart', async () => {
    const world = await openWorld();
    const update = {
      update_id: 900_000_001,
      message: {
        message_id: 77,
        date: 1_800_000_000,
        chat: { id: ALEX, type: 'private', first_name: 'Alex' },
        from: { id: ALEX, is_bot: false, first_name: 'Alex' },
        text: 'once',
      },
    };
    for (let n = 0; n < 2; n++) world.telegram.sendUpdate(update);
    await world.answer();
    await world.restart();
    for (let n = 0; n < 2; n++) world.telegram.sendUpdate({ ...update, update_id: update.update_id + 1 + n });
    await world.ask('other');
    expect(world.llm.requests().map((request) => request.lastUser)).toEqual(['once', 'other']);
  });

  it('keeps an answer that cannot be written, and gives it later without asking the model again', async () => {
    const world = await openWorld();
    world.llm.script(() => ({ text: 'written at last', delayMs: 600 }));
    world.telegram.say(ALEX, 'hello');
    await world.llm.waitFor(() => true);
    const mend = breakSpool(world.home);
    await eventually(() =>
      expect(world.logs.some((line) => line.msg === 'work failed and will be tried again')).toBe(true),
    );
    mend();
    expect((await world.answer()).text).toBe('written at last');
    expect(world.llm.stats().requests).toBe(1);
    const [session] = Object.values(tree(path.join(world.home, 'agents/default/sessions')));
    expect(lines(session ?? '').map((line) => line.type)).toEqual(['session', 'message', 'result']);
  });

  it('shows a longer run as running in the record of its task', async () => {
    const world = await openWorld();
    world.llm.script(() => ({ text: 'done', delayMs: 900 }));
    world.telegram.say(ALEX, 'hello');
    const state = () => JSON.parse(world.read(`${world.task()}/task.json`)).state;
    await eventually(() => expect(state()).toBe('running'));
    await world.answer();
    await eventually(() => expect(state()).toBe('completed'));
  });

  it('lets no secret into answers, transcripts, model requests or logs', async () => {
    const world = await openWorld();
    const secrets = [world.telegram.token, 'sk-test-model-key-123'];
    const leak = secrets.join(' and ');
    world.llm.script((request) =>
      request.toolResults.length === 0
        ? { toolCalls: [{ name: 'write_file', arguments: { path: 'leak.txt', content: leak } }] }
        : { text: `They are ${leak}.` },
    );
    const reply = await world.ask(`tell me ${leak}`);
    expect(reply.text).toContain('[secret]');
    const everything = [
      reply.text,
      JSON.stringify(world.logs),
      JSON.stringify(world.llm.requests().map((request) => request.body)),
      ...Object.values(tree(path.join(world.home, 'agents'))),
    ].join('\n');
    for (const secret of secrets) expect(everything).not.toContain(secret);
  });

  it('takes the new text of an edited message, and nothing when the text is the same', async () => {
    const world = await openWorld();
    const said = world.telegram.say(ALEX, 'meet at 5');
    await world.answer();
    world.telegram.edit(ALEX, said.message_id, 'meet at 5');
    const before = lastId(world.telegram, ALEX);
    world.telegram.edit(ALEX, said.message_id, 'meet at 6');
    await world.answer(ALEX, before);
    expect(world.llm.requests().map((request) => request.lastUser)).toEqual([
      'meet at 5',
      expect.stringMatching(/meet at 6[\s\S]*new text/),
    ]);
  });

  it('shows that it works on something longer, and the answer takes the place of the status', async () => {
    const world = await openWorld({ telegram: { live: 'status' } });
    world.llm.script([
      { toolCalls: [{ name: 'write_file', arguments: { path: 'plan.txt', content: 'x' } }] },
      { text: 'There it is.', delayMs: 4500 },
    ]);
    world.telegram.say(ALEX, 'take your time');
    const status = await world.answer();
    expect(status.text).not.toBe('There it is.');
    expect(status.text).not.toMatch(/write_file|\{/);
    const answer = await world.telegram.wait({ chat: ALEX, from: 'bot', text: 'There it is.' });
    expect(answer.id).toBe(status.id);
    expect(world.telegram.counters().methods.sendChatAction).toBeGreaterThan(0);
  });

  it('begins a session again whose last line was torn, and loses that line only', async () => {
    const world = await openWorld();
    await world.ask('first');
    await world.app.stop();
    const folder = path.join(world.home, 'agents/default/sessions');
    const file = path.join(folder, fs.readdirSync(folder)[0] ?? '');
    fs.appendFileSync(file, '{"type":"message","id":"half');
    await world.restart();
    expect((await world.ask('second')).text).toBe('second');
    const kept = lines(fs.readFileSync(file, 'utf8'));
    expect(kept.map((line) => line.text).filter(Boolean)).toEqual(['first', 'first', 'second', 'second']);
    expect(fs.readFileSync(`${file}.bad`, 'utf8')).toContain('half');
  });

  it('takes an album as one message', async () => {
    const world = await openWorld();
    world.telegram.sendAlbum(
      ALEX,
      [
        { name: 'a.txt', text: 'A' },
        { name: 'b.txt', text: 'B' },
        { name: 'c.txt', text: 'C' },
      ],
      { caption: 'three files' },
    );
    await world.answer();
    expect(world.llm.stats().requests).toBe(1);
    expect(world.llm.requests()[0]?.lastUser).toMatch(/three files[\s\S]*a\.txt[\s\S]*b\.txt[\s\S]*c\.txt/);
  });

  it.each([
    ['first', 0],
    ['last', 2],
  ])('takes an album in a group as one message when only its %s part mentions the bot', async (_what, at) => {
    const world = await openWorld({ telegram: { access: { chats: ['*'] } } });
    world.telegram.addChat({ id: -100500, type: 'supergroup', title: 'Team' }, { members: [ALEX] });
    const files = ['a.txt', 'b.txt', 'c.txt'].map((name, index) => ({
      ...{ name, text: name },
      ...(index === at && { caption: '@viber_test_bot compare these' }),
    }));
    world.telegram.sendAlbum(-100500, files, { from: ALEX });
    await world.answer(-100500);
    expect(world.llm.stats().requests).toBe(1);
    const said = world.llm.requests()[0]?.lastUser ?? '';
    for (const { name } of files) expect(said).toContain(name);
    expect(said).toContain('compare these');
  });

  it('takes the rest of an album in a group after a restart in its middle', async () => {
    const world = await openWorld({ telegram: { access: { chats: ['*'] } } });
    world.telegram.addChat({ id: -100500, type: 'supergroup', title: 'Team' }, { members: [ALEX] });
    const extra = { media_group_id: '77' };
    world.telegram.sendFile(-100500, { name: 'a.txt', text: 'A', from: ALEX, caption: '@viber_test_bot look', extra });
    await eventually(() => expect(world.logs.some(({ msg }) => msg === 'accepted')).toBe(true));
    // However long a stop takes, nothing tells Telegram meanwhile that the album's first part was taken.
    world.telegram.fault({ method: 'getUpdates', times: 10_000, kind: 'status', status: 502 });
    await world.restart();
    world.telegram.sendFile(-100500, { name: 'b.txt', text: 'B', from: ALEX, extra });
    world.telegram.clearFaults();
    const heard = () => JSON.stringify(world.llm.requests().map((request) => request.messages));
    await eventually(() => expect(heard()).toMatch(/a\.txt[\s\S]*b\.txt/));
  });

  it('tells of a file that is too large and works on the rest', async () => {
    const world = await openWorld();
    world.telegram.sendFile(ALEX, { name: 'film.mp4', size: 25 * 1024 * 1024, caption: 'look' });
    await world.answer();
    expect(world.llm.requests()[0]?.lastUser).toMatch(/film\.mp4[\s\S]*20 MB/);
  });

  it('stores a file with a hostile name under a name of its own', async () => {
    const world = await openWorld();
    world.telegram.sendFile(ALEX, { name: '../../../etc/passwd\u202egnp.exe', text: 'x' });
    await world.answer();
    const files = Object.keys(tree(world.home));
    expect(files.some((file) => file.includes('passwd'))).toBe(false);
    expect(
      files.filter((file) => file.startsWith('artifacts/')).every((file) => /^artifacts\/[\w-]+\/[\w.-]+$/.test(file)),
    ).toBe(true);
  });

  it('refuses visibly what is too much: told once, nothing half done, owners not counted', async () => {
    const world = await openWorld({
      telegram: { access: { dm: 'open' } },
      config: { limits: { freeBytes: 0, messagesPerMinute: 2 } },
    });
    for (const text of ['one', 'two', 'three', 'four']) world.telegram.say(STRANGER, text);
    const refusal = await world.telegram.wait({ chat: STRANGER, from: 'bot', text: 'too many messages' });
    await world.telegram.wait({ chat: STRANGER, from: 'bot', count: 3 });
    expect(refusal.text).toMatch(/didn't accept the last one/);
    for (const text of ['a', 'b', 'c']) expect((await world.ask(text)).text).toBe(text);
    const said = world.llm.requests().map((request) => request.lastUser);
    expect(said).toEqual(['one', 'two', 'a', 'b', 'c']);
  });

  it('says when a conversation has too many messages waiting, and works off those it took', async () => {
    const world = await openWorld({ config: { limits: { freeBytes: 0, queue: 2 } } });
    world.llm.script((request) => ({ text: request.lastUser, delayMs: request.lastUser === 'one' ? 700 : 0 }));
    world.telegram.say(ALEX, 'one');
    await world.llm.waitFor((request) => request.lastUser === 'one');
    for (const text of ['two', 'three', 'four']) world.telegram.say(ALEX, text);
    await world.telegram.wait({ chat: ALEX, from: 'bot', text: "didn't accept this message" });
    await world.telegram.wait({ chat: ALEX, from: 'bot', text: 'three' });
    expect(world.llm.requests().map((request) => request.lastUser)).toEqual(['one', 'two', 'three']);
  });

  it('keeps the messages of a conversation in order while others go on', async () => {
    const world = await openWorld({ telegram: { access: { dm: 'open' } } });
    const chats = Array.from({ length: 10 }, (_, n) => 2000 + n);
    world.telegram.burst(chats, 10, 'n');
    await eventually(() =>
      expect(
        chats.every((chat) => world.telegram.chat(chat).messages.filter((m) => m.from === 'bot').length === 10),
      ).toBe(true),
    );
    for (const chat of chats) {
      const said = world.telegram
        .chat(chat)
        .messages.filter((message) => message.from === 'bot')
        .map((message) => message.text);
      expect(said).toEqual(Array.from({ length: 10 }, (_, n) => `n${n + 1}`));
    }
  });

  it('obeys 429 exactly and loses nothing', async () => {
    const world = await openWorld();
    world.telegram.fault({ method: 'sendMessage', kind: 'status', status: 429, retryAfter: 1 });
    const began = Date.now();
    expect((await world.ask('hello')).text).toBe('hello');
    expect(Date.now() - began).toBeGreaterThanOrEqual(1000);
    expect(world.telegram.counters().early).toBe(0);
  });

  it('delivers after an outage, in order', async () => {
    const world = await openWorld();
    await world.ask('warm');
    await world.telegram.outage('refuse');
    for (const text of ['one', 'two', 'three']) world.telegram.say(ALEX, text);
    await expect.poll(() => world.logs.some(({ state }) => state === 'reconnecting')).toBe(true);
    await world.telegram.outage();
    await world.telegram.wait({ chat: ALEX, from: 'bot', text: 'three' });
    const bot = world.telegram
      .chat(ALEX)
      .messages.filter((message) => message.from === 'bot')
      .map((message) => message.text);
    expect(bot).toEqual(['warm', 'one', 'two', 'three']);
  });
});
