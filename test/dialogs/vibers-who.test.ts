/** Who answers where: what is configured, what people may choose, what owners see of all, and buttons after a change. */
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { LlmRequest } from '../emulators/llm.ts';
import { manualClock } from '../jobs/manual-clock.ts';
import { press } from '../kit/kit.ts';
import { loopbackPlatform } from '../kit/loopback.ts';
import { ask, type Person, type Place, type Platform, waitFor } from '../platforms/platform.ts';
import { openPlatforms, type PlatformWorldOptions } from '../platforms/world.ts';

const nameIn = ({ system }: LlmRequest): string => /You are the viber "([\w-]+)"/.exec(system)?.[1] ?? '';

/** Vibers dev, ops and lab; a model that says who it is. */
async function open(options: PlatformWorldOptions = {}) {
  const world = await openPlatforms({
    ...{ on: ['telegram'], channel: { live: 'off', injection: 'followup' } },
    ...options,
    files: {
      'agents/dev.yaml': 'description: Writes and mends programs\n',
      'agents/ops.yaml': 'description: Keeps things running\n',
      ...options.files,
    },
    prepare: (home) => void fs.mkdirSync(path.join(home, 'vibers/lab'), { recursive: true }),
  });
  world.llm.script((request) => ({ text: `${nameIn(request)} heard ${request.lastUser.replace(/^\[.*?\]: /, '')}` }));
  return world;
}

async function command(platform: Platform, place: Place, name: string, args = '', by: Person = 'alex') {
  const after = platform.answers(place).length;
  await platform.command(place, name, args, by);
  return waitFor(platform, place, { after });
}

describe('who answers', () => {
  it('the narrowest place decides who answers, and /use goes before it', async () => {
    const given = await loopbackPlatform();
    const world = await open({
      ...{ on: ['loopback'], given: { loopback: given } },
      sections: { loopback: { viber: 'ops' } },
      config: {
        viber: 'lab',
        conversations: { 'loopback:room': { viber: 'dev' } },
        people: [
          { name: 'alex', role: 'owner', ids: [given.identity('alex')], viber: 'dev' },
          { name: 'sam', role: 'member', ids: [given.identity('sam')] },
        ],
      },
    });
    const platform = world.platforms.loopback;
    expect((await ask(platform, platform.dm('alex'), 'one')).text).toContain('dev heard one');
    expect((await ask(platform, platform.dm('sam'), 'two', { by: 'sam' })).text).toContain('ops heard two');
    const said = platform.say(platform.room, 'three', { mention: true, by: 'sam' });
    expect((await waitFor(platform, platform.answerPlace(said), { text: 'three' })).text).toContain('dev heard');
    const shown = await command(platform, platform.dm('alex'), 'use');
    expect(shown.text).toMatch(/talking to .*dev/);
    expect(shown.text).toContain('Keeps things running');
    expect(shown.buttons).toEqual(['Use default', 'Use lab', 'Use ops']);
    await press(platform, platform.dm('alex'), 'Use lab', 'lab');
    expect((await ask(platform, platform.dm('alex'), 'four')).text).toContain('lab heard four');
    await world.restart();
    expect((await ask(platform, platform.dm('alex'), 'five')).text).toContain('lab heard five');
  });

  it('what is chosen in a room is for everybody there, and a task of it stays with who works in it', async () => {
    const world = await open({ on: ['loopback'] });
    const platform = world.platforms.loopback;
    const first = platform.answerPlace(platform.say(platform.room, 'begin one', { mention: true }));
    await waitFor(platform, first, { text: 'default heard' });
    await platform.command(platform.room, 'use', 'dev');
    await expect
      .poll(() =>
        fs
          .globSync('conversations/*.json', { cwd: world.home })
          .map((file) => world.read(file))
          .join(),
      )
      .toContain('"viber": "dev"');
    const second = platform.answerPlace(platform.say(platform.room, 'begin two', { mention: true, by: 'sam' }));
    expect((await waitFor(platform, second, { text: 'begin two' })).text).toContain('dev heard');
    expect((await ask(platform, first, 'go on', { text: 'go on', mention: true })).text).toContain('default heard');
  });
});

