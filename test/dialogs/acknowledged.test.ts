/** Commands whose words go to a task: their person sees at once that they were taken, and nothing stays open. */
import { expect, it } from 'vitest';
import { discordPlatform } from '../platforms/discord.ts';
import { ask, waitFor } from '../platforms/platform.ts';
import { slackPlatform } from '../platforms/slack.ts';
import { openPlatforms } from '../platforms/world.ts';

const WORDS = ['new', 'steer', 'followup'] as const;

it('on Discord no deferred reply stays open, in direct messages and in threads', async () => {
  const discord = await discordPlatform();
  const world = await openPlatforms({ given: { discord }, on: ['discord'], channel: { live: 'off' } });
  world.llm.script(({ lastUser }) => ({ text: `re ${lastUser}` }));
  const dm = discord.dm('alex');
  await ask(discord, dm, 'hello', { text: 're hello' });
  const thread = await discord.begin('a task');
  await waitFor(discord, thread, { text: 're ' });
  for (const place of [dm, thread]) {
    for (const name of ['task', ...WORDS]) {
      const reply = await discord.command(place, name, `words for ${name}`);
      expect(reply.text, `/viber ${name}`).toMatch(/^On it(\.|: <#\d+>)$/);
      // In a thread a goal gets another beside it.
      const there = name === 'task' && place === thread ? discord.threads().at(-1) : place;
      if (there) await waitFor(discord, there, { text: there === place ? `words for ${name}` : 're ' });
    }
  }
});

it('on Slack the same commands are acknowledged to their person', async () => {
  const slack = await slackPlatform();
  const world = await openPlatforms({ given: { slack }, on: ['slack'], channel: { live: 'off' } });
  world.llm.script(({ lastUser }) => ({ text: `re ${lastUser}` }));
  const dm = slack.dm('alex');
  await ask(slack, dm, 'hello', { text: 're hello' });
  for (const name of WORDS) {
    const { ack, failed } = await slack.emulator.slash({ channel: dm.chat, text: `${name} words for ${name}` });
    expect({ failed, body: ack.body }, `/viber ${name}`).toEqual({
      failed: false,
      body: { response_type: 'ephemeral', text: 'On it.' },
    });
    await waitFor(slack, dm, { text: `words for ${name}` });
  }
});
