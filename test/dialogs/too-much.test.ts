/** How many messages of a person are taken in a minute: told when it is too many, and nothing that was taken counts twice. */
import { describe, expect, it } from 'vitest';
import { onEveryPlatform, openChat } from '../kit/kit.ts';
import { ask, waitFor } from '../platforms/platform.ts';
import type { ChannelName } from '../platforms/world.ts';

const open = (messagesPerMinute: number, on?: ChannelName) =>
  openChat(
    { channel: { live: 'off', injection: 'followup' }, config: { limits: { freeBytes: 0, messagesPerMinute } } },
    on,
  );

describe.each(onEveryPlatform)('%s', (name) => {
  it('tells by each command that there were too many, and takes it later', async () => {
    const { platform } = await open(2, name);
    const there = platform.dm('sam');
    for (let n = 0; n < 2; n++)
      expect((await platform.command(there, 'help', '', 'sam')).text).not.toContain('too many');
    expect((await platform.command(there, 'help', '', 'sam')).text).toContain('too many messages');
    // Where the platform shows an answer to each command it is this one.
    if (name !== 'telegram')
      expect((await platform.command(there, 'help', '', 'sam')).text).toContain('too many messages');
  });
});

describe('more messages than a minute has room for', () => {
  it('does not count what the platform delivers again', async () => {
    const { world, platform } = await open(3);
    const there = platform.dm('sam');
    const said = platform.say(there, 'one', { by: 'sam' });
    await waitFor(platform, there, { count: 1 });
    for (let n = 0; n < 4; n++) platform.redeliver(said, there);
    expect((await ask(platform, there, 'two', { by: 'sam' })).text).not.toContain('too many');
    expect((await ask(platform, there, 'three', { by: 'sam' })).text).not.toContain('too many');
    expect((await ask(platform, there, 'four', { by: 'sam' })).text).toContain('too many messages');
    expect(world.llm.requests()).toHaveLength(3);
  });

  it('tells how many were not taken, and which was the last that was', async () => {
    const { platform } = await open(3);
    const there = platform.dm('sam');
    for (let n = 1; n <= 10; n++) platform.say(there, `message *${n}*`, { by: 'sam' });
    await waitFor(platform, there, { text: 'too many messages in a minute' });
    const told = await waitFor(platform, there, { text: "didn't accept 7 messages" });
    expect(told.text).toMatch(/The last one I accepted was "message \\?\*3\\?\*"/);
    expect(platform.answers(there).filter(({ text }) => text.includes('too many messages'))).toHaveLength(1);
  });
});
