/** Finding, watching, stopping and moving tasks between people, platforms and groups. */

import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { commandSpecs } from '../../../src/runtime/commands/table.ts';
import { openTask } from '../../../src/workspace/tasks/index.ts';
import { COMMANDS } from '../../helpers/commands.ts';
import { among, codeIn, commandWorld, direct } from './fixtures.ts';

const alexTg = direct('telegram:1001');
const alexSlack = direct('slack:T1:U1');
const kimTg = direct('telegram:1002');
const kimDiscord = direct('discord:2002');
const alexInGroup = among('telegram:1001', '-100');
const kimInGroup = among('telegram:1002', '-100');
const guestInGroup = among('telegram:666', '-100');
const labels = (reply: { buttons?: { label: string }[][] }) => (reply.buttons ?? []).flat().map(({ label }) => label);

describe('/tasks', () => {
  it('lists a person’s tasks from every channel with where they live, the newest first', async () => {
    const w = await commandWorld();
    const first = await w.begin(alexTg, 'Launch plan');
    const thread = among('slack:T1:U1', 'C123', '17.2');
    const second = await w.begin(thread, 'Budget', {
      conversations: ['slack@bot:C123:17.2', 'telegram@bot:1001', 'telegram@bot:-100', 'discord@bot:9:8'],
    });
    await w.begin(kimTg, 'Kim’s secret');
    const { text, buttons } = await w.say(alexSlack, '/tasks', first);
    expect(text.indexOf(second)).toBeLessThan(text.indexOf(first));
    expect(text).toContain(`✓ done: \`${first}\` Launch plan (here), Telegram`);
    expect(text).toContain('Budget, Discord thread, Telegram group -100, Telegram, 1 more');
    expect(text).not.toContain('secret');
    expect(buttons?.flat()).toEqual([{ label: 'Open: Budget', command: 'open', args: second }]);
  });

  it('ends a line where a task has no place yet', async () => {
    const w = await commandWorld();
    const id = await w.begin(alexTg, 'baz', { conversations: [] });
    expect((await w.say(alexTg, '/tasks all')).text).toMatch(new RegExp(`${id}\` baz$`, 'm'));
  });

  it('shows everybody’s to the owner who asks for all, in a direct message only', async () => {
    const w = await commandWorld();
    await w.begin(kimTg, 'Kim’s secret');
    expect((await w.say(alexTg, '/tasks')).text).toContain('/tasks all');
    expect((await w.say(alexTg, '/tasks all')).text).toContain('secret');
    expect((await w.say(alexInGroup, '/tasks all')).text).not.toContain('secret');
    expect((await w.say(kimTg, '/tasks all')).text).not.toContain('everybody');
    expect((await w.say(direct('local:alex'), '/tasks')).text).toContain('secret');
  });

  it('lists in a group only the group’s, and does not say where else its people are', async () => {
    const w = await commandWorld();
    await w.begin(alexTg, 'Private matter');
    await w.begin(alexInGroup, 'Picnic', { conversations: ['telegram@bot:-100', 'telegram@bot:1001'] });
    await w.begin(among('telegram:1001', '-1001'), 'Another group');
    for (const spot of [alexInGroup, kimInGroup, guestInGroup]) {
      const { text } = await w.say(spot, '/tasks');
      expect(text).toContain('Picnic');
      expect(text).not.toMatch(/Private|Another|Telegram/);
    }
  });

  it('says so when there were too many newer tasks to find a person’s own', async () => {
    const w = await commandWorld();
    const kimTg = direct('telegram:1002');
    const id = await w.begin(kimTg, 'Old work');
    w.answering.maxRead = 20;
    expect((await w.say(kimTg, '/tasks')).text).not.toContain('newest 20');
    for (let n = 0; n < 20; n++) fs.mkdirSync(path.join(w.home.artifacts, `20990101-${String(n).padStart(5, 'a')}`));
    const { text } = await w.say(kimTg, '/tasks');
    expect(text).not.toContain('yet');
    expect(text).toContain('I looked through the newest 20 tasks only');
    expect((await w.say(kimTg, `/status ${id}`)).text).toContain('Old work');
  });

  it('lists in a channel a person’s own tasks of its threads, and nobody else’s', async () => {
    const w = await commandWorld();
    await w.begin(among('discord:2002', '50', '51'), 'Kim’s thread');
    await w.begin(among('discord:2009', '50', '52'), 'A private thread');
    const { text } = await w.say(among('discord:2002', '50'), '/tasks');
    expect(text).toContain('Kim’s thread');
    expect(text).not.toContain('private thread');
    expect(text).toContain('tasks in a direct message');
    expect((await w.say(among('discord:2002', '5'), '/tasks')).text).toContain('no tasks here');
  });
});

