/** Titles: the small model names a task after its first answer. */
import { OFFLINE_MODEL } from '../../runtime/contract/providers.ts';
import { configOf, type Feature, perGateway } from '../gateway.ts';
import { SmallModelTitles } from './titles.ts';

function smallModelOf(at: { config: object }): string | undefined {
  const { smallModel: model } = configOf(at);
  return model === OFFLINE_MODEL ? undefined : model;
}

/** Undefined if no small model is set. */
const titlesOf = perGateway((gw) => {
  const model = smallModelOf(gw);
  return model === undefined ? undefined : new SmallModelTitles(model, gw);
});

export const titles: Feature = {
  name: 'titles',
  isSetUp: (at) => smallModelOf(at) !== undefined,
  after: {
    when: { state: 'completed' },
    note: (outcome, { items: [first] }, _at, gw) => first && titlesOf(gw)?.ended(first, outcome),
  },
  start: (gw) => () => titlesOf(gw)?.close(),
};
