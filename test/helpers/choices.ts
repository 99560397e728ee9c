/** The models of a test: one that answers, and nothing else to choose. */
import { createChoices, type ModelChoices } from '../../src/runtime/model/choices.ts';

export const onlyModel = (name: string): ModelChoices =>
  createChoices({
    ...{ models: { check: () => undefined }, usual: () => name, fallback: [], listed: [], currency: 'USD' },
    priceOf: () => undefined,
  });
