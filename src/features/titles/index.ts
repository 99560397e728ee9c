/** Titles: the small model names a task after its first answer. */
import { OFFLINE_MODEL } from '../../runtime/contract/providers.ts';
import { configOf, type Feature, perGateway } from '../gateway.ts';
import { SmallModelTitles } from './titles.ts';

/** Undefined if no small model is set. */
const titlesOf = perGateway((gw) => {
  const { small_model: model } = configOf(gw);
  if (model === undefined || model === OFFLINE_MODEL) return undefined;
  const { home, log, tasks, models } = gw;
  return new SmallModelTitles({
    home,
    model,
    models: models.providers,
    costs: models.costs,
    show: tasks.threads.show,
    log,
  });
});

export const titles: Feature = {
  name: 'titles',
  after: {
    when: ({ state }) => state === 'completed',
    note: (outcome, { items: [first] }, _at, gw) => first && titlesOf(gw)?.ended(first, outcome),
  },
  start: (gw) => () => titlesOf(gw)?.close(),
};
