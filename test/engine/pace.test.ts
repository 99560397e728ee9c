/** The pace of a chat after a platform has said "slow down": the same in all processes that send for a bot. */
import { describe, expect, it, onTestFinished } from 'vitest';
import { openLocalEngine } from '../../src/engine/local/engine.ts';
import { createPace } from '../../src/runtime/delivery.ts';
import { openHome } from '../../src/workspace/home.ts';
import { eventually } from '../helpers/eventually.ts';
import { tempFolder } from '../helpers/temp.ts';

const chat = (id: string) => ({ channel: 'telegram', account: 'bot', chat: id });

async function shared() {
  const errors: unknown[] = [];
  const engine = await openLocalEngine({
    ...{ folders: await openHome(tempFolder()), freeBytes: 0, onDead: () => undefined },
    onError: (error) => errors.push(error),
  });
  onTestFinished(() => engine.close());
  return { engine, errors };
}

describe('two processes that send for one bot', () => {
  it('are both held back by what one was told, in that chat alone', async () => {
    const { engine } = await shared();
    let now = 1_000_000;
    const [one, two] = [createPace(() => now, engine), createPace(() => now, engine)];
    one.limited({ ...chat('1'), thread: '7' }, 5_000);
    await eventually(() => expect(two.delay(chat('1'))).toBe(5_000));
    expect([one.delay(chat('1')), two.delay(chat('2')), one.delay(chat('2'))]).toEqual([5_000, 0, 0]);
    now += 5_000;
    expect([one.delay(chat('1')), two.delay(chat('1'))]).toEqual([0, 0]);
    two.sent(chat('1'));
    expect(two.delay(chat('1'))).toBeGreaterThan(1_000);
  });

  it('never wait shorter because of a word that came late, and pass over what is no word', async () => {
    const { engine, errors } = await shared();
    const [one, two] = [createPace(() => 0, engine), createPace(() => 0, engine)];
    one.limited(chat('1'), 9_000);
    two.limited(chat('1'), 1_000);
    engine.publish('pace', '{"chat":1}');
    await eventually(() => expect(two.delay(chat('1'))).toBe(9_000));
    expect([one.delay(chat('1')), errors]).toEqual([9_000, []]);
  });

  it('pass over what is no word without holding anybody back', async () => {
    const { engine, errors } = await shared();
    const pace = createPace(() => 0, engine);
    engine.publish('pace', '{"chat":"telegram bot 1","ms":"long"}');
    createPace(() => 0, engine).limited(chat('2'), 7_000);
    await eventually(() => expect(pace.delay(chat('2'))).toBe(7_000));
    expect([pace.delay(chat('1')), errors]).toEqual([0, []]);
  });

  it('of one process alone tells nobody', () => {
    const pace = createPace(() => 1_000_000);
    pace.limited(chat('1'), 100);
    expect([pace.delay(chat('1')), pace.delay(chat('2'))]).toEqual([100, 0]);
  });

  it('keeps a chat slow for a minute after its wait, and then leaves it alone', () => {
    let now = 1_000_000;
    const pace = createPace(() => now);
    const sent = () => {
      pace.sent(chat('1'));
      return pace.delay(chat('1'));
    };
    expect(sent()).toBe(0);
    pace.limited(chat('1'), 5_000);
    now += 5_000;
    expect([pace.delay(chat('1')), sent()]).toEqual([0, 1_050]);
    now += 1_000;
    expect(pace.delay(chat('1'))).toBe(50);
    now += 58_999;
    expect(sent()).toBe(1_050);
    now += 1;
    expect([pace.delay(chat('1')), sent()]).toEqual([0, 0]);
  });
});
