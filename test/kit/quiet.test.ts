/** That `quiet` sees what a gateway still has to do: a test that says what did not happen is only as good as that. */
import { expect, it } from 'vitest';
import { ask } from '../platforms/platform.ts';
import type { ChannelName } from '../platforms/world.ts';
import { openChat } from './kit.ts';
import { quiet, RUNNING } from './quiet.ts';

const EVERYWHERE: ChannelName[] = ['loopback', 'telegram', 'discord', 'slack'];

it.each(EVERYWHERE)('waits for all that was said on %s, in turn or joined, and for a slow model', async (name) => {
  for (const injection of ['followup', 'collect']) {
    const { world, platform, dm } = await openChat({ channel: { injection } }, name);
    world.llm.script(({ lastUser }) => ({ text: `re ${lastUser}`, delayMs: 300 }));
    for (let n = 1; n <= 3; n++) platform.say(dm, `word ${n}`);
    await quiet();
    const texts = platform.answers(dm).map(({ text }) => text);
    expect([injection, texts.join('\n')]).toEqual([injection, expect.stringMatching(/word 3/)]);
    await world.stop();
  }
});

it('waits for a gateway in a process of its own', async () => {
  const { world, platform, dm } = await openChat({ process: true, channel: { injection: 'followup' } });
  world.llm.script(({ lastUser }) => ({ text: `re ${lastUser}`, delayMs: 200 }));
  for (let n = 1; n <= 3; n++) platform.say(dm, `word ${n}`);
  await quiet();
  expect(platform.answers(dm).map(({ text }) => text)).toEqual(['re word 1', 're word 2', 're word 3']);
});

it('waits for what follows an answer, such as the title of its task', async () => {
  const { world, platform, dm } = await openChat({ config: { smallModel: 'local/small' } });
  world.llm.script(({ model }) => ({ text: model === 'small' ? 'Grey walls' : 'Sure.', delayMs: 400 }));
  await ask(platform, dm, 'help me paint the grey walls of my kitchen, would you?');
  await quiet();
  expect(world.read(`artifacts/${world.tasks()[0]}/task.json`)).toContain('Grey walls');
});

it('leaves out what the test itself holds open', async () => {
  const { world, platform, dm } = await openChat();
  const held = Promise.withResolvers<void>();
  world.llm.script(() => ({ text: 'at last', after: held.promise }));
  platform.say(dm, 'hello');
  await quiet({ except: RUNNING });
  expect(world.llm.requests()).toHaveLength(1);
  held.resolve();
  await quiet();
  expect(platform.answers(dm).at(-1)?.text).toBe('at last');
});
