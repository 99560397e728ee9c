/** Combines the commands and tools of the enabled features, once per gateway. */
import { commandTable } from './commands/table.ts';
import type { FeatureSet, HomeAt, OfferedNames } from './contract/feature.ts';
import type { KnownTool } from './contract/tool.ts';
import { knowElements } from './reply/reply.ts';
import type { Feature, FeatureRun, Gateway } from './run/gateway.ts';
import { knowTools, ownTools } from './tools/table.ts';

/** @param at absent: all features count as set up | @throws Error if two features, commands or tools share a name */
export function featureSet(features: readonly Feature[], at?: { config: object }): FeatureSet<Gateway, FeatureRun> {
  const names = features.map(({ name }) => name);
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined) throw new Error(`two features are called ${twice}`);
  const tools = features.flatMap((feature) => feature.tools ?? []);
  knowTools([...tools, ...features.flatMap(({ offers }) => offers?.known ?? [])]);
  knowTools([...nativesOf(features), ...features.flatMap(({ offers }) => offers?.bundled ?? [])], false);
  knowBlocks(features);
  const on = features.map((feature) => (at && feature.isSetUp?.(at) === false ? withoutRuns(feature) : feature));
  return { on, tools, commands: commandTable(features) };
}

const withoutRuns = ({ offers: _offers, after: _after, below: _below, ...others }: Feature): Feature => others;

/** Hides the elements of these features in answers, including features that are off. */
export const knowBlocks = (features: readonly Feature[]): void =>
  knowElements(features.flatMap(({ reply = [] }) => reply.map(({ name }) => name)));

const nativesOf = (features: readonly Feature[]): KnownTool[] =>
  features.flatMap(({ natives = {} }) => Object.entries(natives).map(([name, tool]) => ({ ...tool, name })));

/** Names of features that are off are reserved, too. */
export const homeAt = (features: readonly Feature[], config: object, home: string): HomeAt => ({
  config,
  home,
  reserved: reservedIn(features),
  natives: nativesIn(features),
});

/** No skill and no server of tools may use these names. */
export const reservedIn = (features: readonly Feature[]): string[] => [
  ...new Set([
    ...ownTools(),
    ...features.flatMap(({ tools = [], offers }) => [...tools, ...(offers?.known ?? [])].map(({ name }) => name)),
  ]),
];

export const nativesIn = (features: readonly Feature[]): string[] => nativesOf(features).map(({ name }) => name);

/** The tools and skills that jobs of these vibers may name. */
export async function offeredNames(
  features: readonly Feature[],
  vibers: readonly string[],
  at: HomeAt,
  gw?: Gateway,
): Promise<OfferedNames> {
  const all = await Promise.all(features.map(({ names }) => names?.(vibers, at, gw)));
  return Object.assign({ skills: new Map(), off: [], servers: new Map() }, ...all);
}
