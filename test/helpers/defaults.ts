/** The configuration of a gateway whose file is empty. */
import { configSchemaWith } from '../../src/config/schema.ts';

export const defaults = (await configSchemaWith()).parse({});
