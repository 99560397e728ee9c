/** Agents asked side by side in a conversation: their consents go up to the person, their words are named in the answer, nothing is done twice. */
import { describe, expect, it } from 'vitest';
import type { LlmRequest, Turn } from '../emulators/llm.ts';
import { onEveryPlatform, openChat, press } from '../kit/kit.ts';
import { waitFor } from '../platforms/platform.ts';
import type { ChannelName, PlatformWorldOptions } from '../platforms/world.ts';

const nameIn = ({ system }: LlmRequest): string => /You are the viber "([\w-]+)"/.exec(system)?.[1] ?? '';
const asking = (...agents: string[]): Turn => ({
  toolCalls: agents.map((agent) => ({ name: 'ask_agent', arguments: { agent, message: `your part, ${agent}` } })),
});
const saving = (name: string): Turn => ({
  toolCalls: [{ name: 'write_file', arguments: { path: `workspace/${name}.md`, content: `by ${name}` } }],
});

function open(options: PlatformWorldOptions = {}, on?: ChannelName) {
  return openChat(
    {
      channel: { live: 'off', injection: 'followup' },
      files: Object.fromEntries(['ann', 'ben', 'cid'].map((id) => [`agents/${id}.yaml`, `description: ${id}\n`])),
      ...options,
    },
    on,
  );
}

describe('several agents that are asked in one step', () => {
  it('work side by side, and the answer shows who said what', async () => {
    const { world, platform, dm } = await open();
    const all = Promise.withResolvers<void>();
    let begun = 0;
    world.llm.script(async (request) => {
      const who = nameIn(request);
      if (who === 'default')
        return request.toolResults.length === 0 ? asking('ann', 'ben', 'cid') : { text: 'All is fine.' };
      // None answers before all have been asked.
      begun += 1;
      if (begun === 3) all.resolve();
      await all.promise;
      return { text: `${who} has *looked*: nothing wrong.\n\nDetails follow.` };
    });
    platform.say(dm, 'have it looked at');
    const { text } = await waitFor(platform, dm, { text: 'All is fine' });
    expect(text).toMatch(/Who said what:[\s\S]*ann: ann has[\s\S]*ben: ben has[\s\S]*cid: cid has/);
  });

  it('ask for consent as in a playbook, one after the other, and go on where they were', async () => {
    const { world, platform } = await open({ process: true });
    const dm = platform.dm('alex');
    world.llm.script((request) => {
      const who = nameIn(request);
      const isFirst = request.toolResults.length === 0;
      if (who === 'default')
        return isFirst ? asking('ann', 'ben', 'cid') : { text: `heard: ${request.toolResults.join(' ')}` };
      if (who === 'cid') return { text: 'cid needs nothing' };
      return isFirst ? saving(who) : { text: `${who} was told ${request.toolResults[0]}` };
    });
    platform.say(dm, 'begin');
    const first = await waitFor(platform, dm, { text: 'asks:' });
    const asker = /(ann|ben) asks:/.exec(first.text.replace(/[*_]/g, ''))?.[1] ?? '';
    const other = asker === 'ann' ? 'ben' : 'ann';
    expect(first.text).toContain(`${asker}.md`);
    await world.kill();
    const second = await press(platform, dm, 'Save', new RegExp(`${other}.md`));
    expect(second.text.replace(/[*_]/g, '')).toContain(`${other} asks:`);
    await world.kill();
    const answer = await press(platform, dm, 'No', 'heard:');
    expect(world.read(`vibers/${asker}/${asker}.md`)).toBe(`by ${asker}`);
    expect(world.read(`vibers/${other}/${other}.md`)).toBe('');
    expect(answer.text).toContain(`${other} was told`);
    expect(answer.text).toMatch(/denied|not/);
    expect(answer.text).toContain('Who said what');
    // Each was asked once, in one run of its own, and its model once for the call and once after it.
    const [task = ''] = world.tasks();
    for (const who of ['ann', 'ben', 'cid']) {
      const lines = world.read(`agents/${who}/sessions/${task}.jsonl`).trim().split('\n');
      expect(lines.filter((line) => line.includes('"type":"message"'))).toHaveLength(1);
      expect(lines.filter((line) => line.includes('"type":"result"'))).toHaveLength(1);
    }
    const asked = (who: string) => world.llm.requests().filter((request) => nameIn(request) === who).length;
    expect([asked('ann'), asked('ben'), asked('cid'), asked('default')]).toEqual([2, 2, 1, 2]);
  });
});

