/**
 * Running runs as people may see them: no blocks, no secrets, no partial words. Text since a run last began to think is
 * kept, so that people who look later see it from its beginning. It is processed only once somebody looks.
 */
import type { AgentState, AgentStreamEvent } from '../../channels/channel.ts';
import { createLru } from '../../lib/lru.ts';
import type { Bus } from './bus.ts';
import { createLiveText, type LiveText } from './text.ts';

type Origin = { agentId: string; taskId: string; runId: string };
type ToolCall = Extract<AgentStreamEvent, { type: 'tool-call' }>;

interface LiveRunState {
  origin: Origin;
  state: AgentState;
  /** The text as the model wrote it. */
  said: string;
  /** The same text for people, once somebody has looked. */
  shown: { text: LiveText; all: string } | undefined;
  /** Tool calls without a result. */
  calls: ToolCall[];
}

/** More than any machine runs at once; a run whose end was never reported makes room. */
const MAX_RUNS = 1_000;
const MAX_SAID = 4 * 1024 * 1024;

export class SeenRuns {
  readonly #runs = createLru<LiveRunState>(MAX_RUNS);
  readonly #listeners = new Set<(event: AgentStreamEvent) => void>();

  constructor(bus: Bus) {
    bus.subscribe((event) => this.#take(event));
  }

  /** Returns a function that ends the subscription. */
  subscribe(listener: (event: AgentStreamEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Returns what a new viewer of a task has missed of its runs; a text is `whole`. */
  soFar(taskId: string): AgentStreamEvent[] {
    return this.#all((run) => run.origin.taskId === taskId).flatMap((run) => eventsOf(run, shownOf(run).all));
  }

  /** Returns the same for these runs as the models wrote it, for another process whose viewers begin to look now. */
  raw(runIds: ReadonlySet<string>): AgentStreamEvent[] {
    return this.#all((run) => runIds.has(run.origin.runId)).flatMap((run) => eventsOf(run, run.said));
  }

  #all(match: (run: LiveRunState) => boolean): LiveRunState[] {
    return [...this.#runs.entries()].flatMap(([, run]) => (match(run) ? [run] : []));
  }

  #take(event: AgentStreamEvent): void {
    const { runId } = event;
    if (event.type === 'state-change' && event.state === 'idle') this.#runs.delete(runId);
    else if (event.type === 'text-delta') {
      this.#say(this.#runOf(event), event);
      return;
    } else recordEvent(this.#runOf(event), event);
    this.#tell(event);
  }

  #runOf({ agentId, taskId, runId }: Origin): LiveRunState {
    const known = this.#runs.get(runId);
    if (known) return known;
    const begun: LiveRunState = {
      origin: { agentId, taskId, runId },
      state: 'thinking',
      said: '',
      shown: undefined,
      calls: [],
    };
    this.#runs.set(runId, begun);
    return begun;
  }

  #say(run: LiveRunState, event: Extract<AgentStreamEvent, { type: 'text-delta' }>): void {
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

/** Records an event. Text before a tool call or new thinking isn't the answer and is dropped. */
function recordEvent(run: LiveRunState, event: Exclude<AgentStreamEvent, { type: 'text-delta' }>): void {
  if (event.type === 'tool-result') {
    run.calls = run.calls.filter((call) => call.callId !== event.callId);
    return;
  }
  Object.assign(run, { said: '', shown: undefined });
  if (event.type === 'tool-call') run.calls.push(event);
  else run.state = event.state;
  if (event.type === 'state-change' && event.state === 'thinking') run.calls = [];
}

function shownOf(run: LiveRunState): NonNullable<LiveRunState['shown']> {
  if (run.shown) return run.shown;
  const text = createLiveText();
  run.shown = { text, all: text.add(run.said) };
  return run.shown;
}

/** Returns the events of a run from its beginning; they void everything that was shown of it before. */
function eventsOf({ origin, state, calls }: LiveRunState, text: string): AgentStreamEvent[] {
  const now: AgentStreamEvent[] = [{ ...origin, type: 'state-change', state: 'thinking' }];
  if (state !== 'thinking') now.push({ ...origin, type: 'state-change', state });
  now.push(...calls);
  if (text !== '') now.push({ ...origin, type: 'text-delta', content: text, whole: true });
  return now;
}
