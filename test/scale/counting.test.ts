/** What is counted is counted for all processes together: Slack hands events to either of two in turn. */

import { describe, expect, it } from 'vitest';
import { hasRedis, WITHOUT_REDIS } from '../helpers/redis.ts';
import { quiet } from '../kit/quiet.ts';
import { type Platform, waitFor } from '../platforms/platform.ts';
import { openFleet } from './fleet.ts';

const ALL = ['ingress', 'work', 'deliver'] as const;

async function openTwo(config: (slack: Platform) => Record<string, unknown>) {
  const fleet = await openFleet({ on: ['slack'], configOf: ([slack]) => config(slack as Platform) });
  fleet.llm.script(({ lastUser }) => ({ text: `re ${lastUser.replace(/^\[.*?\]: /, '')}` }));
  for (let n = 0; n < 2; n++) await fleet.start(ALL, { process: true });
  const [slack] = fleet.platforms as [Platform];
  return { fleet, slack };
}

describe.skipIf(!hasRedis)(`two processes count together${WITHOUT_REDIS}`, () => {
  it('the messages of a member in a minute, and say once that it is enough', async () => {
    const { slack } = await openTwo((platform) => ({
      limits: { freeBytes: 0, messagesPerMinute: 5 },
      people: [
        { name: 'alex', role: 'owner', ids: [platform.identity('alex')] },
        { name: 'sam', role: 'member', ids: [platform.identity('sam')] },
      ],
    }));
    const sam = slack.dm('sam');
    const texts = () => slack.answers(sam).map(({ text }) => text);
    for (let n = 0; n < 12; n++) slack.say(sam, `word ${n}`, { by: 'sam' });
    await expect.poll(() => texts().filter((text) => text.startsWith('re ')).length).toBe(5);
    await waitFor(slack, sam, { text: 'too many messages in a minute' });
    await quiet();
    expect(texts().filter((text) => text.startsWith('re '))).toHaveLength(5);
    expect(texts().filter((text) => text.includes('too many messages'))).toHaveLength(1);
    // Nobody else is held up by it.
    const alex = slack.dm('alex');
    slack.say(alex, 'hello');
    await waitFor(slack, alex, { text: 're hello' });
  });

  it('wrong codes of a stranger, five in an hour', async () => {
    const { slack } = await openTwo(() => ({}));
    const kim = slack.dm('kim');
    const wrong = () => slack.answers(kim).filter(({ text }) => text.includes("don't know this code")).length;
    for (let n = 0; n < 12; n++) slack.say(kim, `/link AAAA-AAA${'23456789BCDE'[n]}`, { by: 'kim' });
    await expect.poll(wrong).toBe(5);
    await quiet();
    expect(wrong()).toBe(5);
  });
});
