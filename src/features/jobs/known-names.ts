/** Collects the names that a job may use, from the parts that know them. */
import { ConfigError } from '../../errors.ts';
import type { OfferedNames } from '../../runtime/contract/feature.ts';
import type { KnownNames } from '../../runtime/contract/job-service.ts';
import { offeredNames } from '../../runtime/features.ts';
import type { ModelCheck, NamedModels } from '../../runtime/model/models.ts';
import { ownTools } from '../../runtime/tools/table.ts';
import { DEFAULT_VIBER, listVibers } from '../../workspace/home.ts';
import { configOf, type Gateway } from '../gateway.ts';

/** Returns the viber of jobs that name none. */
export const defaultViber = (gw: Gateway): string => configOf(gw).viber ?? DEFAULT_VIBER;

/** @param vibers whose skills are loaded */
export async function namesKnownTo(gw: Gateway, vibers: readonly string[]): Promise<KnownNames> {
  const { home, features, models } = gw;
  const at = { config: configOf(gw), home: home.root, reserved: features.reserved, natives: features.natives };
  return knownNames(home, models.providers, await offeredNames(features.on, vibers, at, gw));
}

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
