/** What fails around several processes on one home, each a real one: stopped in the middle of a run, without its server, pressed at both doors. */

import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { LlmRequest, Turn } from '../emulators/llm.ts';
import { hasRedis, WITHOUT_REDIS } from '../helpers/redis.ts';
import { quiet } from '../kit/quiet.ts';
import { ask, type Platform, waitFor } from '../platforms/platform.ts';
import { type Fleet, openFleet, type Role, WITHOUT_MACHINES } from './fleet.ts';

const ALL: readonly Role[] = ['ingress', 'work', 'deliver'];
const apart = { process: true };

/** Saves a report, and says something once it is saved. */
const reporting =
  (delayMs = 0) =>
  ({ toolResults }: LlmRequest): Turn =>
    toolResults.length > 0
      ? { text: 'Here is the report.', ...(delayMs > 0 && { delayMs }) }
      : { toolCalls: [{ name: 'create_artifact', arguments: REPORT }] };
const REPORT = { title: 'report.md', type: 'text/markdown', content: 'Sales went up 4%.' };

const onlyPlatform = ({ platforms: [platform] }: Fleet): Platform => {
  if (!platform) throw new Error('there is no platform');
  return platform;
};
const readiness = async (port: number): Promise<number> => (await fetch(`http://127.0.0.1:${port}/readyz`)).status;
/** Steps of the first kind: a report that is to be saved. */
const savings = (fleet: Fleet): number =>
  fleet.llm.requests().filter(({ toolResults }) => toolResults.length === 0).length;

describe.skipIf(!hasRedis)(`several processes on one home${WITHOUT_REDIS}`, () => {
  it('go on with the run of one that is stopped politely, after its last step', async () => {
    const fleet = await openFleet();
    const telegram = onlyPlatform(fleet);
    const alex = telegram.dm('alex');
    let isSlow = true;
    fleet.llm.script((request) => reporting(isSlow ? 60_000 : 0)(request));
    await fleet.start(['ingress', 'deliver']);
    const first = await fleet.start(['work'], apart);
    telegram.say(alex, 'write the report');
    await fleet.llm.waitFor(({ toolResults }) => toolResults.length > 0);
    await fleet.start(['work'], apart);
    isSlow = false;
    const stopping = first.stop();
    // It may end its runs itself for 20 s.
    const answer = await waitFor(telegram, alex, { text: 'Here is the report.' });
    expect(answer.files.map(({ name }) => name)).toEqual(['report.md']);
    await stopping;
    expect(savings(fleet)).toBe(1);
    await quiet();
    expect(telegram.answers(alex)).toHaveLength(1);
  });

  it('say that they are not ready while their server is away, and answer everything once it is back', async () => {
    const fleet = await openFleet();
    const telegram = onlyPlatform(fleet);
    const alex = telegram.dm('alex');
    fleet.llm.script(({ lastUser }) => ({ text: `re ${lastUser.replace(/^\[.*?\]: /, '')}` }));
    const nodes = [await fleet.start(ALL, apart), await fleet.start(ALL, apart)];
    await ask(telegram, alex, 'one', { text: 're one' });
    await fleet.redis.kill();
    for (const { port } of nodes) await expect.poll(() => readiness(port)).toBe(503);
    telegram.say(alex, 'two');
    await fleet.redis.start();
    for (const { port } of nodes) await expect.poll(() => readiness(port)).toBe(200);
    await waitFor(telegram, alex, { text: 're two' });
    expect(telegram.answers(alex).map(({ text }) => text)).toEqual(['re one', 're two']);
  });

  it('take the first of 100 presses of one button, whichever of them hears it', async () => {
    const fleet = await openFleet({ on: ['slack'] });
    const slack = onlyPlatform(fleet);
    const alex = slack.dm('alex');
    const file = { path: 'workspace/notes.md', content: 'milk and eggs' };
    fleet.llm.script(({ toolResults }) =>
      toolResults.length > 0
        ? { text: `I was told: ${toolResults.at(-1)}` }
        : { toolCalls: [{ name: 'write_file', arguments: file }] },
    );
    for (let n = 0; n < 2; n++) await fleet.start(ALL, apart);
    await ask(slack, alex, 'keep a note', { text: 'Save notes.md' });
    await Promise.all(Array.from({ length: 100 }, (_, n) => slack.press(alex, n % 2 ? 'Save' : 'No', 'alex', true)));
    await waitFor(slack, alex, { text: 'I was told' });
    const said = () => slack.answers(alex).map(({ text }) => text);
    await expect.poll(() => said().filter((text) => /already/.test(text)).length).toBe(99);
    expect(said().filter((text) => text.includes('I was told'))).toHaveLength(1);
    // All of them say the same of what was decided.
    expect(new Set(said().filter((text) => /already/.test(text))).size).toBe(1);
    expect(fleet.llm.requests()).toHaveLength(2);
  });
});

describe.skipIf(!hasRedis || WITHOUT_MACHINES !== '')(
  `two machines that share nothing but a folder${WITHOUT_REDIS || WITHOUT_MACHINES}`,
  () => {
    it('have one home: either knows what was said to the other, and goes on with what it was killed at', async () => {
      const fleet = await openFleet({ on: ['slack'] });
      const slack = onlyPlatform(fleet);
      const alex = slack.dm('alex');
      let isSlow = false;
      fleet.llm.script((request) =>
        request.lastUser.includes('report')
          ? reporting(isSlow ? 60_000 : 0)(request)
          : { text: `re ${request.lastUser}` },
      );
      const one = await fleet.start(ALL, { machine: 'one' });
      for (const text of ['hello', 'again']) await ask(slack, alex, text, { text: `re ${text}` });
      isSlow = true;
      slack.say(alex, 'write the report');
      await fleet.llm.waitFor(({ toolResults }) => toolResults.length > 0);
      await fleet.start(ALL, { machine: 'two' });
      isSlow = false;
      await one.signal('SIGKILL');
      await waitFor(slack, alex, { text: 'Here is the report.' });
      await waitFor(slack, alex, { file: 'report.md' });
      // What was said to the first is in what the second tells the model.
      expect(JSON.stringify(fleet.llm.requests().at(-1)?.messages)).toContain('re again');
      expect(savings(fleet)).toBe(3);
      const sessions = path.join(fleet.home, 'agents', 'default', 'sessions');
      expect(fs.readdirSync(sessions).filter((name) => name.endsWith('.jsonl'))).toHaveLength(1);
      expect(fs.existsSync(path.join(fleet.home, 'run', 'gateway.json'))).toBe(false);
    });
  },
);
