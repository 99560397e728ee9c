/** Tasks over HTTP: the counterparts of the task frames (docs/protocol.md), and reads of what is on disk. */

import path from 'node:path';
import type { MessagePage, TaskDetail, TaskPage, TaskRow } from '../../client/shapes.ts';
import { say } from '../../messages/messages.ts';
import { replacedRuns } from '../../runtime/contract/attempts.ts';
import type { BoardRequest, BoardRoute, Caller } from '../../runtime/contract/board.ts';
import { hiddenRuns, mayHear } from '../../runtime/contract/hearing.ts';
import { byChange, type ListedTask, openTask, type PlanFile, standOf, TaskOrder } from '../../workspace/tasks/index.ts';
import type { SessionEntry, TaskRecord } from '../../workspace/types.ts';
import type { Exchange } from '../protocol/exchange.ts';
import type { ProtocolParts } from '../protocol/parts.ts';
import { seenTask } from '../protocol/refusals.ts';
import { tasksQuerySchema } from '../protocol/schemas.ts';
import type { Standings } from '../protocol/standings.ts';
import { parsedBy, sendJson, wrongField } from '../respond.ts';
import { answerId } from '../route.ts';
import { findRoute } from './find.ts';
import { twin } from './twin.ts';

const PAGE = 100;
/** The part of a session that is read, from its end. */
const TAIL = { maxBytes: 8 * 1024 * 1024 };
const STEERED = 'steered';

export function taskRoutes(parts: ProtocolParts, exchange: Exchange): BoardRoute[] {
  const { home, maySee } = parts;
  const order = new TaskOrder(home);
  const of = ({ params: { id = '' }, caller }: BoardRequest) => seenTask(id, caller.principal, parts);
  return [
    route('GET', '/api/tasks', async ({ url, response, caller }) => {
      const {
        after,
        state,
        channel,
        project,
        archived = 'false',
      } = parsedBy(tasksQuerySchema, Object.fromEntries(url.searchParams));
      // Taken before reading: what is read below includes everything up to this cursor.
      const { cursor } = exchange.log;
      const all = await order.list();
      const standing = exchange.standings();
      const isMeant = (task: ListedTask) =>
        (archived === 'true') === (task.archived !== undefined) &&
        (state === undefined || standing.isIn(task, state)) &&
        (channel === undefined || firstChannel(task) === channel) &&
        (project === undefined || projectName(task) === project) &&
        maySee(caller.principal, task);
      const page: ListedTask[] = [];
      for (let at = after === undefined ? 0 : placeAfter(all, after); at < all.length && page.length <= PAGE; at += 1) {
        const task = all[at];
        if (task && isMeant(task)) page.push(task);
      }
      const rows = page.slice(0, PAGE).flatMap(({ id }) => openTask(home, id).record() ?? []);
      const next = page.length > PAGE ? page[PAGE - 1] : undefined;
      const tasks = await Promise.all(
        rows.map(async (task) => {
          const plan = task.state === 'completed' ? await openTask(home, task).plan.read() : undefined;
          return boardRow(task, standing, plan);
        }),
      );
      sendJson(response, 200, {
        tasks,
        ...(next && { next: `${next.updatedAt}_${next.id}` }),
        cursor,
      } satisfies TaskPage);
    }),
    findRoute(parts, order),
    twin(parts, ['POST', '/api/tasks'], 'task:submit', 202),
    route('GET', '/api/tasks/:id', async (asked) =>
      sendJson(asked.response, 200, await detailOf(of(asked), parts, exchange)),
    ),
    twin(parts, ['PUT', '/api/tasks/:id'], 'task:change', 200),
    route('GET', '/api/tasks/:id/messages', async (asked) => {
      sendJson(
        asked.response,
        200,
        await messagesOf(of(asked), asked.url.searchParams.get('after'), asked.caller, parts),
      );
    }),
    twin(parts, ['POST', '/api/tasks/:id/messages'], 'task:message', 202),
    twin(parts, ['POST', '/api/tasks/:id/stop'], 'task:stop', 200),
    twin(parts, ['PUT', '/api/tasks/:id/plan'], 'plan:write', 200),
    twin(parts, ['POST', '/api/approvals/:approval'], 'approval:decide', 200),
    twin(parts, ['POST', '/api/interrupt'], 'interrupt', 200),
    twin(parts, ['POST', '/api/messages'], 'message', 202),
  ];
}

function route(method: BoardRoute['method'], path: string, handle: BoardRoute['handle']): BoardRoute {
  return { method, path, asks: 'caller', handle };
}

