/** What is counted and traced is so on each platform, and over a kill. */
import { expect, it, onTestFinished } from 'vitest';
import { startCollector, type TakenSpan } from '../emulators/otlp.ts';
import { type ReadFamily, readMetrics } from '../helpers/openmetrics.ts';
import { quiet } from '../kit/quiet.ts';
import { ask, waitFor } from '../platforms/platform.ts';
import { NAMES, openPlatforms, type PlatformWorld } from '../platforms/world.ts';

const ACCEPT = 'application/openmetrics-text;version=1.0.0';

async function scrape(world: PlatformWorld): Promise<Map<string, ReadFamily>> {
  const { port } = JSON.parse(world.read('run/gateway.json'));
  const response = await fetch(`http://127.0.0.1:${port}/metrics`, { headers: { accept: ACCEPT } });
  return readMetrics(await response.text(), 'openmetrics');
}

const sampleOf = (families: Map<string, ReadFamily>, family: string, sample: string, labels: Record<string, string>) =>
  families
    .get(family)
    ?.samples.find(
      ({ name, labels: own }) =>
        name === family + sample && Object.entries(labels).every(([key, value]) => own[key] === value),
    )?.value;

it('on each platform a message is counted at every stage, and a refusal by its kind', async () => {
  const world = await openPlatforms();
  for (const name of NAMES) {
    const platform = world.platforms[name];
    await ask(platform, platform.dm('alex'), 'first');
    platform.fault({ kind: 'rate-limit', times: 1, seconds: 1 });
    await ask(platform, platform.dm('alex'), 'second');
  }
  await expect.poll(async () => sampleOf(await scrape(world), 'viber_waiting', '', {})).toBe(0);
  const families = await scrape(world);
  for (const channel of NAMES) {
    const stages = ['acknowledge', 'queue_wait', 'first_word', 'answer', 'delivery'];
    const counts = stages.map((stage) => sampleOf(families, `viber_${stage}_seconds`, '_count', { channel }));
    expect(counts, channel).toEqual([2, 2, 2, 2, 2]);
    expect(sampleOf(families, 'viber_channel_connected', '', { channel })).toBe(1);
  }
  const limited = sampleOf(families, 'viber_errors', '_total', { stage: 'delivery', kind: 'limited' });
  expect(limited).toBeGreaterThanOrEqual(1);
});

it('a message that a kill has cut goes on in the same trace, on each platform', async () => {
  const collector = await startCollector();
  onTestFinished(() => collector.close());
  const world = await openPlatforms({
    ...{ process: true, linked: false, config: { telemetry: { endpoint: collector.url } } },
  });
  let isHeld = true;
  world.llm.script(() => ({ text: 'late', delayMs: isHeld ? 60_000 : 0 }));
  for (const name of NAMES) {
    const platform = world.platforms[name];
    platform.say(platform.dm('alex'), 'begun before');
  }
  // They have left with the first seconds' spans.
  await expect.poll(() => collector.spans.filter(({ name }) => name === 'accept').length).toBe(NAMES.length);
  isHeld = false;
  await world.kill();
  for (const name of NAMES) {
    const platform = world.platforms[name];
    await waitFor(platform, platform.dm('alex'), { text: 'late' });
  }
  await quiet();
  await world.stop();
  expect(collector.refused).toEqual([]);
  const accepts = collector.spans.filter(({ name }) => name === 'accept');
  expect(accepts.map(({ attributes }) => attributes['viber.channel']).toSorted()).toEqual(NAMES.toSorted());
  for (const accept of accepts) {
    const own = collector.spans.filter(({ trace }) => trace === accept.trace);
    const one = (name: RegExp): TakenSpan | undefined => own.find((span) => name.test(span.name));
    expect([one(/^invoke_agent/)?.parent, one(/^deliver$/)?.parent]).toEqual([accept.id, accept.id]);
    expect(one(/^invoke_agent/)?.attributes).toMatchObject({ 'viber.resumed': true, 'viber.state': 'completed' });
    expect(one(/^chat/)?.parent).toBe(one(/^invoke_agent/)?.id);
  }
});
