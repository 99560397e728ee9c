/** Gateways for tests: a complete one in its own folder, or only the parts that a function needs. */
import { onTestFinished } from 'vitest';
import type { GatewayOptions, OpenGateway } from '../../src/app/contract.ts';
import { openGateway } from '../../src/app/gateway.ts';
import { silentLog } from '../../src/log.ts';
import type { Gateway } from '../../src/runtime/run/gateway.ts';
import { defaults } from './defaults.ts';
import { tempFolder } from './temp.ts';

export type TestGatewayOptions = Partial<Omit<GatewayOptions, 'config'>> & {
  /** Settings in addition to the defaults. */
  config?: Partial<GatewayOptions['config']>;
};

/**
 * Builds it as the program does, without starting it. It ends with the test unless `isKept` leaves that to the test.
 */
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

/** Returns a gateway with only the given parts. */
export const partsOf = (parts: Parts<Gateway>): Gateway => parts as unknown as Gateway;
