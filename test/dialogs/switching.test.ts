/** One context on all three: what is begun on one platform goes on where the person is next. */
import { describe, expect, it } from 'vitest';
import { onThreads, openChat } from '../kit/kit.ts';
import { ask, waitFor } from '../platforms/platform.ts';
import { openPlatforms } from '../platforms/world.ts';

describe('one person on three platforms', () => {
  it('has one task in direct messages: plan, files, memory and transcript go along, also through a SIGKILL', async () => {
    const world = await openPlatforms({ offline: true, process: true });
    const { telegram, discord, slack } = world.platforms;
    await ask(telegram, telegram.dm('alex'), 'make a plan: collect numbers; write the report; send it to Kim');
    const written = await ask(telegram, telegram.dm('alex'), 'write a file report.md: Sales went up 4%.');
    const asked = await ask(telegram, telegram.dm('alex'), 'remember that Kim likes short reports');
    const before = telegram.answers(telegram.dm('alex')).length;
    expect(asked.buttons).toContain('Accept');
    await telegram.press(telegram.dm('alex'), 'Accept');
    await waitFor(telegram, telegram.dm('alex'), { after: before });
    const [task = ''] = world.tasks();
    const hashes = world.hashes(task);
    expect(Object.keys(hashes).length).toBeGreaterThanOrEqual(3);
    await world.kill();
    const plan = await slack.command(slack.dm('alex'), 'plan');
    expect(plan.text).toMatch(/collect numbers[\s\S]*write the report[\s\S]*send it to Kim/);
    const again = await ask(discord, discord.dm('alex'), 'list files');
    expect(again.text).toContain('report.md');
    const sent = discord.answers(discord.dm('alex')).length;
    await discord.command(discord.dm('alex'), 'get', 'report.md');
    const got = await waitFor(discord, discord.dm('alex'), { after: sent, file: 'report.md' });
    expect(got.files[0]?.sha256).toBe(written.files[0]?.sha256);
    expect(world.hashes(task)).toEqual(hashes);
    expect(world.tasks()).toEqual([task]);
    const ticked = await ask(slack, slack.dm('alex'), 'done 1');
    expect(ticked.text).toContain('collect numbers');
    expect((await telegram.command(telegram.dm('alex'), 'plan')).text).toContain('1 of 3 done');
  });

  it('puts the same conversation before the model wherever the next words come from', async () => {
    const world = await openPlatforms();
    const { telegram, discord, slack } = world.platforms;
    await ask(telegram, telegram.dm('alex'), 'my favourite is the blue one');
    await ask(discord, discord.dm('alex'), 'no, the green one');
    await ask(slack, slack.dm('alex'), 'which one is it?');
    const said = world.llm
      .requests()
      .at(-1)
      ?.messages.map((message) => JSON.stringify(message.content))
      .join('\n');
    expect(said).toMatch(/the blue one[\s\S]*the green one[\s\S]*which one is it/);
  });

  it('opens a task of Telegram in a thread of Discord, with its files, and says where it went', async () => {
    const world = await openPlatforms({ offline: true });
    const { telegram, discord, slack } = world.platforms;
    await ask(telegram, telegram.dm('alex'), 'make a plan: one; two');
    const written = await ask(telegram, telegram.dm('alex'), 'write a file notes.md: hello');
    const [task = ''] = world.tasks();
    const listed = await slack.command(slack.dm('alex'), 'tasks');
    expect(listed.text).toContain(task);
    const pointer = await discord.command(discord.room, 'open', task);
    const [thread] = discord.threads();
    if (!thread) throw new Error('no thread was opened');
    expect(pointer.text).toContain(thread.thread);
    const recap = await waitFor(discord, thread, { file: 'notes.md' });
    expect(recap.files[0]?.sha256).toBe(written.files[0]?.sha256);
    const words = discord
      .answers(thread)
      .map((seen) => seen.text)
      .join('\n');
    expect(words).toMatch(/0\/2/);
    expect(words).toMatch(/everyone here/i);
    expect((await ask(discord, thread, 'done 1')).text).toContain('one');
    expect(world.tasks()).toEqual([task]);
    expect((await telegram.command(telegram.dm('alex'), 'plan')).text).toContain('1 of 2 done');
  });

  it('shows a thread where its task went on, and can be stopped and watched from elsewhere', async () => {
    const world = await openPlatforms();
    const { telegram, slack } = world.platforms;
    const said = slack.say(slack.room, 'look into the numbers', { mention: true });
    await waitFor(slack, slack.answerPlace(said));
    const [task = ''] = world.tasks();
    const opened = await telegram.command(telegram.dm('alex'), 'open', task);
    expect(opened.text).toContain('look into the numbers');
    await waitFor(slack, slack.answerPlace(said), { text: /telegram/i });
    world.llm.script(() => ({ text: 'never', delayMs: 20_000 }));
    slack.say(slack.answerPlace(said), 'and the costs');
    await world.llm.waitFor((request) => request.lastUser.includes('and the costs'));
    expect((await telegram.command(telegram.dm('alex'), 'status')).text).toContain('working');
    const stopped = await telegram.command(telegram.dm('alex'), 'stop');
    expect(stopped.text).toContain('Stopped');
    expect(slack.answers(slack.answerPlace(said)).map((seen) => seen.text)).not.toContain('never');
  });

  it('links a second account with a code, once, in direct messages only', async () => {
    const world = await openPlatforms({
      offline: true,
      linked: false,
      config: { people: [{ name: 'alex', role: 'owner', ids: ['telegram:1001'] }] },
    });
    const { telegram, discord, slack } = world.platforms;
    await ask(telegram, telegram.dm('alex'), 'make a plan: one; two; three');
    const shown = await telegram.command(telegram.dm('alex'), 'link');
    const code = /[A-HJ-NP-Z2-9]{8}/.exec(shown.text)?.[0] ?? '';
    expect(code).not.toBe('');
    expect((await discord.command(discord.dm('alex'), 'link', code)).text).toMatch(/alex/);
    expect((await discord.command(discord.dm('alex'), 'plan')).text).toContain('0 of 3 done');
    expect((await slack.command(slack.dm('sam'), 'link', code)).text).not.toMatch(/alex/);
    expect((await ask(discord, discord.dm('alex'), 'done 2')).text).toContain('two');
    expect((await telegram.command(telegram.dm('alex'), 'plan')).text).toContain('1 of 3 done');
  });

  it('separates an account that is removed: what was begun stays with the person, and neither sees anything later', async () => {
    const world = await openPlatforms({
      ...{ offline: true, linked: false },
      config: {
        people: [{ name: 'alex', role: 'member', ids: ['telegram:1001'] }],
      },
      channel: { access: { dm: 'open' } },
    });
    const { telegram, discord } = world.platforms;
    const [desk, phone] = [discord.dm('alex'), telegram.dm('alex')];
    await ask(discord, desk, 'make a plan: before linking; and so on');
    const [before = ''] = world.tasks();
    const shown = await telegram.command(phone, 'link');
    const code = /[A-HJ-NP-Z2-9]{8}/.exec(shown.text)?.[0] ?? '';
    await discord.command(desk, 'link', code);
    await telegram.command(phone, 'new');
    await ask(discord, desk, 'make a plan: while linked; and so on');
    const during = world.tasks().find((task) => task !== before) ?? '';
    const account = /(discord:\d+)/.exec((await telegram.command(phone, 'link', 'list')).text)?.[1] ?? '';
    expect((await telegram.command(phone, 'link', `remove ${account}`)).text).toContain('on its own again');
    // A second time there is nothing left to remove, and the list shows nobody else.
    expect((await telegram.command(phone, 'link', `remove ${account}`)).text).not.toContain('on its own again');
    expect((await telegram.command(phone, 'link', 'list')).text).not.toContain(account);
    const listed = (await telegram.command(phone, 'tasks')).text;
    expect(listed).toContain(before);
    expect(listed).toContain(during);
    expect((await discord.command(desk, 'plan')).text).not.toMatch(/before linking|while linked/);
    await ask(discord, desk, 'make a plan: after removal; and so on');
    const after = world.tasks().find((task) => task !== before && task !== during) ?? '';
    const alone = (await discord.command(desk, 'tasks')).text;
    expect(alone).toContain(after);
    for (const task of [before, during]) {
      expect(alone).not.toContain(task);
      expect((await discord.command(desk, 'open', task)).text).not.toMatch(/linking|linked/);
    }
    expect((await telegram.command(phone, 'tasks')).text).not.toContain(after);
    // What is going on with the person is not shown where the account reads now.
    const seen = discord.answers(desk).length;
    expect((await ask(telegram, phone, 'done 1')).text).toMatch(/linked|linking/);
    expect(discord.answers(desk)).toHaveLength(seen);
  });
});

