/** Compaction of sessions with what it needs of the gateway. */
import { type Config, loadAgent } from '../config.ts';
import type { Logger } from '../log.ts';
import type { Agent } from '../runtime/agent.ts';
import type { Approvals } from '../runtime/approvals.ts';
import type { Costs } from '../runtime/costs.ts';
import { type Compaction, createCompaction } from '../runtime/memory/compaction.ts';
import type { Reception } from '../runtime/reception.ts';
import type { Home } from '../workspace/home.ts';

export interface OpenCompactionOptions {
  config: Config;
  home: Home;
  /** Whose memory a question is about where it does not say. */
  viber: string;
  agent: Agent;
  costs: Costs;
  approvals: Pick<Approvals, 'get'>;
  modelName: () => string;
  askOwners: Reception['askOwners'];
  log: Logger;
}

export function openCompaction({ config, home, viber, ...given }: OpenCompactionOptions): Compaction {
  const { agent, costs, approvals, modelName, log } = given;
  return createCompaction({
    ...{ home, agent, costs, log, limits: config.history, isAutomatic: config.history.compaction === 'on' },
    async modelOf(id) {
      const own = await loadAgent(home.root, id);
      return { model: own.model ?? modelName(), fallback: own.fallback ?? config.fallback };
    },
    waits: (approval) => approvals.get(approval) !== undefined,
    askOwners(suggestions, of) {
      const about = of === viber ? undefined : of;
      import('../runtime/memory/flush.ts')
        .then(({ promptUserToUpdateMemory }) => promptUserToUpdateMemory(suggestions, about, given.askOwners))
        .catch((error: unknown) => log.error({ err: error }, 'the owners could not be asked about what to remember'));
    },
  });
}
