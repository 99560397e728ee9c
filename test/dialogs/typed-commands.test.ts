/** A word too many after a command's name: the command is carried out or says how it is used, and the task that is here stays. */
import { describe, expect, it } from 'vitest';
import { onEveryPlatform, openChat } from '../kit/kit.ts';
import { ask, waitFor } from '../platforms/platform.ts';

const TOO_MANY: [string, string, RegExp][] = [
  ['status', 'please', /paint the fence/],
  ['status', 'of the release', /paint the fence[\s\S]*task status of the release/],
  ['help', 'me', /remind|status/],
  ['help', 'me write a letter', /task help me write a letter/],
  ['plan', 'all', /no plan|plan/i],
  ['plan', 'a trip to Rome', /task plan a trip to Rome/],
  ['tasks', 'of today', /paint the fence/],
  ['artifacts', 'of mine', /^/],
  ['open', 'the door', /can't find a task/],
  ['stop', 'the music at home', /task stop the music at home/],
  // As people write a word: with a sign behind it, a line break or a space of another kind, and what nobody sees.
  ['status?', '', /paint the fence/],
  ['STATUS!', 'please', /paint the fence/],
  ['status', '\u00a0now\nplease', /paint the fence/],
  ['help\u200b', '', /remind|status/],
  // A file comes, in its own time.
  ['export', 'json', /^/],
];

describe.each(onEveryPlatform)('words after a command on %s', (name) => {
  it('never begin another task; behind "task" they are one', async () => {
    const { world, platform, dm } = await openChat({ channel: { live: 'off' } }, name);
    world.llm.script(({ lastUser }) => ({ text: `re ${lastUser}` }));
    await ask(platform, dm, 'paint the fence', { text: 're ' });
    // Discord's own way offers no more words than a command takes; there they are typed.
    const give = (command: string, args: string, text?: RegExp) =>
      name === 'discord'
        ? ask(platform, dm, `/viber ${command} ${args}`, text ? { text } : {})
        : platform.command(dm, command, args);
    for (const [command, args, answer] of TOO_MANY)
      expect((await give(command, args)).text, `${command} ${args}`).toMatch(answer);
    expect(world.tasks()).toHaveLength(1);
    expect(world.llm.requests()).toHaveLength(1);
    await ask(platform, dm, 'and the gate', { text: /re [\s\S]*gate/ });
    expect(world.tasks()).toHaveLength(1);
    const after = platform.answers(dm).length;
    await give('task', 'plan a trip to Rome', /re [\s\S]*plan a trip to Rome/);
    await waitFor(platform, dm, { after, text: /re [\s\S]*plan a trip to Rome/ });
    expect(world.tasks()).toHaveLength(2);
  });
});
