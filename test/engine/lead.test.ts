/** Leading for as long as a process lives, over an engine that lets go, fails and gives back. */

import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { ended, type Turn } from '../../src/channels/lead.ts';
import { leadBy } from '../../src/engine/lead.ts';
import { memberOf, openSharedEngine } from '../helpers/shared-engine.ts';
import { quiet } from '../kit/quiet.ts';

describe('leading', () => {
  it('passes to another when whoever leads fails, and comes back when that one is gone', async () => {
    const engine = await openSharedEngine();
    const errors: unknown[] = [];
    const log: string[] = [];
    let fails = true;
    const run = (who: string) => async (turn: Turn) => {
      log.push(who);
      if (who === 'a' && fails) throw new Error('no');
      await ended(turn);
    };
    const stopA = leadBy(engine, (error) => void errors.push(error), 20)('x', run('a'));
    const stopB = leadBy(engine, (error) => void errors.push(error), 20)('x', run('b'));
    await expect.poll(() => log).toEqual(['a', 'b']);
    expect(errors).toMatchObject([{ message: 'no' }]);
    fails = false;
    await stopB();
    await expect.poll(() => log).toEqual(['a', 'b', 'a']);
    await stopA();
    await quiet();
    expect(log).toHaveLength(3);
  });

  it('ends work at a stop while it is still led, and gives it up only then', async () => {
    const engine = await openSharedEngine();
    const seen: boolean[] = [];
    let begun = false;
    const stop = leadBy(engine, () => undefined)('x', async (turn) => {
      begun = true;
      await ended(turn);
      // Its work takes its time.
      await sleep(20);
      seen.push(turn.isOurs());
    });
    await expect.poll(() => begun).toBe(true);
    let next = false;
    leadBy(engine, () => undefined)('x', async (turn) => {
      next = true;
      seen.push(turn.isOurs());
    });
    await stop();
    await expect.poll(() => next).toBe(true);
    expect(seen.slice(0, 2)).toEqual([true, true]);
  });

  it('tells whoever has lost it that it is another’s, and what is lost is no failure', async () => {
    const engine = await openSharedEngine();
    const [one, two] = [memberOf(engine), memberOf(engine)];
    const turns: Turn[] = [];
    const run = async (turn: Turn) => {
      turns.push(turn);
      await ended(turn);
    };
    const stops = [one.lead('x', run), two.lead('x', run)];
    await expect.poll(() => turns.length).toBe(1);
    one.lose();
    await expect.poll(() => turns.length).toBe(2);
    expect(turns.map((turn) => turn.isOurs())).toEqual([false, true]);
    for (const stop of stops) await stop();
  });

  it('does not pile up where an engine gives the lead back by itself', async () => {
    let asked = 0;
    let open = 0;
    const engine = {
      lead(_name: string, run: Parameters<typeof two>[0]) {
        asked++;
        open++;
        return two(run, () => open--);
      },
    };
    const begun: number[] = [];
    const stop = leadBy(
      engine,
      () => undefined,
      30,
    )('x', async (turn) => {
      begun.push(asked);
      await ended(turn);
    });
    await expect.poll(() => begun.length).toBeGreaterThan(1);
    await stop();
    expect(open).toBe(0);
  });
});

/** Loses what it gave after 20 ms, and gives it again 5 ms later. */
function two(run: (fence: { epoch: number; lost: AbortSignal; check(): void }) => Promise<void>, onEnd: () => void) {
  const stopping = new AbortController();
  const over = (async () => {
    while (!stopping.signal.aborted) {
      const lost = AbortSignal.any([stopping.signal, AbortSignal.timeout(20)]);
      await run({ epoch: 1, lost, check: () => undefined });
      // The engine gives it again after a moment.
      await sleep(5);
    }
    onEnd();
  })();
  return async () => {
    stopping.abort();
    await over;
  };
}
