/** Two gateways with one bot over one engine: one holds the connection, and the next goes on with its session. */
import { describe, expect, it } from 'vitest';
import type { Engine } from '../../../src/engine/engine.ts';
import { memberOf, openSharedEngine } from '../../helpers/shared-engine.ts';
import { quiet } from '../../kit/quiet.ts';
import { answer, type Bench, createLedger, eventually, startBench } from './harness.ts';

const room = (bench: Bench) => bench.discord.rooms.general;
const texts = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => `m${from + index}`);
/** By id, since what comes twice is known to the queue. */
const once = (...benches: Bench[]) => [
  ...new Map(benches.flatMap(({ got }) => got).map(({ message }) => [message.id, message.text])).values(),
];

async function world() {
  const engine: Engine<unknown> = await openSharedEngine();
  const [one, two] = [memberOf(engine), memberOf(engine)];
  const first = await startBench({ shared: { lead: one.lead, sessions: engine.state } });
  const second = first.again({ shared: { lead: two.lead, sessions: engine.state } });
  await first.connect();
  await eventually(() => first.discord.gateway().identifies === 1);
  await second.connect();
  return { engine, first, second, one, two };
}

describe('two gateways with one bot', () => {
  it('hold one connection, and the next resumes the session of one that was stopped', async () => {
    const { first, second } = await world();
    const { discord } = first;
    for (const text of texts(0, 5)) discord.say(room(first), text);
    await eventually(() => first.got.length === 5);
    expect([discord.gateway().identifies, discord.gateway().connections, second.got]).toEqual([1, 1, []]);
    expect(second.channel.status()).toEqual({ state: 'connected' });
    // Whoever does not hold it can send.
    await second.channel.send(answer(second, { id: 'o1', text: 'from the second' }), createLedger());
    await first.channel.disconnect();
    for (const text of texts(5, 9)) discord.say(room(first), text);
    await eventually(() => second.texts().includes('m8'));
    expect(discord.gateway()).toMatchObject({ identifies: 1, resumes: 1 });
    expect(once(first, second)).toEqual(texts(0, 9));
    // What was taken in before the stop is not even said again.
    expect(second.texts()).toEqual(texts(5, 9));
    const taken = second.got.find(({ message }) => message.text === 'm6')?.message;
    expect(taken).toMatchObject({
      isDirect: false,
      address: { workspace: discord.guildId, account: first.channel.account },
    });
  });

  it('miss nothing when the one that holds it is gone with messages that it could not take in', async () => {
    const { engine, first, second, one } = await world();
    const { discord } = first;
    discord.say(room(first), 'm0');
    await eventually(() => first.got.length === 1);
    await eventually(async () => (await engine.state.get(`discord.session.${first.channel.account}.0`)) !== undefined);
    const stuck = Promise.withResolvers<'duplicate'>();
    first.storing(() => stuck.promise);
    for (const text of texts(1, 5)) discord.say(room(first), text);
    await eventually(() => first.got.length === 5);
    // Its session is stored once a second.
    await quiet({ within: 1_200, except: /Discord/ });
    // As after a kill: the line breaks, and nobody says goodbye.
    discord.refuseReconnects(1);
    discord.dropGateway();
    one.lose();
    const lostAt = performance.now();
    await eventually(() => second.texts().includes('m4'), 'm4');
    expect(performance.now() - lostAt).toBeLessThan(15_000);
    expect(second.texts().filter((text) => text !== 'm0')).toEqual(texts(1, 5));
    stuck.resolve('duplicate');
  });

  it('identify anew where the session is gone, and look up what was missed', async () => {
    const { first, second } = await world();
    const { discord } = first;
    for (const text of texts(0, 3)) discord.say(room(first), text);
    await eventually(() => first.got.length === 3);
    discord.refuseResumes(1);
    await first.channel.disconnect();
    for (const text of texts(3, 6)) discord.say(room(first), text);
    await eventually(() => second.texts().includes('m5'), 'm5');
    expect(discord.gateway().identifies).toBe(2);
    expect(once(first, second)).toEqual(texts(0, 6));
  });
});
