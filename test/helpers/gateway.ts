/** Gateways for tests: a whole one on a folder of its own, and for one function the parts of one that it asks for. */
import { onTestFinished } from 'vitest';
import type { GatewayOptions, OpenGateway } from '../../src/app/contract.ts';
import { openGateway } from '../../src/app/gateway.ts';
import { silentLog } from '../../src/log.ts';
import type { Gateway } from '../../src/runtime/run/gateway.ts';
import { defaults } from './defaults.ts';
import { tempFolder } from './temp.ts';

export type TestGatewayOptions = Partial<Omit<GatewayOptions, 'config'>> & {
  /** What the configuration says beside the defaults. */
  config?: Partial<GatewayOptions['config']>;
};

/** As the program builds it, not started. It ends with the test unless `isKept` says that the test ends it. */
export async function openTestGateway(options: TestGatewayOptions = {}, isKept = false): Promise<OpenGateway> {
  const { config, ...given } = options;
  const open = await openGateway({
    homeRoot: given.homeRoot ?? tempFolder(),
    log: silentLog(),
    ...given,
    config: { ...defaults, ...config },
  });
  if (!isKept)
    onTestFinished(async () => {
      await open.stop(0);
      await open.close();
    });
  return open;
}

type Parts<T> = { [K in keyof T]?: T[K] extends (...args: never[]) => unknown ? T[K] : Parts<T[K]> };

/** A gateway of which nothing is there but what is named. */
export const partsOf = (parts: Parts<Gateway>): Gateway => parts as unknown as Gateway;