describe.each(onThreads)('a thread on %s', (name) => {
  it('belongs to a task: no mention needed in it, everybody let in speaks, its people alone stop it', async () => {
    const { world, platform } = await openChat({}, name);
    const said = platform.say(platform.room, 'plan the party', { mention: true });
    const thread = platform.answerPlace(said);
    await waitFor(platform, thread);
    world.llm.script(() => ({ text: 'busy', delayMs: 1_500 }));
    const before = platform.answers(thread).length;
    platform.say(thread, 'and a cake', { by: 'sam' });
    const request = await world.llm.waitFor((each) => JSON.stringify(each.messages).includes('and a cake'));
    expect(JSON.stringify(request.messages.at(-1))).toMatch(/Sam|sam|bea/i);
    await waitFor(platform, thread, { after: before, text: 'busy' });
    expect(world.tasks()).toHaveLength(1);
    const task = JSON.parse(world.read(`artifacts/${world.tasks()[0]}/task.json`));
    expect(task.people).toEqual(['person:alex']);
    platform.say(platform.room, 'nobody asked you');
    platform.say(platform.room, 'another party', { mention: true });
    await expect.poll(() => world.tasks().length).toBe(2);
    expect(JSON.stringify(world.llm.requests())).not.toContain('nobody asked you');
  });
});
