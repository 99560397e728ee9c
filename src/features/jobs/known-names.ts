/** Collects the names that a job may use, from the parts that know them. */
import { ConfigError } from '../../errors.ts';
import type { OfferedNames } from '../../runtime/contract/feature.ts';
import type { KnownNames } from '../../runtime/contract/job-service.ts';
import type { ModelCheck, NamedModels } from '../../runtime/model/models.ts';
import { ownTools } from '../../runtime/tools/table.ts';
import { listVibers } from '../../workspace/home.ts';

export function knownNames(
  home: Parameters<typeof listVibers>[0],
  models: NamedModels,
  offered: OfferedNames,
): KnownNames {
  return {
    ...offered,
    vibers: listVibers(home),
    providers: models.providers,
    modelProblem: (name) => modelProblem(name, models),
    tools: ownTools(),
  };
}

function modelProblem(name: string, models: ModelCheck): string | undefined {
  try {
    models.check(name);
    return undefined;
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.problems.map(({ message }) => message).join('; ');
  }
}
