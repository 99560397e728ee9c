/** The configuration of a gateway whose file says nothing. */
import { configSchemaWith } from '../../src/config/schema.ts';

export const defaults = (await configSchemaWith()).parse({});
