/** /open in a room, also where each task has a thread of its own: whoever opens one is answered, or shown the thread where it goes on. */
import { describe, expect, it } from 'vitest';
import { onEveryPlatform, openChat } from '../kit/kit.ts';
import { ask, waitFor } from '../platforms/platform.ts';

describe.each(onEveryPlatform)('/open in a room of %s', (name) => {
  it('is answered to whoever typed it, for a task of another chat, one that has its thread there, and none', async () => {
    const { world, platform } = await openChat({ channel: { live: 'off' } }, name);
    const { room } = platform;
    world.llm.script(({ lastUser }) => ({ text: `re ${lastUser}` }));
    await ask(platform, platform.dm('alex'), 'first words here', { text: 're first words' });
    const [task = ''] = world.tasks();
    // The second time its thread is there already.
    for (const round of [1, 2]) {
      const reply = await platform.command(room, 'open', task, 'alex');
      if (name === 'telegram') expect(reply.text).toContain('first words here');
      else {
        const way =
          name === 'discord' ? /^On it: <#\d+>$/ : round === 1 ? /^first words here/ : /working on it in this thread/;
        expect(reply.text).toMatch(way);
        const [thread] = platform.threads();
        if (!thread) throw new Error('no thread was opened');
        expect(platform.threads()).toHaveLength(1);
        await waitFor(platform, thread, { count: round, text: 'We continue' });
      }
    }
    const none = await platform.command(room, 'open', '99999999-nothing1', 'alex');
    expect(none.text).toMatch(/I can't find a task|On it/);
  });
});
