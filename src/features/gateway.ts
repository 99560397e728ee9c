/** The base of all features: the gateway's interface, and values kept per gateway in memory. */
import type { Config } from '../config.ts';
import type { Gateway } from '../runtime/run/gateway.ts';

export type { Feature, FeatureRun, Gateway } from '../runtime/run/gateway.ts';

/** The runtime only knows its own part of the configuration; every gateway is built with all of it. */
export const configOf = ({ config }: { config: object }): Config => config as Config;

/** Creates a value on first use and keeps it as long as the gateway. */
export function perGateway<Kept>(make: (gw: Gateway) => Kept): (gw: Gateway) => Kept {
  const kept = new WeakMap<Gateway, { value: Kept }>();
  return (gw) => {
    const known = kept.get(gw) ?? { value: make(gw) };
    kept.set(gw, known);
    return known.value;
  };
}
