/** Slack's client brings a newer copy of the HTTP library that Discord's uses; loaded first, it answers for both. */
import '../../../src/channels/slack/adapter.ts';
import { expect, it } from 'vitest';
import { waitFor } from '../../platforms/platform.ts';
import { openPlatforms } from '../../platforms/world.ts';

it('files go out on Discord with Slack loaded before it', async () => {
  const { platforms } = await openPlatforms({ on: ['discord'], offline: true });
  const place = platforms.discord.dm('alex');
  platforms.discord.say(place, 'write a file a.md: hello');
  const answer = await waitFor(platforms.discord, place, { file: 'a.md' });
  expect(answer.files).toHaveLength(1);
});