describe('people', () => {
  it('choose among what is listed for them; guests choose nothing, and names that mean none are told', async () => {
    const world = await open({ config: { vibers: ['ops'] } });
    const { telegram } = world.platforms;
    const sams = telegram.dm('sam');
    expect((await command(telegram, sams, 'use', '', 'sam')).buttons).toEqual(['Use ops']);
    expect((await command(telegram, sams, 'use', 'dev', 'sam')).text).toContain('Only an owner');
    expect((await command(telegram, sams, 'use', 'devv', 'sam')).text).toContain('You can choose default and ops');
    expect((await ask(telegram, sams, 'still', { by: 'sam' })).text).toContain('default heard still');
    expect((await command(telegram, sams, 'use', 'OPS', 'sam')).text).toContain('ops');
    expect((await ask(telegram, sams, 'now', { by: 'sam' })).text).toContain('ops heard now');
    expect((await command(telegram, telegram.room, 'use', 'ops', 'kim')).text).toContain('members');
  });

  it('say it in words: the tool is offered where there is a choice, and takes effect with the next message', async () => {
    const world = await open({ config: { vibers: [] } });
    const { telegram } = world.platforms;
    world.llm.scriptFor('talk to dev', ({ toolResults }) =>
      toolResults.length === 0
        ? { toolCalls: [{ name: 'use_viber', arguments: { viber: 'dev' } }] }
        : { text: `told: ${toolResults[0]}` },
    );
    expect((await ask(telegram, telegram.dm('alex'), 'let me talk to dev')).text).toContain('next message goes to dev');
    expect((await ask(telegram, telegram.dm('alex'), 'hello')).text).toContain('dev heard hello');
    await ask(telegram, telegram.dm('sam'), 'hello', { by: 'sam' });
    const [owners, members] = [0, -1].map((at) => world.llm.requests().at(at)?.tools);
    expect(owners).toContain('use_viber');
    expect(members).not.toContain('use_viber');
  });

  it('learn who says what comes after they have changed, and words for one that is gone reach nobody', async () => {
    const world = await open();
    const { telegram } = world.platforms;
    const dm = telegram.dm('alex');
    world.llm.scriptFor('slow', (request) => ({ text: `${nameIn(request)} is ready`, delayMs: 1_000 }));
    telegram.say(dm, 'slow work');
    await world.llm.waitFor(({ lastUser }) => lastUser.includes('slow work'));
    await command(telegram, dm, 'use', 'dev');
    expect((await waitFor(telegram, dm, { text: 'is ready' })).text).toMatch(/^default:\s+default is ready/);
    expect((await ask(telegram, dm, 'quick')).text).toBe('dev heard quick');
    fs.rmSync(path.join(world.home, 'agents/dev.yaml'));
    fs.rmSync(path.join(world.home, 'vibers/dev'), { recursive: true });
    const asked = world.llm.requests().length;
    expect((await ask(telegram, dm, 'secret plan')).text).toContain('no viber dev any more');
    expect(world.llm.requests()).toHaveLength(asked);
    expect((await command(telegram, dm, 'use', 'default')).text).toContain('We go on with slow work');
    expect((await ask(telegram, dm, 'back')).text).toBe('default heard back');
  });

  it('decide about what one of them suggests to remember while they talk to another', async () => {
    const world = await open();
    const { telegram } = world.platforms;
    const dm = telegram.dm('alex');
    world.llm.scriptFor('tea', () => ({ text: 'Noted.\n<memory_suggestion>Likes tea</memory_suggestion>' }));
    await ask(telegram, dm, 'I like tea');
    await command(telegram, dm, 'use', 'dev');
    await ask(telegram, dm, 'I like tea, dev');
    await command(telegram, dm, 'use', 'ops');
    // The newest question is dev's.
    await telegram.press(dm, 'Accept');
    await expect.poll(() => world.read('vibers/dev/MEMORY.md')).toContain('Likes tea');
    expect(world.read('workspace/MEMORY.md')).not.toContain('Likes tea');
    expect(fs.existsSync(path.join(world.home, 'vibers/ops/MEMORY.md'))).toBe(false);
    // What is taken back is what was shown, whoever they talk to by then.
    await command(telegram, dm, 'memory', 'add Likes coffee');
    await expect.poll(() => world.read('vibers/ops/MEMORY.md')).toContain('Likes coffee');
    await command(telegram, dm, 'use', 'default');
    await telegram.press(dm, 'Undo');
    await expect.poll(() => world.read('vibers/ops/MEMORY.md')).not.toContain('Likes coffee');
  });
});

