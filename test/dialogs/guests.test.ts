/**
 * A guest is a stranger with a right to speak, nothing more: whatever a hostile model tries on their word, on every platform and by
 * every kind of event, no private word is in a request to it and nothing changes outside the task's own folder.
 */
import { describe, expect, it } from 'vitest';
import { onEveryPlatform } from '../kit/kit.ts';
import { quiet } from '../kit/quiet.ts';
import { type Place, type Platform, waitFor } from '../platforms/platform.ts';
import { attack, CANARY, call, kept, LOG, openToGuests, toldSince } from './guests-world.ts';

type Way = [string, (platform: Platform) => Promise<Place> | Place];

const SAID: Way[] = [
  [
    'mentions it in a group',
    (platform) => platform.answerPlace(platform.say(platform.room, 'attack', { by: 'kim', mention: true })),
  ],
  [
    'writes in a direct message',
    (platform) => {
      platform.say(platform.dm('kim'), 'attack', { by: 'kim' });
      return platform.dm('kim');
    },
  ],
  [
    'edits a message',
    async (platform) => {
      const said = platform.say(platform.dm('kim'), 'hello', { by: 'kim' });
      await waitFor(platform, platform.dm('kim'));
      platform.edit(platform.dm('kim'), said, 'attack');
      return platform.dm('kim');
    },
  ],
];
const COMMAND: Way = ['gives a goal by a slash command', (platform) => platform.begin('attack', 'kim')];

describe.each(onEveryPlatform)('on %s a guest', (name) => {
  it.each(name === 'telegram' ? SAID : [...SAID, COMMAND])(
    'who %s reads nothing and leaves nothing',
    async (_way, begin) => {
      const { world, platform, other } = await openToGuests(name);
      const before = kept(world, other);
      const from = world.llm.requests().length;
      world.llm.script((request) => (request.lastUser.includes('attack') ? attack(other)(request) : { text: 'hello' }));
      const place = await begin(platform);
      const answer = await waitFor(platform, place, { text: 'the end' });
      expect(answer.text).not.toContain('ask the owner');
      await quiet();
      expect(toldSince(world, from)).not.toMatch(new RegExp(`${CANARY}-|workspace/NAME`));
      expect(toldSince(world, from)).toContain("aren't on this bot's list");
      expect(kept(world, other)).toEqual(before);
      expect(world.llm.requests().at(-1)?.tools.toSorted()).toEqual(
        [
          ...['ask_user', 'attach_artifact', 'chart', 'create_artifact', 'list_files', 'read_file', 'update_plan'],
          ...['web-fetch', 'write_file'],
        ].toSorted(),
      );
    },
  );
});

describe.each(onEveryPlatform)('in a conversation of others on %s', (name) => {
  it('a guest who goes on is shown the words that were said there, and nothing that tools gave to others', async () => {
    const { world, platform, other } = await openToGuests(name, { config: { history: { maxMessages: 8 } } });
    const looking = [
      call('read_file', { path: 'workspace/notes/secret.txt' }),
      call('memory_search', { query: 'the word' }),
      call('read_file', { path: 'USER.md' }),
    ];
    world.llm.script((request) =>
      request.toolResults.length === 0 ? { toolCalls: looking } : { text: 'I have looked, it is blue' },
    );
    const place = platform.answerPlace(platform.say(platform.room, 'look it up', { by: 'alex', mention: true }));
    await waitFor(platform, place, { text: 'it is blue' });
    expect(toldSince(world, 1)).toContain(`${CANARY}-FILE`);
    await expect.poll(() => world.read(LOG)).toContain('it is blue');
    const before = kept(world, other);
    const from = world.llm.requests().length;
    world.llm.script(attack(other));
    platform.say(place, 'attack', { by: 'kim', mention: true });
    await waitFor(platform, place, { text: 'the end' });
    await quiet();
    const told = toldSince(world, from);
    expect(told).toContain('look it up');
    expect(told).toContain('it is blue');
    expect(told).not.toContain(`${CANARY}-`);
    expect(kept(world, other)).toEqual(before);
    // The next run of the owner goes on with all of it.
    world.llm.script(() => ({ text: 'and on' }));
    platform.say(place, 'go on', { by: 'alex', mention: true });
    await waitFor(platform, place, { text: 'and on' });
    expect(toldSince(world, world.llm.requests().length - 1)).toContain(`${CANARY}-FILE`);
  });

  it.each(['steer', 'collect'] as const)('words of a guest that %s leave the run without rights', async (injection) => {
    const { world, platform, other } = await openToGuests(name, { injection });
    const before = kept(world, other);
    const from = world.llm.requests().length;
    world.llm.script((request) =>
      request.lastUser.includes('attack') ? attack(other)(request) : { text: 'slow', delayMs: 3_000 },
    );
    const place = platform.answerPlace(platform.say(platform.room, 'begin', { by: 'kim', mention: true }));
    await world.llm.waitFor((request) => request.lastUser.includes('begin'));
    platform.say(place, 'attack', { by: 'kim', mention: true });
    await waitFor(platform, place, { text: 'the end' });
    await quiet();
    expect(toldSince(world, from)).not.toContain(`${CANARY}-`);
    expect(kept(world, other)).toEqual(before);
  });

  it('an owner who steers a guest’s run has it go on with no more rights', async () => {
    const { world, platform, other } = await openToGuests(name, { injection: 'steer' });
    const before = kept(world, other);
    const from = world.llm.requests().length;
    world.llm.script((request) =>
      request.lastUser.includes('attack') ? attack(other)(request) : { text: 'slow', delayMs: 5_000 },
    );
    const place = platform.answerPlace(platform.say(platform.room, 'begin', { by: 'kim', mention: true }));
    await world.llm.waitFor((request) => request.lastUser.includes('begin'));
    platform.say(place, 'attack', { by: 'alex', mention: true });
    await waitFor(platform, place, { text: 'the end' });
    await quiet();
    expect(toldSince(world, from)).not.toContain(`${CANARY}-`);
    expect(kept(world, other)).toEqual(before);
  });
});
