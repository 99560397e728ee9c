/**
 * `search_history`: finds earlier messages in conversations with this person. It shows nothing that /tasks and /export
 * wouldn't show them here (conversations/visibility.ts). Results are data, a few thousand characters at most.
 */
import { z } from 'zod';
import { UserError } from '../../../errors.ts';
import { scrub } from '../../../log.ts';
import { clipLine } from '../../../runtime/context/turn.ts';
import { mayHear } from '../../../runtime/contract/hearing.ts';
import { defineTool } from '../../../runtime/contract/tool.ts';
import { isListedFor } from '../../../runtime/conversations/visibility.ts';
import { inConversation } from '../../../runtime/tools/offered.ts';
import { viewOf } from '../../../runtime/tools/own-tasks.ts';
import type { FeatureRun } from '../../gateway.ts';
import { historyOf } from '../history/open.ts';

const [DEFAULT_LIMIT, MAX_LIMIT] = [8, 20];
const PARTIAL = 'Older conversations are still being indexed: a later search finds more.';

const input = z.object({
  query: z.string().describe('words in any order, or "exact words"'),
  limit: z.number().exactOptional(),
});

export const searchHistory = defineTool({
  name: 'search_history',
  describe:
    'Search earlier conversations with this person, the current one included: who said what when, and in which task (open_task goes on with it).',
  doing: 'doing.history',
  about: { argument: 'query', doing: 'doing.historyThis' },
  ability: { line: 'tasks', words: 'find what was said earlier (search_history)' },
  offered: inConversation,
  input,
  effect: 'read',
  async execute({ query, limit = DEFAULT_LIMIT }, run: FeatureRun) {
    if (query.trim() === '') throw new UserError('There is nothing to search for.');
    const view = viewOf(run);
    const rules = {
      maySee: (task: Parameters<typeof isListedFor>[1]) => isListedFor(view, task),
      mayHear: (line: Parameters<typeof mayHear>[1]) => mayHear(view, line),
    };
    const most = Math.max(1, Math.min(MAX_LIMIT, Math.trunc(limit) || 1));
    const { hits, isPartial } = await historyOf(run.gw).of(view.viber).find(query, rules, most);
    const found = hits.map(({ task, entry, text }) => ({
      task: task.id,
      title: clipLine(scrub(task.title), 100),
      ...(task.id === run.scope.taskId && { isThisOne: true }),
      at: entry.at,
      who: entry.type === 'message' ? clipLine(scrub(entry.from.name), 64) : 'you',
      text: scrub(text),
    }));
    return { found, ...(isPartial && { note: PARTIAL }) };
  },
});