describe('owners', () => {
  it('see, open and stop tasks of every viber; members those of the one they talk to', async () => {
    const world = await open({ config: { vibers: ['dev'] } });
    const { telegram } = world.platforms;
    const [dm, sams] = [telegram.dm('alex'), telegram.dm('sam')];
    await command(telegram, sams, 'use', 'dev', 'sam');
    await ask(telegram, sams, 'mend the login', { by: 'sam' });
    const [task = ''] = world.tasks();
    await command(telegram, sams, 'use', 'default', 'sam');
    expect((await command(telegram, sams, 'status', task, 'sam')).text).toContain('find a task');
    expect((await command(telegram, dm, 'tasks', 'all')).text).toMatch(/mend the login.*dev/);
    expect((await command(telegram, dm, 'status', task)).text).toContain('with: dev');
    expect((await command(telegram, dm, 'open', task)).text).toContain('We continue mend the login here');
    expect((await ask(telegram, dm, 'how far?')).text).toContain('dev heard how far?');
    const last = JSON.stringify(world.llm.requests().at(-1)?.messages);
    expect(last).toContain('mend the login');
    world.llm.scriptFor('for long', () => ({ text: 'late', delayMs: 20_000 }));
    telegram.say(sams, 'nothing yet', { by: 'sam' });
    await waitFor(telegram, sams, { text: 'default heard nothing yet' });
    telegram.say(dm, 'work for long');
    await world.llm.waitFor(({ lastUser }) => lastUser.includes('for long'));
    await command(telegram, dm, 'use', 'default');
    expect((await command(telegram, dm, 'stop', task)).text).toContain('Stopped');
  });

  it('answer the question of a job of another viber, in its own words', async () => {
    const clock = manualClock('2026-01-12T09:00:00Z');
    const world = await open({
      clock,
      files: {
        'jobs/release.yaml':
          'name: Release\nschedule: "0 10 * * *"\ntimezone: UTC\nviber: dev\nprompt: prepare the release\ndeliver: [telegram:1001]\n',
      },
    });
    const { telegram } = world.platforms;
    const dm = telegram.dm('alex');
    world.llm.scriptFor('prepare the release', ({ toolResults }) =>
      toolResults.length === 0
        ? { toolCalls: [{ name: 'ask_user', arguments: { question: 'Which version is it?' } }] }
        : { text: `dev got ${toolResults[0]}` },
    );
    await ask(telegram, dm, 'hello');
    await command(telegram, dm, 'jobs');
    const after = telegram.answers(dm).length;
    await clock.advance(3_700_000);
    const asked = await waitFor(telegram, dm, { after, text: 'Which version' });
    expect(asked.text).toMatch(/open|answer/i);
    const task = world.tasks().find((id) => JSON.parse(world.read(`artifacts/${id}/task.json`)).viber === 'dev') ?? '';
    await command(telegram, dm, 'open', task);
    const answer = await ask(telegram, dm, 'it is 4.2');
    expect(answer.text).toContain('dev heard it is 4.2');
    expect(JSON.stringify(world.llm.requests().at(-1)?.messages)).toContain('Which version is it?');
  });
});
