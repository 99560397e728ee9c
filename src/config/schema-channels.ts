/** The section `channels:`, made of the schema of each kind of channel. */
import { z } from 'zod';
import { type BuiltInSections, channelKinds } from '../channels/index.ts';
import { flag, section, viber } from './schema-parts.ts';

const terminal = section({
  /** `auto`: on when no chat channel is configured. */
  enabled: z.union([z.literal('auto'), flag], 'expected true, false or auto').default('auto'),
  viber: viber.exactOptional(),
});

/** `chatSection` of the table of channels finds one by its name, those from outside among them. */
export type ChannelsConfig = BuiltInSections & { terminal: z.output<typeof terminal> };

/** Made anew for each file that is read: what is loaded from outside comes and goes with the file. */
export async function channelsSchema(): Promise<z.ZodType<ChannelsConfig>> {
  const kinds = await Promise.all(
    channelKinds().map(async (kind) => [kind.name, (await kind.settings()).exactOptional()] as const),
  );
  return section({ ...Object.fromEntries(kinds), terminal: terminal.prefault({}) });
}