describe('/open', () => {
  it('continues a task on another platform: goal, plan with the next step, last answer, files', async () => {
    const w = await commandWorld();
    const id = await w.begin(alexTg, 'Launch plan');
    const steps = [
      { id: '1', title: 'Write it', status: 'done' as const },
      { id: '2', title: 'Check it', status: 'pending' as const },
    ];
    await openTask(w.home, id).plan.write({ goal: 'Launch', steps });
    await w.answered(id, 'The draft is ready.\nShall I go on?');
    await w.file(id, 'draft.md');
    const { text, files, elsewhere } = await w.say(alexSlack, `/open ${id}`);
    expect(text).toContain('We continue **Launch plan** here.');
    expect(text).toContain('Plan: 1/2 steps done, next: Check it (/viber plan).');
    expect(text).toContain('> The draft is ready.\n> Shall I go on?');
    expect(text).not.toContain('Everyone');
    expect(files?.map((file) => file.name)).toEqual(['draft.md']);
    expect(fs.readFileSync(files?.[0]?.path ?? '', 'utf8')).toBe('draft.md');
    expect(elsewhere).toEqual([]);
    expect((await w.task(id))?.conversations).toEqual(['telegram@bot:1001', 'slack@bot:DU1']);
  });

  it('attaches the ten newest files that fit and offers others; none with attach: ask', async () => {
    const w = await commandWorld();
    const id = await w.begin(alexTg, 'Many files');
    for (let n = 1; n <= 12; n++) await w.file(id, `f${n}.txt`);
    await w.file(id, 'big.txt', 'x'.repeat(2_000));
    w.attach.maxBytes = 1_000;
    const reply = await w.say(alexSlack, `/open ${id}`);
    expect(reply.files?.map((file) => file.name)).toEqual([12, 11, 10, 9, 8, 7, 6, 5, 4, 3].map((n) => `f${n}.txt`));
    expect(labels(reply)).toEqual(['Get big.txt', 'Get f2.txt', 'Get f1.txt']);
    // The buttons mean this task, also once the conversation is about another.
    const [button] = reply.buttons?.[0] ?? [];
    const got = await w.say(alexSlack, `/get ${button && 'args' in button ? button.args : ''}`);
    expect(got.files?.[0]).toMatchObject({ name: 'big.txt', size: 2_000 });
    w.attach.mode = 'ask';
    const asked = await w.say(alexSlack, `/open ${id}`);
    expect(asked.files).toEqual([]);
    expect(labels(asked)).toHaveLength(6);
  });

  it('does without a file that is gone', async () => {
    const w = await commandWorld();
    const id = await w.begin(alexTg, 'Lost file');
    await w.file(id, 'gone.txt');
    await w.file(id, 'here.txt');
    const gone = openTask(w.home, id)
      .artifacts.list()
      .find((file) => file.name === 'gone.txt');
    fs.rmSync(path.join(w.home.root, gone?.ref ?? 'x'));
    expect((await w.say(alexSlack, `/open ${id}`)).files?.map((file) => file.name)).toEqual(['here.txt']);
  });

  it('keeps a long answer’s code block from swallowing what follows', async () => {
    const w = await commandWorld();
    const id = await w.begin(alexTg, 'Code');
    await w.answered(id, `Here:\n\`\`\`js\n${'let x = 1;\n'.repeat(100)}\`\`\`\nDone.`);
    const { text } = await w.say(alexInGroup, `/open ${id}`);
    expect(text).not.toContain('```');
    expect(text).toContain('> let x = 1;');
    expect(text).toMatch(/Everyone here can see this task now\.$/);
  });

  it('tells the thread where its task went, and not the person who took it along', async () => {
    const w = await commandWorld();
    const thread = among('slack:T1:U1', 'C1', '17.1');
    const id = await w.begin(thread, 'Shared', { people: ['person:alex', 'person:kim'] });
    w.bound.set(id, [
      { address: thread.address, isDirect: false },
      { address: alexSlack.address, isDirect: true, person: 'alex' },
      { address: kimTg.address, isDirect: true, person: 'kim' },
    ]);
    const { elsewhere } = await w.say(alexTg, `/open ${id}`);
    const text = 'This task continues in Telegram (alex). You can still write here.';
    expect(elsewhere).toEqual([
      { address: thread.address, text },
      { address: kimTg.address, text },
    ]);
    const back = await w.say(thread, `/open ${id}`);
    expect(back.elsewhere).toEqual([
      { address: kimTg.address, text: 'This task continues in Slack #C1 thread (alex). You can still write here.' },
    ]);
  });

  it('brings a person’s private task into a group, and says that everyone sees it', async () => {
    const w = await commandWorld();
    const id = await w.begin(kimTg, 'Kim’s draft');
    // Neither the owner's role nor anybody else's id is enough there.
    for (const spot of [alexInGroup, guestInGroup]) {
      const { text } = await w.say(spot, `/open ${id}`);
      expect(text).toContain("I can't find a task");
      expect(text).not.toContain('draft');
    }
    expect((await w.task(id))?.conversations).toEqual(['telegram@bot:1002']);
    const { text } = await w.say(among('discord:2002', '50', '51'), `/open ${id}`);
    expect(text).toContain('Everyone here can see this task now.');
    expect((await w.say(among('discord:3', '50', '51'), `/plan ${id}`)).text).toContain('no plan yet');
    expect((await w.say(guestInGroup, `/plan ${id}`)).text).toContain("I can't find a task");
  });

  it('gives an owner anybody’s task in a direct message, a member nobody else’s', async () => {
    const w = await commandWorld();
    const kims = await w.begin(kimTg, 'Kim’s draft');
    const alexs = await w.begin(alexTg, 'Alex’s draft');
    expect((await w.say(alexSlack, `/open ${kims}`)).text).toContain('We continue');
    const refused = await w.say(kimDiscord, `/open ${alexs}`, kims);
    expect(refused.text).toBe(`I can't find a task \`${alexs}\` of yours. /viber tasks lists them.`);
    expect(refused.files).toBeUndefined();
  });

  it('asks which one, and is not confused by markup or an unknown id', async () => {
    const w = await commandWorld();
    expect((await w.say(alexTg, '/open')).text).toContain('/tasks');
    expect((await w.say(alexTg, '/open ../../etc')).text).toContain("I can't find a task");
    expect((await w.say(alexTg, '/open `**x**` @everyone')).text).not.toContain('``');
  });

  it('passes over a damaged record', async () => {
    const w = await commandWorld();
    const id = await w.begin(alexTg, 'Sound');
    const bad = await w.begin(alexTg, 'Bad');
    fs.writeFileSync(path.join(w.home.taskDir(bad), 'task.json'), '{"id":');
    expect((await w.say(alexSlack, `/open ${bad}`)).text).toContain("I can't find a task");
    expect((await w.say(alexSlack, `/open ${id}`)).text).toContain('We continue');
  });
});