describe('an agent further down', () => {
  it('that needs consent has the person asked, whose other words leave the question open', async () => {
    const { world, platform, dm } = await open();
    world.llm.script((request) => {
      const who = nameIn(request);
      const isFirst = request.toolResults.length === 0;
      if (who === 'ben') return isFirst ? saving('ben') : { text: `ben was told ${request.toolResults[0]}` };
      if (who === 'ann') return isFirst ? asking('ben') : { text: `ann heard ${request.toolResults[0]}` };
      return isFirst && request.lastUser.includes('begin')
        ? asking('ann')
        : { text: `end: ${request.toolResults[0] ?? request.lastUser}` };
    });
    platform.say(dm, 'begin');
    expect((await waitFor(platform, dm, { text: 'asks:' })).text).toContain('ben asks:');
    expect((await press(platform, dm, 'Save', 'end:')).text).toContain('ann heard');
    expect(world.read('vibers/ben/ben.md')).toBe('by ben');
    // Once more, and the person writes instead.
    const after = platform.answers(dm).length;
    platform.say(dm, 'begin again');
    await waitFor(platform, dm, { after, text: 'asks:' });
    platform.say(dm, 'rather something else');
    await waitFor(platform, dm, { text: 'end: rather something else' });
    const [task = ''] = world.tasks();
    expect(world.read(`agents/ben/sessions/${task}.jsonl`)).not.toContain('wrote');
    const last = JSON.stringify(world.llm.requests().at(-1)?.messages);
    expect(last).toContain('This has not run');
  });

  it('is stopped with the run while it waits', async () => {
    const { world, platform, dm } = await open();
    world.llm.script((request) =>
      nameIn(request) === 'ann' ? saving('ann') : request.lastUser.includes('begin') ? asking('ann') : { text: 'fine' },
    );
    platform.say(dm, 'begin');
    await waitFor(platform, dm, { text: 'asks:' });
    await platform.command(dm, 'stop');
    await waitFor(platform, dm, { text: 'Stopped' });
    platform.say(dm, 'hello');
    await waitFor(platform, dm, { text: 'fine' });
    expect(world.read('vibers/ann/ann.md')).toBe('');
  });
});

it.each(onEveryPlatform)(
  'one that is asked is stopped by its name from another task of the person, by no one else: %s',
  async (name) => {
    const { world, platform } = await open({}, name);
    world.llm.script((request) => {
      if (nameIn(request) === 'ann') return { text: 'too late', delayMs: 60_000 };
      return request.lastUser.includes('begin') ? asking('ann') : { text: `fine: ${request.lastUser}` };
    });
    const [dm, room] = [platform.dm('alex'), platform.room];
    const said = platform.say(room, 'another task', { mention: true });
    const thread = platform.answerPlace(said);
    await waitFor(platform, thread, { text: 'fine' });
    platform.say(dm, 'begin the long work');
    await world.llm.waitFor((request) => nameIn(request) === 'ann');
    expect((await platform.command(room, 'stop', 'ben')).text).toContain('nothing');
    expect((await platform.command(room, 'stop', 'ann', 'sam')).text).not.toContain('Stopped');
    expect(world.llm.stats().active).toBe(1);
    // What is done in private is named only where nobody else reads.
    const { text } = await platform.command(room, 'stop', 'ann');
    expect(text).toMatch(name === 'telegram' ? /^Stopped\.$/ : 'Stopped: begin the long work');
    await expect.poll(() => world.llm.stats().active).toBe(0);
    platform.say(dm, 'hello');
    await waitFor(platform, dm, { text: 'fine: hello' });
  },
);
