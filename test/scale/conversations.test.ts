/** What is said to one of two processes holds in the other: Slack hands events to either in turn. */
import fs from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { hasRedis, WITHOUT_REDIS } from '../helpers/redis.ts';
import { type Platform, waitFor } from '../platforms/platform.ts';
import { openFleet } from './fleet.ts';

/** Each task's session. */
const tasksOf = (home: string): string[] => {
  const folder = path.join(home, 'agents', 'default', 'sessions');
  return fs.readdirSync(folder).map((name) => fs.readFileSync(path.join(folder, name), 'utf8'));
};

async function openTwo(how?: { process: true }) {
  const fleet = await openFleet({ on: ['slack'] });
  fleet.llm.script(({ lastUser }) => ({ text: `re ${lastUser.replace(/^\[.*?\]: /, '')}` }));
  await fleet.start(['ingress', 'work', 'deliver'], how);
  await fleet.start(['ingress', 'work', 'deliver'], how);
  const [slack] = fleet.platforms as [Platform];
  return { fleet, slack, alex: slack.dm('alex') };
}

it.runIf(hasRedis)(
  `words that begin a conversation by two processes at once begin one task${WITHOUT_REDIS}`,
  async () => {
    const { fleet, slack, alex } = await openTwo({ process: true });
    const all = Array.from({ length: 8 }, (_, n) => `first ${n}`);
    for (const text of all) slack.say(alex, text);
    for (const text of all) await waitFor(slack, alex, { text: `re ${text}` });
    expect(tasksOf(fleet.home)).toHaveLength(1);
  },
);

it.runIf(hasRedis)(
  `a new task, and what is chosen for a conversation, hold in both at once${WITHOUT_REDIS}`,
  async () => {
    const { fleet, slack, alex } = await openTwo();
    for (let n = 0; n < 3; n++) {
      // Both see it by its task.
      const texts = [0, 1, 2, 3, 4, 5].map((word) => `round ${n} word ${word}`);
      for (const text of texts) slack.say(alex, text);
      for (const text of texts) await waitFor(slack, alex, { text: `re ${text}` });
      expect(tasksOf(fleet.home).filter((session) => session.includes(`round ${n}`))).toHaveLength(1);
      await slack.command(alex, 'new');
    }
    for (const mode of ['collect', 'steer', 'followup']) {
      await slack.command(alex, 'queue', mode);
      for (let n = 0; n < 2; n++) expect((await slack.command(alex, 'queue')).text).toContain(mode);
    }
  },
);
