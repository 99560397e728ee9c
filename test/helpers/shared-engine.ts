/** One engine that several parts of a test share as processes do, each with leads that can end as in a crash. */
import path from 'node:path';
import { onTestFinished } from 'vitest';
import type { Lead } from '../../src/channels/lead.ts';
import type { Engine, Fence, Stop } from '../../src/engine/engine.ts';
import { leadBy } from '../../src/engine/lead.ts';
import { openLocalEngine } from '../../src/engine/local/engine.ts';
import { LeaseLost } from '../../src/errors.ts';
import { openHome } from '../../src/workspace/home.ts';
import { tempFolder } from './temp.ts';

export async function openSharedEngine<T = unknown>(): Promise<Engine<T>> {
  const home = await openHome(path.join(tempFolder(), 'home'));
  const engine: Engine<T> = await openLocalEngine<T>({
    ...{ folders: home, freeBytes: 0, suspectDelayMs: 5, onDead: () => undefined },
    onError(error) {
      throw error;
    },
  });
  onTestFinished(() => engine.close());
  return engine;
}

export interface Member {
  lead: Lead;
  engineLead: Engine<unknown>['lead'];
  /** Makes the engine consider this process gone: what it leads is lost, and others may lead it at once. */
  lose(): void;
}

export function memberOf(engine: Pick<Engine<unknown>, 'lead'>, againMs = 50): Member {
  let isLost = false;
  const losing = new Set<() => void>();
  const lead = (name: string, run: (fence: Fence) => Promise<void>): Stop => {
    const gone = new AbortController();
    const stop = engine.lead(name, async (fence) => {
      if (isLost) return;
      const lose = Promise.withResolvers<void>();
      const loseIt = () => {
        gone.abort();
        lose.resolve();
      };
      losing.add(loseIt);
      const check = () => {
        if (gone.signal.aborted) throw new LeaseLost(`${name} was taken away`);
        fence.check();
      };
      const mine = { epoch: fence.epoch, lost: AbortSignal.any([gone.signal, fence.lost]), check };
      await Promise.race([run(mine), lose.promise]);
      losing.delete(loseIt);
    });
    return stop;
  };
  return {
    engineLead: lead,
    lead: leadBy(
      { lead },
      (error) => {
        throw error;
      },
      againMs,
    ),
    lose() {
      isLost = true;
      for (const each of losing) each();
    },
  };
}
