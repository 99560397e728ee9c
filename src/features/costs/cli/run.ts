/** `viber usage`: sums what model calls have used, by model, person and task. Reads only. */
import { UserError } from '../../../errors.ts';
import { cutText, plainLine } from '../../../lib/text.ts';
import { type Messages, say } from '../../../messages/messages.ts';
import { type CliContext, EXIT } from '../../../runtime/contract/cli.ts';
import { openHome } from '../../../workspace/home.ts';
import { openTask } from '../../../workspace/tasks/index.ts';
import type { Usage } from '../../../workspace/types.ts';
import { addUsage, NO_USAGE, readUsage, tokensOf, type UsageCall, usageDay } from '../../../workspace/usage.ts';
import { usageText } from '../words.ts';

const DAY_MS = 86_400_000;
const USUAL_DAYS = 30;
const MAX_DAYS = 366;
/** Rows of each list; the rest is summed. */
const MOST_ROWS = 10;
const MOST_LETTERS = 50;

interface Sum extends Usage {
  calls: number;
}

export async function run({ home: root, values, json, print, messages }: CliContext): Promise<number> {
  const count = Number(values.days ?? USUAL_DAYS);
  if (!Number.isInteger(count) || count < 1 || count > MAX_DAYS)
    throw new UserError(say('cli.badDays', { given: values.days ?? '', most: MAX_DAYS }));
  const home = await openHome(root);
  const now = Date.now();
  const days = Array.from({ length: count }, (_, n) => usageDay(now - (count - 1 - n) * DAY_MS));
  const calls = days.flatMap((day) =>
    readUsage(home, day).flatMap((line) => (line.type === 'call' ? [{ ...line, day }] : [])),
  );
  const titleOf = (task: string) => openTask(home, task).record()?.title;
  const [today] = usageSums(
    calls.filter(({ day }) => day === days.at(-1)),
    () => '',
  );
  const [total] = usageSums(calls, () => '');
  const lists = {
    models: usageSums(calls, ({ model }) => model),
    people: usageSums(calls, ({ person }) => person),
    tasks: usageSums(calls, ({ task }) => task),
  };
  if (json) {
    const named = (rows: readonly [string, Sum][], name: string) => rows.map(([key, sum]) => ({ [name]: key, ...sum }));
    const byDay = usageSums(calls, ({ day }) => day).sort(([a], [b]) => a.localeCompare(b));
    const [from, to] = [days[0], days.at(-1)];
    const [byModel, byPerson, byTask] = [
      named(lists.models, 'model'),
      named(lists.people, 'person'),
      named(lists.tasks, 'task'),
    ];
    const sum = total?.[1] ?? { ...NO_USAGE, calls: 0 };
    print(
      JSON.stringify({
        from,
        to,
        total: sum,
        days: named(byDay, 'day'),
        models: byModel,
        people: byPerson,
        tasks: byTask,
      }),
    );
    return EXIT.ok;
  }
  if (!total) {
    print(messages.text('cli.noUsage', { n: count }));
    return EXIT.ok;
  }
  if (today) print(messages.text('cli.usageToday', { usage: sumText(today[1], messages) }));
  print(messages.text('cli.usageDays', { n: count, usage: sumText(total[1], messages) }));
  const show = (heading: 'cli.usageModels' | 'cli.usagePeople' | 'cli.usageTasks', rows: readonly [string, Sum][]) => {
    print('');
    print(messages.text(heading));
    for (const line of usageRows(rows, messages)) print(line);
  };
  show('cli.usageModels', lists.models);
  show('cli.usagePeople', lists.people);
  show(
    'cli.usageTasks',
    lists.tasks.map(([task, sum], n) => [n < MOST_ROWS ? `${task}  ${titleOf(task) ?? ''}`.trimEnd() : task, sum]),
  );
  return EXIT.ok;
}

/** Returns the sums by name, the largest first. */
function usageSums<Call extends UsageCall>(calls: readonly Call[], nameOf: (call: Call) => string): [string, Sum][] {
  const sums = new Map<string, Sum>();
  for (const call of calls) {
    const name = nameOf(call);
    const { calls: before = 0, ...usage } = sums.get(name) ?? { ...NO_USAGE, calls: 0 };
    sums.set(name, { ...addUsage(usage, call), calls: before + 1 });
  }
  return [...sums].sort(([, a], [, b]) => tokensOf(b) - tokensOf(a));
}

const sumText = ({ calls, ...usage }: Sum, messages: Messages): string =>
  messages.text('cli.usageSum', { n: calls, usage: usageText(usage) });

function usageRows(rows: readonly [string, Sum][], messages: Messages): string[] {
  const shown = rows.slice(0, MOST_ROWS).map(([name, sum]) => [cutText(plainLine(name), MOST_LETTERS), sum] as const);
  const width = Math.max(...shown.map(([name]) => name.length));
  return [
    ...shown.map(([name, sum]) => `  ${name.padEnd(width)}  ${sumText(sum, messages)}`),
    ...(rows.length > MOST_ROWS ? [`  ${messages.text('cli.moreRows', { n: rows.length - MOST_ROWS })}`] : []),
  ];
}
