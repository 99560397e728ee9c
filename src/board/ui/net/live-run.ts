/** A run in progress: its text and tools in order. */

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

/** Returns the run after one more event. */
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
