/** Defines what an external feature may add, and which parts of the gateway it receives. */
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

/** The parts of a run that a tool sees. */
export interface PluginRun {
  readonly gw: PluginGateway;
}

/**
 * A feature that `plugins` in the configuration loads. `settings` is the schema of the section with the feature's name.
 */
export interface PluginFeature extends FeatureOf<PluginGateway, PluginRun> {
  readonly settings?: z.ZodType;
}

/**
 * Returns the feature; the module that `plugins` names exports it as its default.
 * @example
 * const feature = defineFeature({ name: 'dice', tools: [] });
 */
export const defineFeature = (feature: PluginFeature): PluginFeature => feature;

/**
 * Returns the command, which people type as `/name`. A UserError that `run` throws is shown to the person.
 * @example
 * const ping = defineCommand({
 *   name: 'ping',
 *   description: 'Answer at once',
 *   action: 'chat',
 *   run: async () => ({ text: words('pong') }),
 * });
 */
export const defineCommand = (command: CommandOf<PluginGateway>): CommandOf<PluginGateway> => command;

/**
 * Returns the tool with defaults. `doing` is one of the gateway's own phrases; without it people read that a tool is
 * used. The model reads a UserError that `execute` throws.
 * @example
 * const add = defineTool({
 *   name: 'add_numbers',
 *   describe: 'Add two numbers.',
 *   input: z.object({ a: z.number(), b: z.number() }),
 *   effect: 'read',
 *   execute: async ({ a, b }) => a + b,
 * });
 */
export const defineTool = <Input>(
  tool: Omit<Tool<Input, PluginRun>, 'doing'> & Partial<Pick<Tool, 'doing'>>,
): Tool<unknown, PluginRun> => {
  const whole: Tool<Input, PluginRun> = { doing: 'doing.aTool', ...tool };
  return whole;
};

/**
 * Returns the settings of the feature with this name, with the schema's defaults.
 * @throws ZodError if they don't fit the schema, which the configuration's check rules out
 * @example
 * const { sides } = settingsOf(gw, 'dice', z.object({ sides: z.number().default(6) }));
 */
export const settingsOf = <S extends z.ZodType>({ config }: PluginGateway, name: string, schema: S): z.output<S> =>
  schema.parse(Reflect.get(config, name) ?? {});
