/** Sums up the usage of model calls by day, model, person and task, and for a single task. */

import type { ProtocolParts } from '../../../board/protocol/parts.ts';
import { seenTask } from '../../../board/protocol/refusals.ts';
import { wrongField } from '../../../board/respond.ts';
import { newestFirst, pageOf, route } from '../../../board/route.ts';
import type { UsageSums } from '../../../client/shapes.ts';
import { say } from '../../../messages/messages.ts';
import type { BoardRoute } from '../../../runtime/contract/board.ts';
import { openTask } from '../../../workspace/tasks/index.ts';
import type { Usage } from '../../../workspace/types.ts';
import { addUsage, NO_USAGE, readUsage, type UsageCall, usageDay } from '../../../workspace/usage.ts';

const DAY_MS = 86_400_000;
const MAX_DAYS = 100;

type Sum = Usage & { calls: number };

export function usageRoutes(protocol: ProtocolParts): BoardRoute[] {
  const { home } = protocol;
  const callsOf = (day: string): UsageCall[] =>
    readUsage(home, day).filter((line): line is UsageCall => line.type === 'call');

  return [
    route('GET', '/api/usage', 'owner', async ({ url }) => {
      const days = daysOf(url);
      const all = days.flatMap((day) => callsOf(day).map((call) => ({ day, call })));
      const by = (nameOf: (each: (typeof all)[number]) => string) => sumsBy(all, nameOf);
      const [models, people, tasks] = [
        by(({ call }) => call.model),
        by(({ call }) => call.person),
        by(({ call }) => call.task),
      ];
      const lists = {
        models: pageOf(most(models), ([model]) => model, url, 'afterModel'),
        people: pageOf(most(people), ([person]) => person, url, 'afterPerson'),
        tasks: pageOf(most(tasks), ([task]) => task, url, 'afterTask'),
      };
      return {
        days: [...by(({ day }) => day)].map(([day, sum]) => ({ day, ...sum })),
        models: lists.models.items.map(([model, sum]) => ({ model, ...sum })),
        people: lists.people.items.map(([person, sum]) => ({ person, ...sum })),
        tasks: lists.tasks.items.map(([task, sum]) => ({ task, ...titleOf(task), ...sum })),
        nextModel: lists.models.next,
        nextPerson: lists.people.next,
        nextTask: lists.tasks.next,
        total: all.reduce<Sum>((sum, { call }) => plus(sum, call), { ...NO_USAGE, calls: 0 }),
      } satisfies UsageSums;
    }),
    route('GET', '/api/tasks/:id/cost', 'caller', async ({ params, caller, url }) => {
      const task = seenTask(params.id ?? '', caller.principal, protocol);
      const from = Math.max(Date.parse(task.createdAt), Date.now() - MAX_DAYS * DAY_MS);
      const calls = daysBetween(from, Date.now()).flatMap((day) =>
        callsOf(day).filter((call) => call.task === task.id),
      );
      const rows = calls.map(({ at, model, ms, run: runId, ...used }) => ({
        at,
        model,
        ms,
        runId,
        ...publicUsage(used),
      }));
      const { items, next } = newestFirst(rows, url);
      return {
        total: calls.reduce<Sum>((sum, call) => plus(sum, call), { ...NO_USAGE, calls: 0 }),
        calls: items,
        ...(next !== undefined && { next }),
      };
    }),
  ];

  function titleOf(task: string): { title?: string } {
    const title = openTask(home, task).record()?.title;
    return title === undefined ? {} : { title };
  }
}

const publicUsage = ({ inputTokens, outputTokens, cost, currency }: Usage): Usage => ({
  inputTokens,
  outputTokens,
  ...(cost !== undefined && { cost }),
  ...(currency !== undefined && { currency }),
});

const plus = ({ calls, ...sum }: Sum, call: UsageCall): Sum => ({
  ...addUsage(sum, publicUsage(call)),
  calls: calls + 1,
});

function sumsBy<T extends { call: UsageCall }>(all: readonly T[], nameOf: (each: T) => string): Map<string, Sum> {
  const sums = new Map<string, Sum>();
  for (const each of all) {
    const name = nameOf(each);
    sums.set(name, plus(sums.get(name) ?? { ...NO_USAGE, calls: 0 }, each.call));
  }
  return sums;
}

const most = (sums: ReadonlyMap<string, Sum>): [string, Sum][] =>
  [...sums].sort(([, a], [, b]) => b.inputTokens + b.outputTokens - a.inputTokens - a.outputTokens);

function daysOf(url: URL): string[] {
  const timeOf = (name: string, usual: number) => {
    const given = url.searchParams.get(name);
    const at = given === null ? usual : Date.parse(given);
    if (Number.isNaN(at)) throw wrongField(name, say('requests.day'));
    return at;
  };
  const to = timeOf('to', Date.now());
  const from = timeOf('from', to - 29 * DAY_MS);
  return daysBetween(Math.max(from, to - MAX_DAYS * DAY_MS), to);
}

function daysBetween(from: number, to: number): string[] {
  const count = Math.max(
    0,
    Math.floor(Date.parse(usageDay(to)) / DAY_MS) - Math.floor(Date.parse(usageDay(from)) / DAY_MS),
  );
  return Array.from({ length: Math.min(count, MAX_DAYS) + 1 }, (_, n) => usageDay(from + n * DAY_MS));
}
