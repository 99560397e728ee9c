/** Views of runs as the runtime gives them to channels, without the runtime: every turn is given at once unless told otherwise. */

import { type Address, type AgentStreamEvent, conversationKey, type LiveView } from '../../src/channels/channel.ts';
import { messagesIn, say } from '../../src/messages/messages.ts';
import { doing, statusLine } from '../../src/runtime/live/words.ts';

const english = messagesIn('en');

export interface ViewOptions {
  mode?: LiveView['mode'];
  answers?: string;
  progress?: { done: number; total: number };
  turn?: LiveView['turn'];
  buttons?: LiveView['buttons'];
  onLimited?: (ms: number) => void;
}

/** One view for each run and conversation, told of its events. */
export function createViews(options: ViewOptions = {}): (event: AgentStreamEvent, address: Address) => LiveView {
  const known = new Map<string, { view: LiveView; tell: (event: AgentStreamEvent) => void }>();
  return (event, address) => {
    const key = `${event.runId} ${conversationKey(address)}`;
    const one = known.get(key) ?? createView(options);
    known.set(key, one);
    one.tell(event);
    return one.view;
  };
}

function createView(options: ViewOptions) {
  const startedAt = Date.now();
  let words = say('live.thinking');
  let state: LiveView['state'] = 'thinking';
  let until = 0;
  const view: LiveView = {
    get mode() {
      return options.mode;
    },
    get state() {
      return state;
    },
    get words() {
      return english.said(words);
    },
    line: () => statusLine(words, options.progress, Date.now() - startedAt, english),
    async turn() {
      if (options.turn) return options.turn();
      const ms = until - Date.now();
      // Its turn comes by its clock.
      if (ms > 0) await new Promise((resolve) => setTimeout(resolve, ms));
      return true;
    },
    limited(ms) {
      until = Date.now() + ms;
      options.onLimited?.(ms);
    },
    buttons: options.buttons ?? (async () => [[{ id: 'stop-id', label: 'Stop' }]]),
    answers: options.answers,
    kept: undefined,
    keep: () => undefined,
  };
  function tell(event: AgentStreamEvent): void {
    words = doing(event) ?? words;
    if (event.type === 'state-change') state = event.state;
  }
  return { view, tell };
}