describe('a task is watched and stopped from any channel', () => {
  it('by its id, by its people, with every account', async () => {
    const w = await commandWorld();
    const id = await w.begin(kimDiscord, 'Long job');
    const other = await w.begin(kimTg, 'Current');
    w.running.add(id);
    w.running.add(other);
    expect((await w.say(kimTg, `/status ${id}`, other)).text).toContain('**Long job**');
    expect((await w.say(kimTg, `/stop ${id}`, other)).text).toBe('Stopped: Long job.');
    expect([...w.running]).toEqual([other]);
    // The end of an id is enough.
    w.running.add(id);
    const end = id.slice(-5);
    if (/\d/.test(end)) expect((await w.say(kimTg, `/stop ${end}`, other)).text).toBe('Stopped: Long job.');
  });

  it('never the current one in place of an id that is unknown or somebody else’s', async () => {
    const w = await commandWorld();
    const alexs = await w.begin(alexTg, 'Alex’s');
    const kims = await w.begin(kimTg, 'Kim’s');
    w.running.add(alexs);
    w.running.add(kims);
    for (const id of [alexs, '20200101-aaaaa', 'zz9zz']) {
      expect((await w.say(kimDiscord, `/stop ${id}`, kims)).text).toContain("I can't find a task");
    }
    expect(w.running.size).toBe(2);
    expect((await w.say(kimDiscord, '/stop please', kims)).text).toBe('Stopped: Kim’s.');
  });

  it('in a group everyone looks, its people stop', async () => {
    const w = await commandWorld();
    const id = await w.begin(kimInGroup, 'Group job');
    w.running.add(id);
    expect((await w.say(guestInGroup, '/status', id)).text).toContain('Group job');
    expect((await w.say(guestInGroup, '/stop', id)).text).toBe(
      'Only people who take part in **Group job** may use /stop on it; ask one of them.',
    );
    expect((await w.say(guestInGroup, `/stop ${id}`)).text).toContain('Only people who take part in');
    // The same number on another platform is somebody else.
    expect((await w.say(among('discord:1002', '-100'), '/stop', id)).text).not.toContain('Stopped');
    expect((await w.say(kimInGroup, '/stop', id)).text).toContain('Stopped');
  });

  it('also when it was begun before the accounts were linked, and no more once they are not', async () => {
    const w = await commandWorld([{ name: 'alex', role: 'owner', ids: ['telegram:1001'] }]);
    const pat = direct('telegram:7');
    const second = direct('discord:7');
    const address = { channel: 'telegram', account: 'bot', chat: '7' };
    const code = w.pairing.request({ identity: 'telegram:7', channel: 'telegram', name: 'Pat', address }, Date.now());
    w.pairing.approve(code ?? '', Date.now());
    const before = await w.begin(pat, 'Old work');
    expect((await w.task(before))?.people).toEqual(['telegram:7']);
    w.links.redeem(codeIn(await w.say(pat, '/link')), { identity: 'discord:7', role: 'guest', isStranger: true });
    w.running.add(before);
    expect((await w.say(second, '/tasks')).text).toContain('Old work');
    expect((await w.say(second, `/stop ${before}`)).text).toBe('Stopped: Old work.');
    await w.say(pat, '/link remove discord:7');
    expect((await w.say(second, '/tasks')).text).not.toContain('Old work');
    expect((await w.say(second, `/open ${before}`)).text).toContain("I can't find a task");
  });

  it('and says in a direct message only where it goes on', async () => {
    const w = await commandWorld();
    const id = await w.begin(alexTg, 'Everywhere');
    w.bound.set(id, [
      { address: alexTg.address, isDirect: true, person: 'alex' },
      { address: among('slack:T1:U1', 'C1', '1.1').address, isDirect: false },
      { address: direct('discord:7').address, isDirect: true, person: 'alex' },
    ]);
    expect((await w.say(alexTg, '/status', id)).text).toContain('also in: Slack #C1 thread, Discord\n');
    expect((await w.say(alexInGroup, '/status', id)).text).not.toContain('also in');
  });
});

