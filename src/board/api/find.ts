/** `GET /api/find?q=`: finds tasks by their words and files by their names. Messages are found by the memory's index. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { FoundFile, FoundTask } from '../../client/shapes.ts';
import type { BoardRoute } from '../../runtime/contract/board.ts';
import { type ListedTask, openTask, type TaskOrder } from '../../workspace/tasks/index.ts';
import type { ProtocolParts } from '../protocol/parts.ts';
import { sendJson } from '../respond.ts';

const MAX_QUERY = 200;
const MAX_FOUND = 8;
/** The newest tasks whose files are looked at: each has a list on disk. */
const TASKS_WITH_FILES = 300;
/** Tasks per turn of the event loop. */
const TASKS_AT_ONCE = 1_000;

const wordsOfQuery = (query: string): string[] =>
  query
    .slice(0, MAX_QUERY)
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');

export function findRoute({ home, maySee }: ProtocolParts, order: TaskOrder): BoardRoute {
  return {
    method: 'GET',
    path: '/api/find',
    asks: 'caller',
    async handle({ url, response, caller }) {
      const sought = wordsOfQuery(url.searchParams.get('q') ?? '');
      if (sought.length === 0) return sendJson(response, 200, { tasks: [], files: [] });
      const hasEveryWord = (text: string) => sought.every((word) => text.includes(word));
      const tasks: { task: ListedTask; rank: number }[] = [];
      const files: FoundFile[] = [];
      let seen = 0;
      for (const [index, task] of (await order.list()).entries()) {
        if (index % TASKS_AT_ONCE === TASKS_AT_ONCE - 1) await nextTurn();
        const isMeant = hasEveryWord(task.about);
        const hasFiles = seen < TASKS_WITH_FILES && files.length < MAX_FOUND;
        if ((!isMeant && !hasFiles) || !maySee(caller.principal, task)) continue;
        seen += 1;
        if (isMeant) tasks.push({ task, rank: findRank(task, sought) });
        if (hasFiles) files.push(...filesIn(task));
      }
      function filesIn({ id }: ListedTask): FoundFile[] {
        const list = openTask(home, id).artifacts.list();
        return list
          .filter(({ ref, title }) => ref.startsWith('artifacts/') && hasEveryWord(title.toLowerCase()))
          .map(({ title, type, ref, size }) => ({ taskId: id, title, type, ref, size }));
      }
      // The order is stable: within a rank the newest come first.
      const best = tasks.sort((one, other) => one.rank - other.rank).slice(0, MAX_FOUND);
      const found = best.flatMap(({ task: { id } }): FoundTask[] => {
        const record = openTask(home, id).record();
        if (!record) return [];
        const { title, goal, state, updatedAt } = record;
        return [{ taskId: id, title, goal: goal.slice(0, MAX_QUERY), state, updatedAt }];
      });
      sendJson(response, 200, { tasks: found, files: files.slice(0, MAX_FOUND) });
    },
  };
}

/** A title that begins with the words comes first, then one that has them, then what the task is about. */
function findRank({ about }: ListedTask, sought: readonly string[]): number {
  const title = about.slice(0, about.indexOf('\n'));
  if (title.startsWith(sought.join(' '))) return 0;
  return sought.every((word) => title.includes(word)) ? 1 : 2;
}
