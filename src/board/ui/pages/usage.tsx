/** Costs of the models, by day, model, person and task. */
import { useSignal } from '@preact/signals';
import type { ComponentChildren, JSX } from 'preact';
import type { Sum, UsageSums } from '../../../client/shapes.ts';
import { of, usePages } from '../net/resource.ts';
import { Columns } from '../parts/chart.tsx';
import { Choice, Empty, More, PageHead, Section, Shown } from '../parts/common.tsx';
import { amount, dayLabel, money } from '../parts/time.tsx';
import { taskLink } from '../router.ts';
import { pageWords } from '../words-pages.ts';
import { Figure } from './health.tsx';

const RANGES = ['7', '30', '90'] as const;
const BY_TASK = { next: 'nextTask', after: 'afterTask' };
const DAY_MS = 86_400_000;
const utcDay = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

export function Usage(): JSX.Element {
  const range = useSignal<(typeof RANGES)[number]>('30');
  const to = utcDay(Date.now());
  const from = utcDay(Date.now() - (Number(range.value) - 1) * DAY_MS);
  const usage = usePages<UsageSums>(`/api/usage?from=${from}&to=${to}`, 'tasks', of('task:completed'), BY_TASK);
  return (
    <>
      <PageHead title={pageWords.usage.title} intro={pageWords.usage.intro}>
        <Choice
          label={pageWords.usage.range}
          value={range.value}
          options={RANGES.map((days) => [days, pageWords.usage.days(Number(days))] as const)}
          onChange={(days) => (range.value = days)}
        />
      </PageHead>
      <Shown of={usage} rows={8}>
        {(found) =>
          found.days.length === 0 ? (
            <Empty icon="usage" title={pageWords.usage.empty} />
          ) : (
            <Sums usage={found} from={from} to={to} />
          )
        }
      </Shown>
      <More of={usage} />
    </>
  );
}

/** Returns every day, including those without usage. */
function everyDay({ days }: UsageSums, from: string, to: string): (Sum & { day: string })[] {
  const known = new Map(days.map((day) => [day.day, day]));
  const all: (Sum & { day: string })[] = [];
  for (let at = Date.parse(from); at <= Date.parse(to); at += DAY_MS)
    all.push(known.get(utcDay(at)) ?? { day: utcDay(at) });
  return all;
}

function Sums({ usage, from, to }: { usage: UsageSums; from: string; to: string }): JSX.Element {
  const { total } = usage;
  const columns = everyDay(usage, from, to).map(({ day, cost, currency, inputTokens, outputTokens }) => ({
    key: day,
    label: dayLabel(day),
    value: cost ?? 0,
    said: `${money(cost ?? 0, currency)}, ${pageWords.usage.tokens(amount((inputTokens ?? 0) + (outputTokens ?? 0)))}`,
  }));
  return (
    <>
      <dl class="figures">
        <Figure label={pageWords.usage.total} value={money(total.cost, total.currency)} />
        <Figure label={pageWords.usage.tokensIn} value={amount(total.inputTokens)} />
        <Figure label={pageWords.usage.tokensOut} value={amount(total.outputTokens)} />
      </dl>
      <Columns columns={columns} label={pageWords.usage.chart(dayLabel(from), dayLabel(to))} />
      <Shares
        title={pageWords.usage.models}
        rows={usage.models.map((row) => ({ ...row, key: row.model, name: row.model }))}
      />
      <Shares
        title={pageWords.usage.people}
        rows={usage.people.map((row) => ({ ...row, key: row.person, name: row.person.replace(/^person:/, '') }))}
      />
      <Shares
        title={pageWords.usage.tasks}
        rows={usage.tasks.map((row) => ({
          ...row,
          key: row.task,
          name: <a href={taskLink(row.task)}>{row.title?.trim() || row.task}</a>,
        }))}
      />
    </>
  );
}

function Shares({
  title,
  rows,
}: {
  title: string;
  rows: readonly (Sum & { key: string; name: ComponentChildren })[];
}): JSX.Element | null {
  if (rows.length === 0) return null;
  const most = Math.max(...rows.map(({ cost }) => cost ?? 0), 0.000001);
  return (
    <Section title={title}>
      <ul class="shares">
        {rows.map(({ key, name, cost, currency, inputTokens, outputTokens }) => (
          <li key={key}>
            <span class="share-name">{name}</span>
            <span class="share-tokens">{pageWords.usage.tokens(amount((inputTokens ?? 0) + (outputTokens ?? 0)))}</span>
            <span class="share-cost">{money(cost, currency)}</span>
            <span class="share-bar" aria-hidden="true">
              <span style={{ width: `${((cost ?? 0) / most) * 100}%` }} />
            </span>
          </li>
        ))}
      </ul>
    </Section>
  );
}
