/** Combines the commands and tools of the enabled features, once per gateway. */
import { commandTable } from './commands/table.ts';
import type { FeatureSet } from './contract/feature.ts';
import { knowElements } from './reply/reply.ts';
import type { Feature, FeatureRun, Gateway } from './run/gateway.ts';
import { knowTools } from './tools/table.ts';

/** @throws Error if two features, commands or tools share a name */
export function featureSet(features: readonly Feature[]): FeatureSet<Gateway, FeatureRun> {
  const names = features.map(({ name }) => name);
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined) throw new Error(`two features are called ${twice}`);
  const tools = features.flatMap((feature) => feature.tools ?? []);
  knowTools(tools);
  knowElements(features.flatMap(({ reply = [] }) => reply.map((block) => block.name)));
  return { on: features, tools, commands: commandTable(features) };
}
