/** The gateway's last log lines, newest first, filtered by trace and level. */
import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { LogLine } from '../../../client/shapes.ts';
import { usePages } from '../net/resource.ts';
import { Choice, Empty, PageHead, Shown } from '../parts/common.tsx';
import { timeFormat } from '../parts/time.tsx';
import { Virtual } from '../parts/virtual.tsx';
import { go, pageLink, place } from '../router.ts';
import { pageWords } from '../words-pages.ts';

const LEVELS = ['debug', 'info', 'warn', 'error'] as const;
type Level = (typeof LEVELS)[number];
type LogRow = LogLine & { id: string };

const LINE = 56;
const heightOf = (): number => LINE;
const logRowKey = ({ id }: LogRow): string => id;
const clock = timeFormat({ hour: '2-digit', minute: '2-digit', second: '2-digit', hour12: false });

const chooseFilter = (change: Record<string, string>): void => {
  const query = new URLSearchParams(place.value.query);
  for (const [name, value] of Object.entries(change)) {
    if (value === '') query.delete(name);
    else query.set(name, value);
  }
  void go(pageLink('logs') + (query.size === 0 ? '' : `?${query}`), { replace: true });
};

const TYPING_MS = 250;

/** Newer lines are loaded while the reader is at the top. */
const isAtTop = (): boolean => scrollY <= 200;

export function Logs(): JSX.Element {
  const { query } = place.value;
  const level = LEVELS.find((one) => one === query.get('level')) ?? 'info';
  const trace = query.get('trace') ?? '';
  const typed = useSignal(trace);
  const path = `/api/logs?level=${level}${trace === '' ? '' : `&trace=${encodeURIComponent(trace)}`}`;
  const lines = usePages<{ lines: readonly LogRow[] }>(path, 'lines', isAtTop);
  // A trace from the address also fills the box; typed text reaches the address with a delay.
  const chosen = useRef(trace);
  useEffect(() => {
    if (trace !== chosen.current) typed.value = trace;
    chosen.current = trace;
  }, [trace, typed]);
  useEffect(() => {
    const timer = setTimeout(() => {
      const wanted = typed.peek().trim();
      if (wanted === chosen.current) return;
      chosen.current = wanted;
      chooseFilter({ trace: wanted });
    }, TYPING_MS);
    return () => clearTimeout(timer);
  }, [typed.value]);
  return (
    <>
      <PageHead title={pageWords.logs.title} intro={pageWords.logs.intro}>
        <Choice<Level>
          label={pageWords.logs.level}
          value={level}
          options={LEVELS.map((one) => [one, pageWords.logs.levels[one]] as const)}
          onChange={(one) => chooseFilter({ level: one === 'info' ? '' : one })}
        />
        <input
          type="search"
          aria-label={pageWords.logs.search}
          placeholder={pageWords.logs.searchHint}
          value={typed.value}
          onInput={(event) => (typed.value = event.currentTarget.value)}
        />
      </PageHead>
      <Shown of={lines} rows={8}>
        {({ lines: all }) =>
          all.length === 0 ? (
            <Empty icon="logs" title={pageWords.logs.empty} hint={pageWords.logs.emptyHint} />
          ) : (
            <Virtual
              key={path}
              items={all}
              keyOf={logRowKey}
              heightOf={heightOf}
              label={pageWords.logs.title}
              onEnd={() => void lines.more()}
              render={(line) => <Line line={line} />}
            />
          )
        }
      </Shown>
    </>
  );
}

function Line({ line }: { line: LogRow }): JSX.Element {
  const { id: _id, at, level, msg, trace, ...rest } = line;
  const more = Object.entries(rest)
    .map(([name, value]) => `${name} ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(', ');
  return (
    <div class={`log ${level}`}>
      <time dateTime={at}>{clock.format(new Date(at))}</time>
      <span class="log-text" title={`${msg}${more === '' ? '' : `\n${more}`}`}>
        <span class="log-msg">{msg}</span>
        {more !== '' && <span class="log-more">{more}</span>}
      </span>
      {trace !== undefined && (
        <a class="log-trace" href={`${pageLink('logs')}?trace=${encodeURIComponent(trace)}`}>
          {trace.slice(0, 12)}
        </a>
      )}
    </div>
  );
}
