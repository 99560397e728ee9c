/** Shows the context that a run of a task would get if it started now. */
import { chatSection } from '../../channels/index.ts';
import { type Config, loadAgent } from '../../config.ts';
import { countTokens } from '../../lib/tokens.ts';
import { scrub } from '../../log.ts';
import type { Messages } from '../../messages/messages.ts';
import { assembleContext } from '../../runtime/context/context.ts';
import { historyLimits } from '../../runtime/model/models.ts';
import { recallFrom } from '../../runtime/run/assemble.ts';
import { openTask } from '../../workspace/tasks/index.ts';
import type { SessionEntry, TaskRecord } from '../../workspace/types.ts';
import { configOf, type Gateway } from '../gateway.ts';

interface ContextSection {
  title: string;
  text: string;
  tokens: number;
}

const LOOKED = 50;
/** The limit of one section, in characters. The page shows it in full. */
const MAX_TEXT = 100_000;

export async function contextOf(gw: Gateway, task: TaskRecord, messages: Messages): Promise<ContextSection[]> {
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
    run: { id: '' },
    limits: {
      memory: config.memory,
      history: historyLimits(config.history, [
        own.model ?? gw.models.modelName(),
        ...(own.fallback ?? config.fallback),
      ]),
    },
    own,
    channelNote: '',
    recall: (of) => recallFrom(of, gw),
    query: '',
    isWithoutMemory: isUntold(last, config),
  });
  const sections = [
    { part: 'instructions', text: context.instructions },
    { part: 'standing', text: context.standing },
    ...context.messages.map((message) => ({
      part: message.role,
      text: message.role === 'steps' ? JSON.stringify(message.messages, null, 1) : message.text,
    })),
  ];
  return sections
    .filter(({ text }) => text !== '')
    .map(({ part, text }) => ({
      title: messages.text('requests.contextPart', { part }),
      text: scrub(text).slice(0, MAX_TEXT),
      tokens: countTokens(text),
    }));
}

/** Returns whether memory is withheld: from guests always, and in groups unless the configuration allows it. */
function isUntold(last: SessionEntry | undefined, config: Config): boolean {
  if (last?.type !== 'message') return false;
  const memory = chatSection(config, last.from.channel)?.access.memory ?? 'direct';
  return last.isGuest === true || (last.isGroup === true && memory === 'direct');
}
