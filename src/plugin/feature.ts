/** Defines what a feature from outside may add, and what it receives of the gateway. */
import type { z } from 'zod';
import type { Logger } from '../log.ts';
import type { CommandOf } from '../runtime/contract/command.ts';
import type { FeatureOf } from '../runtime/contract/feature.ts';
import type { Tool } from '../runtime/contract/tool.ts';

/** The gateway as a plugin sees it. */
export interface PluginGateway {
  /** The whole configuration; the feature's own section is under its name. */
  readonly config: object;
  readonly log: Logger;
}

/** The part of a run that a tool sees. */
export interface PluginRun {
  readonly gw: PluginGateway;
}

/**
 * A feature that `plugins` in the configuration loads. `settings` is the schema of the section with the feature's name.
 */
export interface PluginFeature extends FeatureOf<PluginGateway, PluginRun> {
  readonly settings?: z.ZodType;
}

export const defineFeature = (feature: PluginFeature): PluginFeature => feature;

export const defineCommand = (command: CommandOf<PluginGateway>): CommandOf<PluginGateway> => command;

/**
 * Returns the tool with defaults. `doing` is one of the gateway's own phrases; without it people read that a tool is
 * used.
 */
export const defineTool = <Input>(
  tool: Omit<Tool<Input, PluginRun>, 'doing'> & Partial<Pick<Tool, 'doing'>>,
): Tool<unknown, PluginRun> => {
  const whole: Tool<Input, PluginRun> = { doing: 'doing.aTool', ...tool };
  return whole;
};

export const settingsOf = <S extends z.ZodType>({ config }: PluginGateway, name: string, schema: S): z.output<S> =>
  schema.parse(Reflect.get(config, name) ?? {});
