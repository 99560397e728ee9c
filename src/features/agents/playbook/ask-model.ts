/** Asks a model one question about a playbook, without tools. */
import { principalText } from '../../../access/principal.ts';
import { loadAgent } from '../../../config.ts';
import type { Gateway } from '../../gateway.ts';
import type { PlayTurn } from './turn.ts';

/** The run that plays the playbook; questions count towards it. */
export type AskedIn = Pick<PlayTurn, 'task' | 'run' | 'principal' | 'signal'>;

export interface ModelQuestion {
  /** Distinguishes these calls from those of the run itself. */
  kind: 'check' | 'plan';
  rules: string;
  words: readonly string[];
}

/** @throws {RunError} if the model can't be asked */
export async function askModel(
  { task, run, principal, signal }: AskedIn,
  { kind, rules, words }: ModelQuestion,
  { home, config, models }: Gateway,
): Promise<string> {
  const own = await loadAgent(home.root, task.viber);
  const { text } = await models.agent.run(
    {
      taskId: task.id,
      runId: `${run}-${kind}`,
      viber: task.viber,
      goal: task.goal,
      maxSteps: 1,
      tools: [],
      resume: [],
      model: own.model ?? models.modelName(),
      fallback: own.fallback ?? config.fallback,
      instructions: [rules],
      messages: words.map((each) => ({ role: 'user', text: each })),
    },
    {
      signal,
      ...models.spending.hooks({ run, task: task.id, person: principalText(principal) }),
      onEvent: () => undefined,
      onCall: () => Promise.resolve(),
      onStep: () => Promise.resolve(),
    },
  );
  return text;
}
