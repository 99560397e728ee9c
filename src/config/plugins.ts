/** Loads the plugins that a configuration names. The loader is imported only if there are any. */
import type { ConfigProblem } from '../errors.ts';
import { isRecord } from '../lib/json.ts';
import type { LoadedFeature, NamedPlugin } from '../plugin/load.ts';
import type { Data } from './parse.ts';

interface WithPlugins {
  /** Without the sections of channels that failed to load, and without the keys that name plugins. */
  data: { [key: string]: Data };
  features: readonly LoadedFeature[];
  problems: readonly ConfigProblem[];
}

/** Loads the plugins of a configuration. Never rejects: what fails to load becomes a problem and is left out. */
export async function withPlugins(data: { [key: string]: Data }, home: string): Promise<WithPlugins> {
  const named = pluginsNamed(data);
  if (named.length === 0) return { data, features: [], problems: [] };
  const { loadPlugins } = await import('../plugin/load.ts');
  const { features, problems } = await loadPlugins(named, home);
  const failed = new Set(problems.map(({ path }) => path));
  const channels = Object.entries(isRecord(data.channels) ? data.channels : {}).flatMap(([name, section]) => {
    if (!isRecord(section) || section.module === undefined) return [[name, section] as const];
    const { module: _module, ...own } = section;
    return failed.has(`channels.${name}.module`) ? [] : [[name, own] as const];
  });
  const all = channels.length === 0 ? {} : { channels: Object.fromEntries(channels) };
  const { channels: _channels, ...rest } = data;
  return { data: { ...rest, ...all }, features, problems };
}

function pluginsNamed({ plugins, channels }: { [key: string]: Data }): NamedPlugin[] {
  const features = (Array.isArray(plugins) ? plugins : []).map((source, index) => ({
    setting: `plugins.${index}`,
    source: String(source),
  }));
  const kinds = Object.entries(isRecord(channels) ? channels : {}).flatMap(([channel, section]) =>
    isRecord(section) && section.module !== undefined
      ? [{ setting: `channels.${channel}.module`, source: String(section.module), channel }]
      : [],
  );
  return [...kinds, ...features];
}
