/** The lines of a conversation that aren't, or not yet, among its task's messages. */
import type { CommandFrame } from '../../../client/client.ts';
import type { Artifact, Message } from '../../../client/shapes.ts';

/** A message that was written here and is being sent. */
export interface OutgoingMessage {
  id: string;
  text: string;
  at: string;
  files: readonly Artifact[];
  /** `kept`: durable in the gateway; `command`: belongs to no task and is answered beside the conversation. */
  state: 'sending' | 'kept' | 'failed' | 'command';
  problem?: string;
  /** Its ID among the task's messages. */
  message?: string;
  /** The key of the message before it; '' at the beginning, undefined if none was known yet. */
  after: string | undefined;
  /** The IDs of the messages that were listed by then. */
  before: readonly string[];
  /** What is sent, again with the same ID: repeating it is safe. */
  frame: CommandFrame;
}

export interface Aside {
  id: string;
  after: string | undefined;
  text: string;
  files: readonly string[];
  at: string;
}

/** A message, with the answers that it has replaced, oldest first. */
export interface ShownMessage extends Message {
  earlier?: readonly Message[];
  /** Its question was asked anew, and has no newer answer yet. */
  isReplaced?: true;
}

/** Puts answers to a question that was asked anew into one place, and the question only once. */
export function shownMessages(messages: readonly Message[], sent: readonly OutgoingMessage[]): readonly ShownMessage[] {
  const shown: ShownMessage[] = [];
  /** Where the answer of a run stands, or is to stand. */
  const places = new Map<string, number>();
  for (const message of messages) {
    const { role, runId, again } = message;
    const place = places.get((role === 'user' ? again : runId) ?? '');
    const before = place === undefined ? undefined : shown[place];
    if (place === undefined || before === undefined) {
      if (role === 'assistant' && runId !== undefined) places.set(runId, shown.length);
      shown.push(message);
    } else if (role === 'user') {
      if (runId !== undefined) places.set(runId, place);
      if (message === messages.at(-1)) shown[place] = { ...before, isReplaced: true };
    } else if (before.runId !== runId) {
      const { earlier = [], isReplaced: _, ...answer } = before;
      shown[place] = { ...message, earlier: [...earlier, answer] };
    }
  }
  const asked = new Set<unknown>(sent.filter(asksAgain).map(({ frame }) => frame.again));
  return shown.map((one) => (one.runId !== undefined && asked.has(one.runId) ? { ...one, isReplaced: true } : one));
}

/** Whether a message that is being sent asks a listed question anew, and is not shown itself. */
export const asksAgain = ({ state, frame }: OutgoingMessage): boolean =>
  state !== 'failed' && frame.again !== undefined;

export const isMessage = ({ id, also }: Message, sought: string): boolean =>
  id === sought || also?.includes(sought) === true;

/** Identifies an answer by its run, so that an event and the list count as one. */
export const messageKey = ({ role, runId, id }: Message): string =>
  `${role} ${runId !== undefined && role === 'assistant' ? runId : id}`;

/** The keys of a message and of the answers in its place. */
export const keysOf = ({ earlier = [], ...message }: ShownMessage): string[] => [...earlier, message].map(messageKey);

export const readFileNames = (given: unknown): { name: string }[] =>
  Array.isArray(given)
    ? given.flatMap((one) => (typeof one?.name === 'string' ? [{ name: String(one.name) }] : []))
    : [];

/**
 * Returns the sent messages that the gateway's list doesn't have yet. Each listed message accounts for one of them, and
 * is then claimed.
 */
export const unlisted = (
  sent: readonly OutgoingMessage[],
  messages: readonly Message[],
  claimed: Set<string>,
): readonly OutgoingMessage[] =>
  sent.filter(({ message, state, before, text: said }) => {
    if (state === 'command') return true;
    if (message !== undefined) return !messages.some(({ id, also }) => id === message || also?.includes(message));
    // The gateway has not reported its ID yet.
    const match = messages.find(
      ({ id, role, text }) =>
        role === 'user' && !claimed.has(id) && !before.includes(id) && text.trim() === said.trim(),
    );
    if (match !== undefined) claimed.add(match.id);
    return match === undefined;
  });
