/** How many messages of a person are taken in a minute: told when it is too many, and nothing that was taken counts twice. */
import { describe, expect, it } from 'vitest';
import { ask, waitFor } from '../platforms/platform.ts';
import { NAMES, openPlatforms } from '../platforms/world.ts';

const open = (on: (typeof NAMES)[number], messagesPerMinute: number) =>
  openPlatforms({
    ...{ on: [on], channel: { live: 'off', injection: 'followup' } },
    config: { limits: { freeBytes: 0, messagesPerMinute } },
  });

describe.each(NAMES)('%s', (name) => {
  // Telegram repeats only what was never taken.
  it.skipIf(name === 'telegram')('does not count what the platform delivers again', async () => {
    const { platforms, llm } = await open(name, 3);
    const platform = platforms[name];
    const there = platform.dm('sam');
    const said = platform.say(there, 'one', { by: 'sam' });
    await waitFor(platform, there, { count: 1 });
    for (let n = 0; n < 4; n++) platform.redeliver(said, there);
    expect((await ask(platform, there, 'two', { by: 'sam' })).text).not.toContain('too many');
    expect((await ask(platform, there, 'three', { by: 'sam' })).text).not.toContain('too many');
    expect((await ask(platform, there, 'four', { by: 'sam' })).text).toContain('too many messages');
    expect(llm.requests()).toHaveLength(3);
  });

  it('tells how many were not taken, and which was the last that was', async () => {
    const { platforms } = await open(name, 3);
    const platform = platforms[name];
    const there = platform.dm('sam');
    for (let n = 1; n <= 10; n++) platform.say(there, `message *${n}*`, { by: 'sam' });
    await waitFor(platform, there, { text: 'too many messages in a minute' });
    const told = await waitFor(platform, there, { text: 'did not take 7 messages' });
    expect(told.text).toMatch(/The last one I took was "message \\?\*3\\?\*"/);
    expect(platform.answers(there).filter(({ text }) => text.includes('too many messages'))).toHaveLength(1);
  });

  it('tells by each command that there were too many, and takes it later', async () => {
    const { platforms } = await open(name, 2);
    const platform = platforms[name];
    const there = platform.dm('sam');
    for (let n = 0; n < 2; n++)
      expect((await platform.command(there, 'help', '', 'sam')).text).not.toContain('too many');
    expect((await platform.command(there, 'help', '', 'sam')).text).toContain('too many messages');
    // Where the platform shows an answer to each command it is this one.
    if (name !== 'telegram')
      expect((await platform.command(there, 'help', '', 'sam')).text).toContain('too many messages');
  });
});
