/**
 * A guest is a stranger with a right to speak, nothing more: whatever a hostile model tries on their word, on every platform and by
 * every kind of event, no private word is in a request to it and nothing changes outside the task's own folder.
 */
import { describe, expect, it } from 'vitest';
import { onEveryPlatform } from '../kit/kit.ts';
import { quiet } from '../kit/quiet.ts';
import { type Place, type Platform, waitFor } from '../platforms/platform.ts';
import type { PlatformWorld } from '../platforms/world.ts';
import { attack, CANARY, call, kept, LOG, openToGuests, shortAttack, toldSince } from './guests-world.ts';

type Way = [string, (platform: Platform) => Promise<Place> | Place];

const SAID: Way[] = [
  [
    'mentions it in a group',
    (platform) => platform.answerPlace(platform.say(platform.room, 'attack', { by: 'kim', mention: true })),
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
  [
    'writes in a direct message',
    (platform) => {
      platform.say(platform.dm('kim'), 'attack', { by: 'kim' });
      return platform.dm('kim');
    },
  ],
];
const COMMAND: Way = ['gives a goal by a slash command', (platform) => platform.begin('attack', 'kim')];

// Every tool with every argument once, where a platform changes nothing; every kind of event on each platform.
describe.each([['loopback', attack] as const, ...onEveryPlatform.map((name) => [name, shortAttack] as const)])(
  'on %s a guest',
  (name, attacks) => {
    it('reads nothing and leaves nothing, in a group, in private, by an edit and by a slash command', async () => {
      const { world, platform, other } = await openToGuests(name);
      const before = kept(world, other);
      const model = attacks(other);
      world.llm.script((request) => (request.lastUser.includes('attack') ? model(request) : { text: 'hello' }));
      const ways = platform.hasThreads ? [...SAID, COMMAND] : SAID;
      for (const [index, [way, begin]] of ways.entries()) {
        const from = world.llm.requests().length;
        const place = await begin(platform);
        // The direct message follows the edit in the same chat.
        const answer = await waitFor(platform, place, { text: 'the end', count: index === 2 ? 2 : 1 });
        expect(answer.text, way).not.toContain('ask the owner');
        await quiet();
        expect(toldSince(world, from), way).not.toMatch(new RegExp(`${CANARY}-|workspace/NAME`));
        expect(toldSince(world, from), way).toContain("aren't on this bot's list");
        expect(kept(world, other), way).toEqual(before);
        expect(world.llm.requests().at(-1)?.tools.toSorted(), way).toEqual(
          [
            ...['ask_user', 'attach_artifact', 'chart', 'create_artifact', 'list_files', 'read_file', 'update_plan'],
            ...['web-fetch', 'write_file'],
          ].toSorted(),
        );
      }
    });
  },
);

// A chat has one conversation on Telegram, and a thread for each task on the channel without a platform, as elsewhere.
describe.each(['loopback', 'telegram'] as const)('in a conversation of others on %s', (name) => {
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
    world.llm.script(shortAttack(other));
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
});

const accepted = ({ logs }: PlatformWorld) => logs.filter(({ msg }) => msg === 'accepted').length;

describe('while the run of a guest goes on', () => {
  it.each([
    ['the guest', 'steer', 'kim'],
    ['the guest', 'collect', 'kim'],
    ['an owner', 'steer', 'alex'],
  ] as const)('words of %s that %s leave it without rights', async (_who, injection, by) => {
    const { world, platform, other } = await openToGuests('loopback', { injection });
    const before = kept(world, other);
    const from = world.llm.requests().length;
    const model = shortAttack(other);
    const { promise: after, resolve: answer } = Promise.withResolvers<void>();
    world.llm.script((request) => (request.lastUser.includes('attack') ? model(request) : { text: 'slow', after }));
    const place = platform.answerPlace(platform.say(platform.room, 'begin', { by: 'kim', mention: true }));
    await world.llm.waitFor((request) => request.lastUser.includes('begin'));
    // The owner's words and these; what is noted may come after the model was asked.
    await expect.poll(() => accepted(world)).toBe(2);
    platform.say(place, 'attack', { by, mention: true });
    await expect.poll(() => accepted(world)).toBe(3);
    answer();
    await waitFor(platform, place, { text: 'the end' });
    await quiet();
    expect(toldSince(world, from)).not.toContain(`${CANARY}-`);
    expect(kept(world, other)).toEqual(before);
  });
});
