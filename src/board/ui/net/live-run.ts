/** A run in progress: its text and tools in order. */
import { type Signal, signal } from '@preact/signals';
import { eachFrame } from './gather.ts';

export type LivePart =
  | { kind: 'text'; text: string }
  | { kind: 'tool'; tool: string; callId?: string; done: boolean; note?: string };

export interface LiveRun {
  runId: string;
  parts: readonly LivePart[];
  state: 'idle' | 'thinking' | 'tool' | 'waiting-approval';
}

export interface Progress {
  type: string;
  content?: string;
  /** The whole text; replaces the pieces before it. */
  whole?: boolean;
  tool?: string;
  callId?: string;
  state?: LiveRun['state'];
  progress?: { tool: string; note: string };
}

export function advance(
  parts: readonly LivePart[],
  event: Progress,
  state: LiveRun['state'],
): { parts: readonly LivePart[]; state: LiveRun['state'] } {
  const last = parts.at(-1);
  switch (event.type) {
    case 'text-delta':
      if (last?.kind === 'text' && event.whole === true)
        return { parts: [...parts.slice(0, -1), { kind: 'text', text: event.content ?? '' }], state };
      if (last?.kind === 'text')
        return { parts: [...parts.slice(0, -1), { kind: 'text', text: last.text + (event.content ?? '') }], state };
      return { parts: [...parts, { kind: 'text', text: event.content ?? '' }], state };
    case 'tool-call': {
      if (event.callId && parts.some((part) => part.kind === 'tool' && part.callId === event.callId))
        return { parts, state: 'tool' };
      const call: LivePart = {
        kind: 'tool',
        tool: event.tool ?? '',
        done: false,
        ...(event.callId && { callId: event.callId }),
      };
      return { parts: [...parts, call], state: 'tool' };
    }
    case 'tool-result': {
      const at = parts.findIndex(
        (part) =>
          part.kind === 'tool' &&
          !part.done &&
          (event.callId ? part.callId === event.callId : part.tool === event.tool),
      );
      return { parts: parts.map((part, index) => (index === at ? { ...part, done: true } : part)), state: 'thinking' };
    }
    case 'state-change': {
      const note = event.progress?.note;
      const noted =
        note === undefined
          ? parts
          : parts.map((part) => (part === last && part.kind === 'tool' ? { ...part, note } : part));
      return { parts: noted, state: event.state ?? state };
    }
    default:
      return { parts, state };
  }
}

/** The run of a conversation as its events report it. Rendered once for each frame, however many events come in it. */
export class RunInProgress {
  readonly shown: Signal<LiveRun | undefined> = signal(undefined);
  #reported: { runId: string; event: Progress }[] = [];
  /** The run that ended last; later events of it are ignored. */
  #ended: string | undefined;
  #known: string | undefined;
  readonly #frame = eachFrame(() => this.#show());

  begin(runId: string): void {
    this.#show();
    this.shown.value = { runId, parts: [], state: 'thinking' };
  }

  /** Returns whether it is the first report of its run. */
  report(runId: string, event: Progress): boolean {
    if (runId !== '' && runId === this.#ended) return false;
    const isFirst = this.#known !== runId;
    this.#known = runId;
    this.#reported.push({ runId, event });
    this.#frame.soon();
    return isFirst;
  }

  /** @param runId undefined: whichever runs */
  end(runId: string | undefined): void {
    this.#show();
    this.#ended = runId;
    if (runId === undefined || this.shown.peek()?.runId === runId) this.shown.value = undefined;
  }

  clear(): void {
    this.#reported = [];
    this.shown.value = undefined;
  }

  #show(): void {
    const reported = this.#reported;
    if (reported.length === 0) return;
    this.#reported = [];
    this.shown.value = reported.reduce<LiveRun | undefined>((before, { runId, event }) => {
      const isOther = before === undefined || (before.runId !== runId && runId !== '');
      const run = isOther ? { runId, parts: [] } : before;
      return { ...run, ...advance(run.parts, event, before?.state ?? 'thinking') };
    }, this.shown.peek());
  }
}
