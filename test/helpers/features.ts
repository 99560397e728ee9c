/** All features of the table, loaded. */
import { loadFeatures } from '../../src/features.ts';

export const FEATURES = await loadFeatures();
