/** Pictures and links in what a hostile model writes: no platform is made to fetch an address, and the person sees each one. */
import { describe, expect, it } from 'vitest';
import type { LlmRequest, Turn } from '../emulators/llm.ts';
import { onEveryPlatform, openChat } from '../kit/kit.ts';
import { ask, type Place, type Platform, waitFor } from '../platforms/platform.ts';

const SECRET = 'alex-has-a-heart-condition';
const address = (at: string) => `https://host.example/${at}.png?${SECRET}`;
const ANSWER = [
  `Here it is: ![a chart](${address('plain')}) and ![](${address('bare')}).`,
  `[![badge](${address('badge')})](https://site.example/page)`,
  `![ref][one] and ${address('text')} and <${address('auto')}> and [click](${address('link')})`,
  `<img src="${address('html')}"> <a href="${address('anchor')}">x</a>`,
  `> ![q](${address('quote')})`,
  `- ![l](${address('list')})`,
  `| ![head](${address('head')}) | b |\n|---|---|\n| ![cell](${address('cell')}) | \`![code](${address('code')})\` |`,
  `- [ ] ![task](${address('task')})`,
  `# ![title](${address('title')})`,
  `[one]: ${address('ref')}`,
].join('\n\n');

const SEEN = ['plain', 'bare', 'badge', 'text', 'ref', 'quote', 'list', 'head', 'cell', 'task', 'title'];

const readable = (platform: Platform, place: Place): string =>
  platform
    .answers(place)
    .map(({ text }) => text)
    .join('\n')
    .replaceAll('\u2060', '')
    .replaceAll('\\', '');

/** All that was shown in between counts as well. */
const saying =
  (answer: string) =>
  (_request: LlmRequest): Turn => ({
    chunks: answer.match(/[\s\S]{1,40}/g) ?? [],
    chunkDelayMs: 30,
  });

describe.each(onEveryPlatform)('on %s', (name) => {
  it.each(['off', 'status', 'text'] as const)('nothing is fetched, with live: %s', async (live) => {
    const { world, platform, dm } = await openChat({ channel: { live } }, name);
    world.llm.script(saying(ANSWER));
    await ask(platform, dm, 'show me', { text: 'Here it is' });
    await waitFor(platform, dm, { text: /title\.png/ });
    expect(platform.fetched()).toEqual([]);
    const text = readable(platform, dm);
    for (const each of SEEN) expect(text).toContain(address(each));
    expect(text).toContain('a chart');
  });

  it('nor in a thread or group, from a command, nor in what is asked and listed', async () => {
    const { world, platform } = await openChat({ channel: { live: 'text' } }, name);
    world.llm.script(saying(ANSWER));
    const said = platform.say(platform.room, `show ${address('goal')}`, { mention: true });
    const place = platform.answerPlace(said);
    await waitFor(platform, place, { text: 'Here it is' });
    await waitFor(platform, place, { text: /title\.png/ });
    if (platform.hasThreads) {
      const thread = await platform.begin(`draw ${address('begun')}`);
      await waitFor(platform, thread, { text: /title\.png/ });
    }
    const dm = platform.dm('alex');
    const question = { question: `Which? ![q](${address('asked')})`, options: [`![o](${address('option')})`, 'no'] };
    world.llm.script(() => ({ toolCalls: [{ name: 'ask_user', arguments: question }] }));
    await ask(platform, dm, `choose ![g](${address('mine')})`, { text: 'Which?' });
    for (const command of ['status', 'tasks', 'plan', 'memory']) await platform.command(dm, command);
    if (platform.hasThreads) for (const command of ['status', 'tasks']) await platform.command(platform.room, command);
    expect(platform.fetched()).toEqual([]);
  });
});
