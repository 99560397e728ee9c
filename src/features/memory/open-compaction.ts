/** Sets up the compaction of sessions for a gateway. */
import fs from 'node:fs';
import path from 'node:path';
import { loadAgent } from '../../config.ts';
import { vibersOf } from '../../workspace/home.ts';
import { configOf, type Gateway, perGateway } from '../gateway.ts';
import { type Compaction, createCompaction } from './compaction.ts';
import type { Question } from './store/questions.ts';

/** Long enough not to fall into the start. */
const LEFT_MS = 1_000;

export const compactionOf = perGateway((gw): Compaction => {
  const { home, log, models } = gw;
  const { history, fallback } = configOf(gw);
  return createCompaction({
    home,
    agent: models.agent,
    costs: models.spending,
    log,
    awaited: gw.tasks.lanes.awaited,
    limits: history,
    isAutomatic: history.compaction === 'on',
    async modelOf(id) {
      const own = await loadAgent(home.root, id);
      return { model: own.model ?? models.modelName(), fallback: own.fallback ?? fallback };
    },
    waits: (approval) => gw.consent.approvals.get(approval) !== undefined,
    askOwners: (question, of) => void askAboutSuggestion(question, of, gw).catch((error: unknown) => failed(error, gw)),
  });
});

/**
 * After a moment, asks the questions that an earlier process stored but didn't ask. Returns a function that cancels
 * this.
 */
export function askLeftSoon(gw: Gateway): () => void {
  const left = setTimeout(() => void askLeft(gw).catch((error: unknown) => failed(error, gw)), LEFT_MS).unref();
  return () => clearTimeout(left);
}

async function askLeft(gw: Gateway): Promise<void> {
  const { home } = gw;
  for (const each of vibersOf(home)) {
    if (!fs.existsSync(path.join(home.viberDir(each), 'memory', 'suggestions'))) continue;
    const { openQuestions } = await import('./store/questions.ts');
    for (const question of await openQuestions(home, each)) await askAboutSuggestion(question, each, gw);
  }
}

async function askAboutSuggestion(question: Question, of: string, { home, people }: Gateway): Promise<void> {
  const [{ promptUserToUpdateMemory }, { closeQuestion }] = await Promise.all([
    import('./flush.ts'),
    import('./store/questions.ts'),
  ]);
  await promptUserToUpdateMemory(question, of, people.owners.askOwners);
  closeQuestion(home, of, question.id);
}

const failed = (error: unknown, { log }: Gateway): void =>
  log.error({ err: error }, 'the owners could not be asked about what to remember');
