/** Scheduled jobs switched off: nothing of them is left in a chat, and nothing of them is lost. */
import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { FEATURES } from '../helpers/features.ts';
import { ALEX, openWorld } from './harness.ts';

test('without jobs neither people nor models are offered any, their files stay, and a time zone can be set', async () => {
  const job = 'name: Digest\nschedule: "* * * * *"\ntimezone: UTC\nprompt: Write the digest\n';
  const world = await openWorld({
    features: FEATURES.filter(({ name }) => name !== 'jobs'),
    prepare: (home) => {
      fs.mkdirSync(path.join(home, 'jobs'), { recursive: true });
      fs.writeFileSync(path.join(home, 'jobs', 'digest.yaml'), job);
    },
  });
  await world.ask('hello');
  const offered = JSON.stringify(world.llm.requests().at(-1));
  expect(offered).toContain('update_plan');
  expect(offered).not.toMatch(/"(?:\w+_scheduled_jobs?|notify)"/);
  expect((await world.ask('/help all')).text).not.toContain('/jobs');
  expect((await world.ask('/timezone Europe/Berlin')).text).toContain('Europe/Berlin');
  expect((await world.ask('/timezone Asia/Tokyo')).text).toContain('Asia/Tokyo');
  expect(world.read('jobs/digest.yaml')).toBe(job);
  expect(world.telegram.chat(ALEX).messages.filter(({ text }) => text.includes('digest'))).toEqual([]);
});
