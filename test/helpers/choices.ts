/** The models of a test: one that answers, and no other to choose. */
import { Choices, type ModelChoices } from '../../src/runtime/model/choices.ts';

export const onlyModel = (name: string): ModelChoices =>
  new Choices({
    ...{ models: { check: () => undefined }, usual: () => name, fallback: [], listed: [], currency: 'USD' },
    priceOf: () => undefined,
  });