describe('/get and /artifacts', () => {
  it('send the file of that name, on whichever channel it was made; a second one has a number', async () => {
    const w = await commandWorld();
    const id = await w.begin(alexTg, 'Report');
    await w.file(id, 'report.md', 'old');
    await w.file(id, 'report.md', 'new');
    for (const [name, content] of [
      ['report.md', 'old'],
      ['report (2).md', 'new'],
    ] as const) {
      const { files } = await w.say(alexSlack, `/get ${name}`, id);
      expect(fs.readFileSync(files?.[0]?.path ?? '', 'utf8')).toBe(content);
    }
    expect((await w.say(alexSlack, '/get ALL', id)).files).toHaveLength(2);
  });

  it('offer the person’s tasks that have it when this one has not, and nobody else’s', async () => {
    const w = await commandWorld();
    const mine = await w.begin(kimTg, 'Mine');
    const file = await w.file(mine, 'notes.txt');
    await w.file(await w.begin(alexTg, 'Not mine'), 'notes.txt');
    const reply = await w.say(kimDiscord, '/get notes.txt');
    expect(reply.text).toContain('notes.txt in **Mine**');
    expect(reply.buttons?.flat()).toEqual([{ label: 'Get notes.txt', command: 'get', args: `${mine} ${file}` }]);
    expect((await w.say(kimDiscord, `/get ${mine} notes.txt`)).files?.[0]?.name).toBe('notes.txt');
    expect((await w.say(kimInGroup, '/get notes.txt')).buttons).toEqual([]);
    expect((await w.say(kimInGroup, `/get ${mine} notes.txt`)).text).toContain("I can't find a task");
    expect((await w.say(kimDiscord, `/artifacts ${mine}`)).text).toContain(`\`${file}\` notes.txt`);
  });

  it('say what is missing without repeating markup', async () => {
    const w = await commandWorld();
    const { text } = await w.say(kimTg, '/get `x` [y](http://z)');
    expect(text).toMatch(/^There is no file `[^`[\]()]*` in this task\. \/artifacts lists them\.$/);
    expect((await w.say(kimTg, '/get')).text).toBe('This task has no files yet.');
  });
});

it('/new in a place where every task has a thread says how to begin one', async () => {
  const w = await commandWorld();
  expect((await w.say({ ...among('discord:2002', '50'), opensThread: true }, '/new')).text).toContain('thread');
  expect((await w.say(kimTg, '/new')).text).toContain('next message');
});

it('every command tells what may follow it, within what platforms take', () => {
  const specs = commandSpecs(COMMANDS);
  expect(
    specs
      .filter((spec) => spec.argument)
      .map(({ name, argument }) => [name, argument?.name, argument?.suggests ?? false]),
  ).toEqual([
    ['help', 'all', false],
    ['new', 'goal', false],
    ['status', 'task', true],
    ['stop', 'task', true],
    ['queue', 'mode', false],
    ['steer', 'text', false],
    ['followup', 'text', false],
    ['plan', 'task', true],
    ['tasks', 'whose', false],
    ['open', 'task', true],
    ['artifacts', 'task', true],
    ['get', 'file', true],
    ['export', 'task', true],
    ['memory', 'words', false],
    ['jobs', 'action', false],
    ['play', 'playbook', false],
    ['skills', 'action', false],
    ['why', 'task', true],
    ['model', 'model', false],
    ['think', 'level', false],
    ['use', 'viber', true],
    ['live', 'mode', false],
    ['timezone', 'zone', false],
    ['link', 'code', false],
  ]);
  for (const { name, description, argument } of specs) {
    expect(name).toMatch(/^[a-z]{1,32}$/);
    expect(description.length).toBeLessThanOrEqual(100);
    expect(argument?.description.length ?? 0).toBeLessThanOrEqual(100);
  }
});
