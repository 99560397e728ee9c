/** Shows a chat as a person sees it, and waits for what should appear in it. */
import { createWatching, type Watching } from '../base/transcript.ts';
import type { ChatState, Query, Stored } from './state.ts';
import { type ChatMessage, view } from './view.ts';
import type { World } from './world.ts';

/** What to wait for; every given field must match. */

export interface Wanted {
  chat?: number;
  from?: 'bot' | number;
  /** A part of the text. */
  text?: string;
  /** Only messages with a higher ID. */
  after?: number;
  /** Only changes with a higher number. */
  since?: number;
  /** The name of a file in it. */
  file?: string;
  /** How many messages must match; the last of them is returned. */
  count?: number;
  timeoutMs?: number;
}

export interface ChatView {
  messages: ChatMessage[];
  /** Returns the bot's current activity, if it was reported less than 5 seconds ago. */
  action?: string;
  draft?: string;
  queries: Query[];
}

export interface Transcript extends Omit<Watching<ChatMessage>, 'waitForAll'> {
  /** Returns messages that aren't deleted; `all` includes deleted ones. */
  chat(id: number, options?: { all?: boolean }): ChatView;
  /** Returns the texts of a chat as `who: text` lines. */
  lines(id: number): string[];
  /** Waits for a message by a condition that is plain data. */
  wait(wanted: Wanted): Promise<ChatMessage>;
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
  const line = ({ from, text, files }: ChatMessage) =>
    `${from}: ${[text, ...files.map((file) => `[${file.name || file.kind}]`)].filter(Boolean).join(' ')}`;
  const { waitForAll, ...watching } = createWatching<Stored, ChatMessage>({
    changes: world.changes,
    all: () => [...world.chats.values()].flatMap(messagesOf),
    view,
    line: (message) => `${message.chat} ${line(message)}`,
    seq: () => world.seq(),
  });
  const shown = (chat: ChatState | undefined, all = false) =>
    (chat ? messagesOf(chat) : []).filter((stored) => all || !stored.deleted).map(view);

  return {
    ...watching,
    lines: (id) => shown(world.chats.get(id)).map(line),
    chat(id, { all } = {}) {
      const chat = world.chats.get(id);
      if (!chat) return { messages: [], queries: [] };
      const isActing = chat.action && Date.now() - chat.action.at < ACTION_MS;
      return {
        messages: shown(chat, all),
        ...(isActing && chat.action && { action: chat.action.action }),
        ...(chat.draft && { draft: chat.draft.text }),
        queries: chat.queries,
      };
    },
    wait: (wanted) => waitForAll((message) => fitsWanted(message, wanted), wanted.count, wanted.timeoutMs),
  };
}
