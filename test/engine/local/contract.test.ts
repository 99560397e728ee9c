import fs from 'node:fs';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import type { Engine } from '../../../src/engine/engine.ts';
import { openLocalEngine } from '../../../src/engine/local/engine.ts';
import { LockedError } from '../../../src/errors.ts';
import { tempFolder } from '../../helpers/temp.ts';
import { type EngineWorld, engineContract, type WorldOptions } from '../contract.ts';

/** A crash leaves a copy of the home as it is at that moment: what the old process does from then on reaches nobody. */
function localWorld({ onError, hasResult }: WorldOptions = {}): EngineWorld {
  const folder = tempFolder();
  let lives = 0;
  const home = () => path.join(folder, `life-${lives}`);
  return {
    async open() {
      const folders = {
        spool: path.join(home(), 'spool'),
        run: path.join(home(), 'run'),
        cache: path.join(home(), 'cache'),
      };
      for (const each of Object.values(folders)) fs.mkdirSync(each, { recursive: true });
      const engine: Engine<string> = await openLocalEngine<string>({
        ...{ folders, freeBytes: 0, suspectDelayMs: 5, onDead: () => undefined },
        hasResult: async ({ message }) => hasResult?.(message) === true,
        onError:
          onError ??
          ((error) => {
            throw error;
          }),
      });
      onTestFinished(() => engine.close());
      return engine;
    },
    async crash() {
      const before = home();
      lives++;
      fs.cpSync(before, home(), { recursive: true });
    },
  };
}

engineContract('local', localWorld);

it('refuses a second process on one home', async () => {
  const world = localWorld();
  const engine = await world.open();
  await expect(world.open()).rejects.toThrow(LockedError);
  await engine.close();
  await world.open();
});
