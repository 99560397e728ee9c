/** Plans of a home with several processes: what an editor saves late takes nothing back, whichever of them sees it; pages hear of all. */
import fs from 'node:fs';
import path from 'node:path';
import { Redis } from 'ioredis';
import { describe, expect, it, onTestFinished } from 'vitest';
import { hashText } from '../../src/lib/files.ts';
import { hasRedis, WITHOUT_REDIS } from '../helpers/redis.ts';
import { ask, type Platform, waitFor } from '../platforms/platform.ts';
import { type Fleet, openFleet } from './fleet.ts';

const STEPS = '## Goal\nShip it\n\n## Plan\n- [ ] collect numbers\n- [ ] write the report\n- [ ] send it\n';
const TOLD = /The earlier version is kept/;
const apart = { process: true };

async function open(): Promise<{ fleet: Fleet; telegram: Platform }> {
  const fleet = await openFleet();
  const [telegram] = fleet.platforms;
  if (!telegram) throw new Error('there is no platform');
  fleet.llm.script(({ lastUser, toolResults }) =>
    lastUser.includes('make a plan') && toolResults.length === 0
      ? { toolCalls: [{ name: 'update_plan', arguments: { plan: STEPS } }] }
      : { text: 'Here it is.' },
  );
  await fleet.start(['ingress', 'deliver']);
  return { fleet, telegram };
}

/** The plan of the one task, as it stands. */
const planOf = ({ home }: Fleet): { file: string; text: string } => {
  const [task = ''] = fs.readdirSync(path.join(home, 'artifacts'));
  const file = path.join(home, 'artifacts', task, 'task.md');
  return { file, text: fs.readFileSync(file, 'utf8') };
};

describe.skipIf(!hasRedis)(`plans that several processes write${WITHOUT_REDIS}`, () => {
  it('keep the tick of one process when another sees an older text saved, and say so', async () => {
    const { fleet, telegram } = await open();
    const alex = telegram.dm('alex');
    const first = await fleet.start(['work'], apart);
    await ask(telegram, alex, 'make a plan', { text: 'Here it is.' });
    const opened = planOf(fleet).text;
    await telegram.command(alex, 'plan', 'done 1');
    expect(planOf(fleet).text).toContain('[x] collect numbers');
    // Whoever has written it is gone: the next one has only what stands in the home.
    await first.stop();
    await fleet.start(['work'], apart);
    fs.writeFileSync(planOf(fleet).file, opened.replace('write the report', 'write a SHORT report'));
    await telegram.command(alex, 'plan');
    await waitFor(telegram, alex, { text: /collect numbers[\s\S]*SHORT report/ });
    await waitFor(telegram, alex, { text: 'I merged your change' });
    const { text } = planOf(fleet);
    expect(text).toContain('[x] collect numbers');
    expect(text).toContain('[ ] write a SHORT report');
  });

  it('keep the plan from before beside one that takes a tick back, and tell it once, however many see it at once', async () => {
    const { fleet, telegram } = await open();
    const alex = telegram.dm('alex');
    for (let n = 0; n < 3; n++) await fleet.start(['work'], apart);
    await ask(telegram, alex, 'make a plan', { text: 'Here it is.' });
    const opened = planOf(fleet).text;
    await telegram.command(alex, 'plan', 'done 1');
    const ticked = planOf(fleet).text;
    expect(ticked).toContain('[x] collect numbers');
    fs.writeFileSync(planOf(fleet).file, opened);
    await Promise.all(Array.from({ length: 6 }, () => telegram.command(alex, 'plan')));
    await waitFor(telegram, alex, { text: TOLD });
    const folder = path.dirname(planOf(fleet).file);
    const kept = fs.readdirSync(folder).filter((name) => name.endsWith('.md') && name !== 'task.md');
    expect(kept.map((name) => fs.readFileSync(path.join(folder, name), 'utf8'))).toEqual([ticked]);
    // Whatever would be told twice is told before this is answered.
    await telegram.command(alex, 'status');
    expect(telegram.answers(alex).filter(({ text }) => TOLD.test(text))).toHaveLength(1);
  });

  it('are told to the pages of others by a process that serves none', async () => {
    const { fleet, telegram } = await open();
    const alex = telegram.dm('alex');
    const ears = new Redis(fleet.redis.url);
    onTestFinished(() => ears.disconnect());
    const heard: string[] = [];
    ears.on('message', (_channel, text) => heard.push(text));
    await ears.subscribe('viber:news');
    await fleet.start(['work'], apart);
    await ask(telegram, alex, 'make a plan', { text: 'Here it is.' });
    const said = () =>
      heard.filter((text) => text.includes('plan:changed') && text.includes(hashText(planOf(fleet).text)));
    await expect.poll(() => said().length).toBeGreaterThan(0);
    // What is saved by hand is told of by whoever sees it first.
    const { file, text: made } = planOf(fleet);
    fs.writeFileSync(file, made.replace('send it', 'send it to all'));
    await telegram.command(alex, 'plan');
    await expect.poll(() => said().length).toBeGreaterThan(0);
  });
});
