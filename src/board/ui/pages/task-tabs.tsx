/** A task's context, trace and cost. */
import type { JSX } from 'preact';
import type { Sum } from '../../../client/shapes.ts';
import { of, usePages, useResource } from '../net/resource.ts';
import { Empty, More, Shown } from '../parts/common.tsx';
import { amount, clockOf, duration, money } from '../parts/time.tsx';
import { words } from '../words.ts';
import { pageWords } from '../words-pages.ts';
import { Figure } from './health.tsx';

const taskApiPath = (taskId: string, what: string): string => `/api/tasks/${encodeURIComponent(taskId)}/${what}`;
const atEnd = of('task:completed', 'task:error');

interface ContextData {
  sections?: readonly { title: string; text: string; tokens?: number }[];
}

export function Context({ taskId }: { taskId: string }): JSX.Element {
  const context = useResource<ContextData>(taskApiPath(taskId, 'context'), atEnd);
  return (
    <Shown of={context} rows={8}>
      {({ sections = [] }) =>
        sections.length === 0 ? (
          <Empty title={words.task.contextEmpty} />
        ) : (
          <>
            <p class="hint">{words.task.contextHint}</p>
            <ul class="notes">
              {sections.map(({ title, text, tokens }, index) => (
                <li key={`${index}${title}`}>
                  <details open={index === 0}>
                    <summary>
                      {title}
                      {tokens !== undefined && <span class="count"> {pageWords.usage.tokens(amount(tokens))}</span>}
                    </summary>
                    {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keys */}
                    <pre class="preview" tabIndex={0}>
                      {text}
                    </pre>
                  </details>
                </li>
              ))}
            </ul>
          </>
        )
      }
    </Shown>
  );
}

interface TraceData {
  events?: readonly { id: string; at: string; what: string; detail?: string }[];
  next?: string;
}

export function Trace({ taskId }: { taskId: string }): JSX.Element {
  const trace = usePages<TraceData>(
    taskApiPath(taskId, 'trace'),
    'events',
    of('task:started', 'task:completed', 'task:error', 'task:state'),
  );
  return (
    <Shown of={trace} rows={8}>
      {({ events = [] }) =>
        events.length === 0 ? (
          <Empty title={words.task.traceEmpty} />
        ) : (
          <>
            <ol class="trace">
              {events.map(({ id, at, what, detail }) => (
                <li key={id}>
                  <time dateTime={at}>{clockOf(at)}</time>
                  <span class="row-text">
                    <span class="row-title">{what}</span>
                    {detail !== undefined && <span class="row-sub">{detail}</span>}
                  </span>
                </li>
              ))}
            </ol>
            <More of={trace} />
          </>
        )
      }
    </Shown>
  );
}

interface CostData {
  total?: Sum;
  calls?: readonly (Sum & { id: string; at: string; model: string; ms?: number })[];
  next?: string;
}

export function Cost({ taskId }: { taskId: string }): JSX.Element {
  const cost = usePages<CostData>(taskApiPath(taskId, 'cost'), 'calls', atEnd);
  return (
    <Shown of={cost} rows={6}>
      {({ total, calls = [] }) =>
        total === undefined && calls.length === 0 ? (
          <Empty title={words.task.costEmpty} />
        ) : (
          <>
            <dl class="figures">
              <Figure label={pageWords.usage.total} value={money(total?.cost, total?.currency)} />
              <Figure label={pageWords.usage.tokensIn} value={amount(total?.inputTokens)} />
              <Figure label={pageWords.usage.tokensOut} value={amount(total?.outputTokens)} />
            </dl>
            <ol class="trace as-named">
              {calls.map(({ id, at, model, inputTokens, outputTokens, cost: price, currency, ms }) => (
                <li key={id}>
                  <time dateTime={at}>{clockOf(at)}</time>
                  <span class="row-text">
                    <span class="row-title">{model}</span>
                    <span class="row-sub">
                      {pageWords.usage.tokens(amount((inputTokens ?? 0) + (outputTokens ?? 0)))}
                      {ms !== undefined && `, ${duration(ms / 1000)}`}
                    </span>
                  </span>
                  <span class="row-end">{money(price, currency)}</span>
                </li>
              ))}
            </ol>
            <More of={cost} />
          </>
        )
      }
    </Shown>
  );
}
