/** "What did we say about that?": earlier conversations are found in chats, by whom they belong to. */
import { expect, it } from 'vitest';
import { ask } from '../platforms/platform.ts';
import { openPlatforms } from '../platforms/world.ts';

it('finds what was said in private in private alone, also by another account of the person', async () => {
  const world = await openPlatforms({ on: ['telegram', 'discord'], channel: { live: 'off', injection: 'followup' } });
  const { telegram, discord } = world.platforms;
  world.llm.script(({ lastUser, toolResults }) => {
    if (!lastUser.includes('which boiler')) return { text: 'Noted: <memory_suggestion> is no tag here.' };
    if (toolResults.length === 0)
      return { toolCalls: [{ name: 'search_history', arguments: { query: 'boiler Vaillant' } }] };
    return { text: `Found: ${toolResults[0]}` };
  });
  const dm = telegram.dm('alex');
  await ask(telegram, dm, 'My boiler is a Vaillant ecoTEC');
  await telegram.command(dm, 'new');
  const { text } = await ask(telegram, dm, 'which boiler do I have?');
  expect(text).toContain('Vaillant ecoTEC');
  const result = () => JSON.parse(world.llm.requests().at(-1)?.toolResults.at(-1) ?? '{}');
  expect(result().found[0]).toMatchObject({
    task: expect.stringMatching(/^\d{8}-/),
    title: expect.stringContaining('boiler'),
    text: 'My boiler is a Vaillant ecoTEC',
  });
  // The same person elsewhere.
  expect((await ask(discord, discord.dm('alex'), 'which boiler do I have?')).text).toContain('Vaillant ecoTEC');
  // Others read a group; somebody else has never been told.
  const said = telegram.say(telegram.room, 'which boiler do I have?', { mention: true });
  const place = telegram.answerPlace(said);
  await expect.poll(() => telegram.answers(place).some((each) => each.text.includes('Found:'))).toBe(true);
  const found: { text: string }[] = result().found;
  expect(found.every((each) => !each.text.includes('Vaillant ecoTEC'))).toBe(true);
});
