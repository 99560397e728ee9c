/** The gateway's last log lines, newest first, filtered by trace and level. */
import { signal, useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import type { LogLine } from '../../../client/shapes.ts';
import { api } from '../net/api.ts';
import { onBehind, onEvent } from '../net/live.ts';
import { Choice, Empty, Loading, PageHead, Problem } from '../parts/common.tsx';
import { timeFormat } from '../parts/time.tsx';
import { Virtual } from '../parts/virtual.tsx';
import { go, pageLink, place } from '../router.ts';
import { pageWords } from '../words-pages.ts';

const LEVELS = ['debug', 'info', 'warn', 'error'] as const;
type Level = (typeof LEVELS)[number];
interface LogPage {
  lines: readonly LogLine[];
  next?: string;
}
interface LogRow extends LogLine {
  key: string;
}

const LINE = 56;
const heightOf = (): number => LINE;
const logRowKey = ({ key }: LogRow): string => key;
const clock = timeFormat({ hour: '2-digit', minute: '2-digit', second: '2-digit', hour12: false });

function numbered(lines: readonly LogLine[]): LogRow[] {
  const seen = new Map<string, number>();
  return lines.map((line) => {
    const name = typeof line.id === 'string' ? line.id : `${line.at}|${line.msg}|${line.trace ?? ''}`;
    const count = (seen.get(name) ?? 0) + 1;
    seen.set(name, count);
    return { ...line, key: `${name}|${count}` };
  });
}

const chooseFilter = (change: Record<string, string>): void => {
  const query = new URLSearchParams(place.value.query);
  for (const [name, value] of Object.entries(change)) {
    if (value === '') query.delete(name);
    else query.set(name, value);
  }
  void go(pageLink('logs') + (query.size === 0 ? '' : `?${query}`), { replace: true });
};

const TYPING_MS = 250;

/** The lines of a path: reloaded when there may be newer ones, and paged downwards. */
class Lines {
  readonly all = signal<readonly LogRow[] | undefined>(undefined);
  readonly problem = signal<unknown>(undefined);
  readonly #path: string;
  #next: string | undefined;
  #isLoading = false;

  constructor(path: string) {
    this.#path = path;
  }

  async load(): Promise<void> {
    try {
      const page = await api<LogPage>(this.#path);
      this.all.value = numbered(page.lines);
      this.#next = page.next;
      this.problem.value = undefined;
    } catch (error) {
      this.problem.value = error;
    }
  }

  async more(): Promise<void> {
    const after = this.#next;
    if (after === undefined || this.#isLoading) return;
    this.#isLoading = true;
    try {
      const page = await api<LogPage>(`${this.#path}&after=${encodeURIComponent(after)}`);
      if (this.#next !== after) return;
      this.all.value = numbered([...(this.all.peek() ?? []), ...page.lines]);
      this.#next = page.next;
    } catch (error) {
      this.problem.value = error;
    } finally {
      this.#isLoading = false;
    }
  }

  /** Follows newer lines while the reader is at the top. */
  follow(): () => void {
    void this.load();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const soon = () => {
      if (scrollY > 200) return;
      timer ??= setTimeout(() => {
        timer = undefined;
        void this.load();
      }, 1_000);
    };
    const ends = [onBehind(() => void this.load()), onEvent(soon)];
    return () => {
      clearTimeout(timer);
      for (const end of ends) end();
    };
  }
}

export function Logs(): JSX.Element {
  const { query } = place.value;
  const level = LEVELS.find((one) => one === query.get('level')) ?? 'info';
  const trace = query.get('trace') ?? '';
  const typed = useSignal(trace);
  const path = `/api/logs?level=${level}${trace === '' ? '' : `&trace=${encodeURIComponent(trace)}`}`;
  const lines = useMemo(() => new Lines(path), [path]);
  useEffect(() => lines.follow(), [lines]);
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
  const shown = lines.all.value;
  const problem = lines.problem.value;

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
      {problem !== undefined && <Problem error={problem} />}
      {shown === undefined && problem === undefined && <Loading rows={8} />}
      {shown?.length === 0 && <Empty icon="logs" title={pageWords.logs.empty} hint={pageWords.logs.emptyHint} />}
      {shown !== undefined && shown.length > 0 && (
        <Virtual
          key={path}
          items={shown}
          keyOf={logRowKey}
          heightOf={heightOf}
          label={pageWords.logs.title}
          onEnd={() => void lines.more()}
          render={(line) => <Line line={line} />}
        />
      )}
    </>
  );
}

function Line({ line }: { line: LogRow }): JSX.Element {
  const { key: _key, id: _id, at, level, msg, trace, ...rest } = line;
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
