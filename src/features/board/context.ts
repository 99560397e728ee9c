/** Shows on the Board the context that a run of a task would get if it began now. */
import { chatSection } from '../../channels/index.ts';
import { type Config, loadAgent } from '../../config.ts';
import { countTokens } from '../../lib/tokens.ts';
import { scrub } from '../../log.ts';
import { assembleContext } from '../../runtime/context/context.ts';
import { recallFrom } from '../../runtime/run/assemble.ts';
import { openTask } from '../../workspace/tasks/index.ts';
import type { SessionEntry, TaskRecord } from '../../workspace/types.ts';
import { configOf, type Gateway } from '../gateway.ts';

export interface ContextSection {
  title: string;
  text: string;
  tokens: number;
}

const LOOKED = 50;
/** Limit of one section, in characters: the page shows it in full. */
const MAX_TEXT = 100_000;

export async function contextOf(gw: Gateway, task: TaskRecord): Promise<ContextSection[]> {
  const { home } = gw;
  const config = configOf(gw);
  const [entries, own] = await Promise.all([
    openTask(home, task).session.tail({ maxEntries: LOOKED }),
    loadAgent(home.root, task.viber),
  ]);
  const last = entries.findLast((entry) => entry.type === 'message');
  const context = await assembleContext({
    home,
    viber: task.viber,
    taskId: task.id,
    runId: '',
    limits: config,
    own,
    channelNote: '',
    recall: (of) => recallFrom(of, gw),
    query: '',
    isWithoutMemory: isUntold(last, config),
  });
  const said = context.messages.map((message) =>
    message.role === 'steps'
      ? { title: 'Steps with tools', text: JSON.stringify(message.messages, null, 1) }
      : { title: message.role === 'user' ? 'From a person' : 'From the viber', text: message.text },
  );
  const sections = [
    { title: 'Instructions and memory', text: context.instructions },
    { title: 'The plan and files as they stand', text: context.standing },
    ...said,
  ];
  return sections
    .filter(({ text }) => text !== '')
    .map(({ title, text }) => ({ title, text: scrub(text).slice(0, MAX_TEXT), tokens: countTokens(text) }));
}

/** Whether memory is withheld: from guests always, and in groups unless the configuration allows it. */
function isUntold(last: SessionEntry | undefined, config: Config): boolean {
  if (last?.type !== 'message') return false;
  const memory = chatSection(config, last.from.channel)?.access.memory ?? 'direct';
  return last.isGuest === true || (last.isGroup === true && memory === 'direct');
}
