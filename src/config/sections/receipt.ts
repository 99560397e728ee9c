/** The weekly count of messages and answers. */
import type { z } from 'zod';
import { appliesLive, oneOf, section } from '../schema-parts.ts';

export type ReceiptConfig = z.output<typeof receipt>;

export const receipt = section({
  weekly: appliesLive(
    oneOf('owners', 'off').default('owners').describe('how many messages were answered, each Monday at 9:00, or `off`'),
  ),
});
