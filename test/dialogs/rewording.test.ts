/** A suggestion is reworded by a plain reply to it; a question or a new request in reply to it is a message like any other. */
import { describe, expect, it } from 'vitest';
import { onEveryPlatform, openChat } from '../kit/kit.ts';
import { quiet } from '../kit/quiet.ts';
import { type Place, type Platform, type Seen, waitFor } from '../platforms/platform.ts';
import type { ChannelName } from '../platforms/world.ts';

const MEMORY = 'workspace/MEMORY.md';
const block = (...facts: string[]) =>
  facts.map((fact) => `<memory_suggestion>\nAdd to MEMORY.md:\n- ${fact}\n</memory_suggestion>`).join('\n');

async function open(on?: ChannelName, facts = ['The release is on Friday']) {
  const { world, platform, dm } = await openChat({ channel: { live: 'off', injection: 'followup' } }, on);
  world.llm.script(({ lastUser }) => ({
    text: lastUser.includes('note it') ? `Noted.\n\n${block(...facts)}` : 'Asked the model.',
  }));
  platform.say(dm, 'note it');
  const asked = await waitFor(platform, dm, { text: 'May I remember' });
  // Nobody answers before the platform has told us which message it is.
  await quiet();
  return { world, platform, dm, asked };
}

/** On Slack a reply stands in the thread of the message. */
async function reply(platform: Platform, dm: Place, { id }: Seen, text: string): Promise<Seen> {
  const isSlack = platform.name === 'slack';
  const place = isSlack ? { ...dm, thread: id } : dm;
  const after = platform.answers(place).length;
  platform.say(place, text, isSlack ? {} : { replyTo: id });
  return waitFor(platform, place, { after });
}

describe.each(onEveryPlatform)('on %s', (name) => {
  it('a reply with nearly the same words is the new wording; it can be taken back', async () => {
    const { world, platform, dm, asked } = await open(name);
    const told = await reply(platform, dm, asked, 'The release is on Thursday');
    expect(told.text).toMatch(/I'll remember: `?The release is on Thursday/);
    expect(told.buttons).toEqual(['Undo']);
    expect(world.read(MEMORY)).toContain('- The release is on Thursday');
    expect(world.read(MEMORY)).not.toContain('Friday');
    await expect.poll(() => platform.answers(dm).find(({ id }) => id === asked.id)?.buttons).toEqual([]);
    await platform.press(dm, 'Undo');
    await expect.poll(() => world.read(MEMORY)).not.toContain('Thursday');
  });
});

describe('a suggestion', () => {
  it('a question and a new request are messages, and the suggestion waits', async () => {
    const { world, platform, dm, asked } = await open();
    for (const text of ['Is the release on Friday?', 'Write the release notes for Friday', 'thanks'])
      expect((await reply(platform, dm, asked, text)).text).toBe('Asked the model.');
    expect(world.read(MEMORY)).not.toContain('Friday');
    await platform.press(dm, 'Accept');
    await expect.poll(() => world.read(MEMORY)).toContain('- The release is on Friday');
  });
});

it('of several suggestions the one that is meant is reworded, after a restart as well', async () => {
  const { world, platform, dm, asked } = await open(undefined, ['Kim drinks tea', 'Sam is away in May']);
  await world.restart();
  const told = await reply(platform, dm, asked, 'Sam is away in June');
  expect(told.text).toMatch(/I'll remember: `?Sam is away in June/);
  const left = () => platform.answers(dm).find(({ id }) => id === asked.id);
  await expect.poll(() => left()?.buttons).toEqual(['Accept 1', 'Edit 1', 'Reject 1']);
  expect((await reply(platform, dm, asked, 'Kim drinks green tea')).text).toContain('Kim drinks green tea');
  expect(world.read(MEMORY)).toMatch(/- Sam is away in June[\s\S]*- Kim drinks green tea/);
  expect((await reply(platform, dm, asked, 'Kim drinks black tea')).text).toBe('Asked the model.');
});

it('in a channel’s thread on Slack the next words may be it, of an owner alone', async () => {
  const { world, platform } = await open('slack');
  const thread = platform.answerPlace(platform.say(platform.room, 'note it, Kim', { mention: true }));
  await waitFor(platform, thread, { text: 'May I remember' });
  const after = platform.answers(thread).length;
  platform.say(thread, 'The release is on Monday', { by: 'sam' });
  await waitFor(platform, thread, { after, text: 'Asked the model.' });
  platform.say(thread, 'The release is on Tuesday');
  await waitFor(platform, thread, { text: /I'll remember: `?The release is on Tuesday/ });
  expect(world.read(MEMORY)).not.toContain('Monday');
});
