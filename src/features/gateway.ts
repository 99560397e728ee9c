/** What every feature stands on: the gateway as features see it, and what a feature keeps of it beside the files of the home. */
import type { Config } from '../config.ts';
import type { Gateway } from '../runtime/run/gateway.ts';

export type { Feature, FeatureRun, Gateway } from '../runtime/run/gateway.ts';

/** The runtime knows only its own part of the configuration; every gateway is built with the whole of it. */
export const configOf = ({ config }: Pick<Gateway, 'config'>): Config => config as Config;

/** Makes a value when it is first asked for; it lives as long as the gateway. */
export function perGateway<Kept>(make: (gw: Gateway) => Kept): (gw: Gateway) => Kept {
  const kept = new WeakMap<Gateway, { value: Kept }>();
  return (gw) => {
    const known = kept.get(gw) ?? { value: make(gw) };
    kept.set(gw, known);
    return known.value;
  };
}
