/** The section `channels:`, built from the schema of each channel kind. */

import { z } from 'zod';
import { type BuiltInSections, channelKinds } from '../channels/index.ts';
import { expects } from '../messages/expects.ts';
import { appliesLive, flag, section, viber } from './schema-parts.ts';

const terminal = section({
  /** `auto`: on if no chat channel is configured. */
  enabled: z.union([z.literal('auto'), flag], expects('expected.autoFlag')).default('auto'),
  viber: appliesLive(viber.exactOptional()),
});

/** The built-in channels. `chatSection` of the channel table finds any channel by name, including plugins. */
export type ChannelsConfig = BuiltInSections & { terminal: z.output<typeof terminal> };

/** Builds the schema for each file that is read, since plugins change with the file. */
export async function channelsSchema(): Promise<z.ZodType<ChannelsConfig>> {
  const kinds = await Promise.all(
    channelKinds().map(async (kind) => [kind.name, (await kind.settings()).exactOptional()] as const),
  );
  return section({ ...Object.fromEntries(kinds), terminal: terminal.prefault({}) });
}
