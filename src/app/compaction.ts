/** Compaction of sessions with what it needs of the gateway. */
import fs from 'node:fs';
import path from 'node:path';
import { type Config, loadAgent } from '../config.ts';
import type { Logger } from '../log.ts';
import type { Agent } from '../runtime/agent/agent.ts';
import type { Approvals } from '../runtime/approvals/approvals.ts';
import type { OwnerNotifier } from '../runtime/conversations/owner-notifier.ts';
import type { Costs } from '../runtime/costs/costs.ts';
import { type Compaction, createCompaction } from '../runtime/memory/compaction.ts';
import { type Home, vibersOf } from '../workspace/home.ts';
import type { Question } from '../workspace/memory/questions.ts';

/** A start has better things to do. */
const LEFT_MS = 1_000;

export interface OpenCompactionOptions {
  config: Config;
  home: Home;
  agent: Agent;
  costs: Costs;
  approvals: Pick<Approvals, 'get'>;
  modelName: () => string;
  askOwners: OwnerNotifier['askOwners'];
  log: Logger;
}

export function openCompaction({ config, home, ...given }: OpenCompactionOptions): Compaction {
  const { agent, costs, approvals, modelName, log } = given;

  async function ask(question: Question, of: string): Promise<void> {
    const [{ promptUserToUpdateMemory }, { closeQuestion }] = await Promise.all([
      import('../runtime/memory/flush.ts'),
      import('../workspace/memory/questions.ts'),
    ]);
    await promptUserToUpdateMemory(question, of, given.askOwners);
    closeQuestion(home, of, question.id);
  }
  const failed = (error: unknown) => log.error({ err: error }, 'the owners could not be asked about what to remember');

  /** What an earlier process kept to ask about and did not come to. */
  async function askLeft(): Promise<void> {
    for (const each of vibersOf(home)) {
      if (!fs.existsSync(path.join(home.viberDir(each), 'memory', 'suggestions'))) continue;
      const { openQuestions } = await import('../workspace/memory/questions.ts');
      for (const question of await openQuestions(home, each)) await ask(question, each);
    }
  }
  const left = setTimeout(() => void askLeft().catch(failed), LEFT_MS).unref();

  const compaction = createCompaction({
    ...{ home, agent, costs, log, limits: config.history, isAutomatic: config.history.compaction === 'on' },
    async modelOf(id) {
      const own = await loadAgent(home.root, id);
      return { model: own.model ?? modelName(), fallback: own.fallback ?? config.fallback };
    },
    waits: (approval) => approvals.get(approval) !== undefined,
    askOwners: (question, of) => void ask(question, of).catch(failed),
  });
  return {
    ...compaction,
    close() {
      clearTimeout(left);
      return compaction.close();
    },
  };
}
