/**
 * Runs at work as people may see them: no blocks, no secrets, no half words. What was said since a run last began to think is kept, so that
 * whoever looks later sees the text from its beginning. Nothing is made of it before somebody looks.
 */
import type { AgentState, AgentStreamEvent } from '../../channels/channel.ts';
import { createLru } from '../../lib/lru.ts';
import type { Bus } from './bus.ts';
import { createLiveText, type LiveText } from './text.ts';

type Origin = Pick<AgentStreamEvent, 'agentId' | 'taskId' | 'runId'>;
type ToolCall = Extract<AgentStreamEvent, { type: 'tool-call' }>;

interface Seen {
  origin: Origin;
  state: AgentState;
  /** As the model has said it. */
  said: string;
  /** The same for people, once somebody has looked. */
  shown: { text: LiveText; all: string } | undefined;
  /** Tools that have not answered. */
  calls: ToolCall[];
}

/** More at once than any machine works on; a run whose end was never told makes room. */
const MAX_RUNS = 1_000;
/** Characters of one text. */
const MAX_SAID = 4 * 1024 * 1024;

export class SeenRuns {
  readonly #runs = createLru<Seen>(MAX_RUNS);
  readonly #listeners = new Set<(event: AgentStreamEvent) => void>();

  constructor(bus: Bus) {
    bus.subscribe((event) => this.#take(event));
  }

  /** What it gives back ends it. */
  subscribe(listener: (event: AgentStreamEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** What whoever begins to look at a task now has missed of its runs; a text is `whole`. */
  soFar(taskId: string): AgentStreamEvent[] {
    return this.#all((run) => run.origin.taskId === taskId).flatMap((run) => eventsOf(run, shownOf(run).all));
  }

  /** The same of these runs as the models have said it: for another process, whose people look from now on. */
  raw(runIds: ReadonlySet<string>): AgentStreamEvent[] {
    return this.#all((run) => runIds.has(run.origin.runId)).flatMap((run) => eventsOf(run, run.said));
  }

  #all(match: (run: Seen) => boolean): Seen[] {
    return [...this.#runs.entries()].flatMap(([, run]) => (match(run) ? [run] : []));
  }

  #take(event: AgentStreamEvent): void {
    const { runId } = event;
    if (event.type === 'state-change' && event.state === 'idle') this.#runs.delete(runId);
    else if (event.type === 'text-delta') {
      this.#say(this.#runOf(event), event);
      return;
    } else note(this.#runOf(event), event);
    this.#tell(event);
  }

  #runOf({ agentId, taskId, runId }: Origin): Seen {
    const known = this.#runs.get(runId);
    if (known) return known;
    const begun: Seen = {
      origin: { agentId, taskId, runId },
      state: 'thinking',
      said: '',
      shown: undefined,
      calls: [],
    };
    this.#runs.set(runId, begun);
    return begun;
  }

  #say(run: Seen, event: Extract<AgentStreamEvent, { type: 'text-delta' }>): void {
    const before = this.#listeners.size > 0 ? shownOf(run) : run.shown;
    if (run.said.length < MAX_SAID) run.said += event.content;
    if (!before) return;
    const content = before.text.add(event.content);
    before.all += content;
    if (content !== '') this.#tell({ ...event, content });
  }

  #tell(event: AgentStreamEvent): void {
    for (const listener of this.#listeners) listener(event);
  }
}

/** What was said before a tool is called, or before it thinks anew, is not the answer. */
function note(run: Seen, event: Exclude<AgentStreamEvent, { type: 'text-delta' }>): void {
  if (event.type === 'tool-result') {
    run.calls = run.calls.filter((call) => call.callId !== event.callId);
    return;
  }
  Object.assign(run, { said: '', shown: undefined });
  if (event.type === 'tool-call') run.calls.push(event);
  else run.state = event.state;
  if (event.type === 'state-change' && event.state === 'thinking') run.calls = [];
}

function shownOf(run: Seen): NonNullable<Seen['shown']> {
  if (run.shown) return run.shown;
  const text = createLiveText();
  run.shown = { text, all: text.add(run.said) };
  return run.shown;
}

/** Whatever was seen of it before is void. */
function eventsOf({ origin, state, calls }: Seen, text: string): AgentStreamEvent[] {
  const now: AgentStreamEvent[] = [{ ...origin, type: 'state-change', state: 'thinking' }];
  if (state !== 'thinking') now.push({ ...origin, type: 'state-change', state });
  now.push(...calls);
  if (text !== '') now.push({ ...origin, type: 'text-delta', content: text, whole: true });
  return now;
}