/** Returns the index behind the task that `after` names by its time and ID; tasks changed since then come before it. */
function placeAfter(all: readonly ListedTask[], after: string): number {
  const at = after.indexOf('_');
  const [updatedAt, id] = [after.slice(0, at), after.slice(at + 1)];
  let [low, high] = [0, all.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const task = all[middle];
    if (task && byChange(task, { updatedAt, id }) > 0) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Returns the channel in which the task began. */
const firstChannel = ({ conversations, job }: { conversations: string[]; job?: string }): string =>
  /^[a-z][a-z0-9-]*/.exec(conversations[0] ?? '')?.[0] ?? (job === undefined ? 'api' : 'job');

/** The name of its folder; '' without one. */
const projectName = ({ project }: { project?: string }): string =>
  project === undefined ? '' : path.basename(project);

const boardRow = (task: TaskRecord, standing: Standings, plan?: PlanFile): TaskRow & { goal: string } => ({
  taskId: task.id,
  title: task.title,
  goal: task.goal,
  channel: firstChannel(task),
  state: standing.stateOf(task),
  person: task.people[0] ?? '',
  viberId: task.viber,
  updatedAt: task.updatedAt,
  // Only the project's name, since the folder's path says something about the machine.
  ...(task.project !== undefined && { project: projectName(task) }),
  ...(task.archived !== undefined && { archived: true as const }),
  ...(standing.isWaiting(task) && { waiting: true }),
  ...(standOf(task, plan?.plan) === 'open' && { open: true }),
});

async function detailOf(task: TaskRecord, { home }: ProtocolParts, exchange: Exchange): Promise<TaskDetail> {
  const { cursor } = exchange.log;
  const now = openTask(home, task).record() ?? task;
  const standings = exchange.standings();
  const [plan, artifacts] = await Promise.all([
    openTask(home, task).plan.read(),
    openTask(home, task).artifacts.list(),
  ]);
  const row = boardRow(now, standings, plan);
  const {
    always: _always,
    approvedPlan: _approved,
    counted: _counted,
    called: _called,
    archived: _since,
    ...record
  } = task;
  return {
    ...record,
    ...row,
    cursor,
    ...(plan && { plan }),
    artifacts: artifacts.map(({ id, title, type, ref, size, createdAt, origin }) => ({
      id,
      title,
      type,
      ref,
      size,
      createdAt,
      origin,
    })),
  };
}

interface SaidMessage {
  id: string;
  role: 'user' | 'assistant';
  text: string;
  at: string;
}

/**
 * Returns the newest hundred messages, oldest first; `next` leads to the ones before. Omits messages from places that
 * this person can't read.
 */
async function messagesOf(
  task: TaskRecord,
  after: string | null,
  { principal }: Caller,
  { home }: ProtocolParts,
): Promise<MessagePage> {
  const entries = openTask(home, task).session.tail(TAIL);
  const reader = { principal, isDirect: true };
  const hidden = hiddenRuns(entries, reader);
  // A failure that is told takes nothing away, and one without words is shown nowhere.
  const replaced = replacedRuns(entries, (_, result) => !result || result.state === 'completed' || result.text === '');
  const said = entries.flatMap((entry): SaidMessage[] => {
    if (entry.type === 'message')
      return mayHear(reader, { isGroup: entry.isGroup === true, user: entry.from.user })
        ? [messageShape(entry, replaced.get(entry.run))]
        : [];
    if (entry.type !== 'result' || hidden.has(entry.run)) return [];
    return entry.text === '' || entry.error === STEERED ? [] : [answerMessage(entry)];
  });
  const end = after === null ? said.length : said.findIndex(({ id }) => id === after);
  if (end < 0) throw wrongField('after', say('requests.notAMessage'));
  const messages = said.slice(Math.max(0, end - PAGE), end);
  const first = messages[0];
  return { messages, ...(end > PAGE && first && { next: first.id }) };
}

/** Uses the person's own words, without context that was added for the model. */
function messageShape(line: Extract<SessionEntry, { type: 'message' }>, replaced: string | undefined) {
  const { id, also, text, said = text, at, from, via, files, run, again } = line;
  return {
    id,
    role: 'user' as const,
    text: said,
    at,
    runId: run,
    name: from.name,
    channel: via ?? from.channel,
    ...(also && { also }),
    ...(again !== undefined && again === replaced && { again }),
    ...(files.length > 0 && { files }),
  };
}

function answerMessage({ run, text, at, artifactRefs }: Extract<SessionEntry, { type: 'result' }>) {
  return { id: answerId(run), role: 'assistant' as const, text, at, runId: run, artifactRefs };
}
