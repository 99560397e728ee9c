/** A chat as a person sees it, and waiting for what should appear in it. */
import { until } from '../wait.ts';
import type { ChatState, Query, Stored } from './state.ts';
import { type ChatMessage, view } from './view.ts';
import type { World } from './world.ts';

/** What to wait for; every given field must fit. */
export interface Wanted {
  chat?: number;
  from?: 'bot' | number;
  /** Part of the text. */
  text?: string;
  /** Only messages with a higher id. */
  after?: number;
  /** Only changes with a higher number. */
  since?: number;
  /** Name of a file in it. */
  file?: string;
  /** How many messages must fit; the last of them is given. */
  count?: number;
  timeoutMs?: number;
}

export interface ChatView {
  messages: ChatMessage[];
  /** What the bot shows as doing, if that was less than 5 seconds ago. */
  action?: string;
  draft?: string;
  queries: Query[];
}

export interface Transcript {
  /** Messages that are not deleted; `all` gives those too. */
  chat(id: number, options?: { all?: boolean }): ChatView;
  /** The texts of a chat as `who: text` lines. */
  lines(id: number): string[];
  waitFor(fits: (message: ChatMessage) => boolean, timeoutMs?: number): Promise<ChatMessage>;
  /** The same with a condition that is plain data. */
  wait(wanted: Wanted): Promise<ChatMessage>;
  /** Messages changed after `since`, waiting up to `timeoutMs` for the first. */
  changesSince(since: number, timeoutMs?: number): Promise<{ seq: number; messages: ChatMessage[] }>;
  onMessage(listener: (message: ChatMessage) => void): () => void;
}

const ACTION_MS = 5000;

function fitsWanted(message: ChatMessage, wanted: Wanted): boolean {
  return (
    !message.deleted &&
    (wanted.chat === undefined || message.chat === wanted.chat) &&
    (wanted.from === undefined || message.from === wanted.from) &&
    (wanted.text === undefined || message.text.includes(wanted.text)) &&
    (wanted.after === undefined || message.id > wanted.after) &&
    (wanted.since === undefined || message.seq > wanted.since) &&
    (wanted.file === undefined || message.files.some((file) => file.name === wanted.file))
  );
}

export function createTranscript(world: World): Transcript {
  const messagesOf = (chat: ChatState) => [...chat.messages.values()];
  const everything = () => [...world.chats.values()].flatMap(messagesOf);

  const lines = (id: number) => {
    const chat = world.chats.get(id);
    return (chat ? messagesOf(chat) : []).filter((stored) => !stored.deleted).map((stored) => line(view(stored)));
  };
  const line = ({ from, text, files }: ChatMessage) =>
    `${from}: ${[text, ...files.map((file) => `[${file.name || file.kind}]`)].filter(Boolean).join(' ')}`;
  /** Completes the error of a wait that was in vain. */
  const state = () => {
    const newest = everything()
      .sort((a, b) => a.seq - b.seq)
      .slice(-8);
    return `the newest messages are ${JSON.stringify(newest.map((stored) => `${stored.wire.chat.id} ${line(view(stored))}`))}`;
  };

  function waitFor(fits: (message: ChatMessage) => boolean, timeoutMs = 60_000): Promise<ChatMessage> {
    const known = everything().find((stored) => fits(view(stored)));
    if (known) return Promise.resolve(view(known));
    return until<Stored>(world.changes, 'message', (stored) => fits(view(stored)), timeoutMs, state).then(view);
  }

  return {
    lines,
    waitFor,
    chat(id, { all = false } = {}) {
      const chat = world.chats.get(id);
      if (!chat) return { messages: [], queries: [] };
      const isActing = chat.action && Date.now() - chat.action.at < ACTION_MS;
      return {
        messages: messagesOf(chat)
          .filter((stored) => all || !stored.deleted)
          .map(view),
        ...(isActing && chat.action && { action: chat.action.action }),
        ...(chat.draft && { draft: chat.draft.text }),
        queries: chat.queries,
      };
    },
    wait(wanted) {
      const count = wanted.count ?? 1;
      const fitting = new Set(everything().filter((stored) => fitsWanted(view(stored), wanted)));
      const last = [...fitting].at(count - 1);
      if (last) return Promise.resolve(view(last));
      const fits = (stored: Stored) => {
        if (fitsWanted(view(stored), wanted)) fitting.add(stored);
        return fitting.size >= count;
      };
      return until(world.changes, 'message', fits, wanted.timeoutMs ?? 5000, state).then(view);
    },
    async changesSince(since, timeoutMs = 0) {
      const changed = () => everything().filter((stored) => stored.seq > since);
      let found = changed();
      if (found.length === 0 && timeoutMs > 0) {
        await until(world.changes, 'message', () => true, timeoutMs, state).catch(() => 'nothing has changed');
        found = changed();
      }
      return { seq: world.seq(), messages: found.sort((a, b) => a.seq - b.seq).map(view) };
    },
    onMessage(listener) {
      const look = (stored: Stored) => listener(view(stored));
      world.changes.on('message', look);
      return () => void world.changes.off('message', look);
    },
  };
}
