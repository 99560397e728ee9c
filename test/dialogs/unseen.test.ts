/** An answer of which nothing can be seen is no answer: its person is told so, on every platform. */
import { expect, it } from 'vitest';
import { onEveryPlatform, openChat } from '../kit/kit.ts';
import { waitFor } from '../platforms/platform.ts';

const UNSEEN = [
  '\u200b',
  '\u3164\u2800',
  '\u0301',
  '&nbsp;',
  '**  **',
  '[]()',
  '<!-- done -->',
  '```\n```',
  '\ufe0f\u{e0041}',
];

it.each(onEveryPlatform)('on %s', async (name) => {
  const { world, platform, dm: place } = await openChat({ channel: { live: 'off', injection: 'followup' } }, name);
  for (const [index, text] of UNSEEN.entries()) {
    world.llm.script(() => ({ text }));
    platform.say(place, `question ${index}`);
    await waitFor(platform, place, { text: 'gave an empty answer', count: index + 1 }).catch((error: unknown) => {
      throw new Error(`${JSON.stringify(text)}: ${String(error)}`);
    });
  }
  expect(platform.answers(place)).toHaveLength(UNSEEN.length);
  const made = { name: 'create_artifact', arguments: { title: 'a.txt', type: 'text/plain', content: 'one' } };
  world.llm.script(({ toolResults }) => (toolResults.length === 0 ? { toolCalls: [made] } : { text: '\u200b' }));
  platform.say(place, 'make a file');
  await waitFor(platform, place, { text: 'Done.' });
  await waitFor(platform, place, { file: 'a.txt' });
});
