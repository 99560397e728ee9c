/** The features of the table with those from outside; one that does not fit beside the others is left out. */
import { errorMessage } from '../errors.ts';
import { FEATURES } from '../features.ts';
import type { Logger } from '../log.ts';
import type { LoadedFeature } from '../plugin/load.ts';
import { featureSet } from '../runtime/features.ts';
import type { Feature } from '../runtime/run/gateway.ts';

export function withPlugins(plugins: readonly LoadedFeature[], log: Logger): readonly Feature[] {
  const features = [...FEATURES];
  for (const { setting, feature } of plugins) {
    try {
      // A plugin is compiled against `plugin/feature.ts`, whose gateway is a part of the real one.
      const more = guarded(feature as Feature, log);
      featureSet([...features, more]);
      features.push(more);
    } catch (error) {
      log.error({ err: error, setting }, `${setting}: ${feature.name} is left out: ${errorMessage(error)}`);
    }
  }
  return features;
}

/** What a feature from outside throws when it begins must not end the gateway. */
function guarded(feature: Feature, log: Logger): Feature {
  const { start } = feature;
  if (!start) return feature;
  return {
    ...feature,
    async start(gw) {
      try {
        return await start.call(feature, gw);
      } catch (error) {
        log.error({ err: error, feature: feature.name }, `${feature.name} did not begin: ${errorMessage(error)}`);
        return () => undefined;
      }
    },
  };
}
