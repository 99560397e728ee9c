/** Collects the names that a job may use, from the parts that know them. */
import { ConfigError } from '../../../errors.ts';
import type { Skills } from '../../../skills/catalog.ts';
import { listVibers } from '../../../workspace/vibers.ts';
import type { KnownNames } from '../../contract/job-service.ts';
import type { ModelCheck, NamedModels } from '../../model/models.ts';
import { ownTools } from '../table.ts';
import { switchedOff } from './service.ts';

export interface NamesFrom {
  home: Parameters<typeof listVibers>[0];
  config: { mcp: object; skills: Parameters<typeof switchedOff>[0] };
  models: NamedModels;
  /** The vibers whose skills have been read. */
  skills?: { catalog: Pick<Skills, 'of'>; vibers: readonly string[] } | undefined;
  /** The connected servers, with the names of their tools. */
  connected?: ReadonlyMap<string, readonly string[]> | undefined;
}

export function knownNames({ home, config, models, skills, connected }: NamesFrom): KnownNames {
  return {
    vibers: listVibers(home),
    providers: models.providers,
    modelProblem: (name) => problemOf(name, models),
    skills: new Map((skills?.vibers ?? []).map((viber) => [viber, skills?.catalog.of(viber).map(named) ?? []])),
    off: switchedOff(config.skills),
    tools: ownTools(),
    servers: new Map(Object.keys(config.mcp).map((name) => [name, connected?.get(name)])),
  };
}

const named = ({ name, kind }: ReturnType<Skills['of']>[number]) => ({ name, isTool: kind === 'tool' });

function problemOf(name: string, models: ModelCheck): string | undefined {
  try {
    models.check(name);
    return undefined;
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.problems.map(({ message }) => message).join('; ');
  }
}
