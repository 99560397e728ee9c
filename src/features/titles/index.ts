/** Titles: the small model names a task after its first answer. */
import { OFFLINE_MODEL } from '../../runtime/contract/providers.ts';
import { configOf, type Feature, perGateway } from '../gateway.ts';
import { SmallModelTitles } from './titles.ts';

function smallModelOf(at: { config: object }): string | undefined {
  const { small_model: model } = configOf(at);
  return model === OFFLINE_MODEL ? undefined : model;
}

/** Undefined if no small model is set. */
const titlesOf = perGateway((gw) => {
  const model = smallModelOf(gw);
  if (model === undefined) return undefined;
  const { home, log, tasks, models } = gw;
  return new SmallModelTitles({
    home,
    model,
    models: models.providers,
    costs: models.spending,
    show: tasks.threads.show,
    log,
  });
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
