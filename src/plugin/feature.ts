/** A feature from outside: what it may add, and what it is handed of the gateway. */
import type { z } from 'zod';
import type { Logger } from '../log.ts';
import type { CommandOf } from '../runtime/contract/command.ts';
import type { FeatureOf } from '../runtime/contract/feature.ts';
import type { Tool } from '../runtime/contract/tool.ts';

/** The gateway as a plugin sees it. */
export interface PluginGateway {
  /** The whole configuration; the feature's own section is below its name. */
  readonly config: object;
  readonly log: Logger;
}

/** A tool's part of a run. */
export interface PluginRun {
  readonly gw: PluginGateway;
}

/** What `plugins` of the configuration loads. `settings` is the schema of the section that bears the feature's name. */
export interface PluginFeature extends FeatureOf<PluginGateway, PluginRun> {
  readonly settings?: z.ZodType;
}

export const defineFeature = (feature: PluginFeature): PluginFeature => feature;

export const defineCommand = (command: CommandOf<PluginGateway>): CommandOf<PluginGateway> => command;

/** `doing` is one of the gateway's own phrases; without it people read that a tool is used. */
export const defineTool = <Input>(
  tool: Omit<Tool<Input, PluginRun>, 'doing'> & Partial<Pick<Tool, 'doing'>>,
): Tool<unknown, PluginRun> => {
  const whole: Tool<Input, PluginRun> = { doing: 'doing.aTool', ...tool };
  return whole;
};

/** The settings of a feature, as its schema gives them. */
export const settingsOf = <S extends z.ZodType>({ config }: PluginGateway, name: string, schema: S): z.output<S> =>
  schema.parse(Reflect.get(config, name) ?? {});
