/** Between a conversation in a terminal and its two sides: how the gateway is reached, and how things are shown. Types alone. */
import type { Text } from '../../messages/messages.ts';
import type { Attachment, Button, Suggestion } from '../channel.ts';
import type { Numbered } from './buttons.ts';

/** The way to the gateway. */
export interface Door {
  /** Rejects when the words were not taken in. */
  say(text: string): Promise<void>;
  press(buttonId: string): Promise<void>;
  suggest(command: string, text: string): Promise<Suggestion[]>;
}

export type ShownFile = Pick<Attachment, 'path' | 'name'>;

/** What the gateway says. */
export interface Answer {
  text: string;
  files: readonly ShownFile[];
  buttons?: readonly (readonly Button[])[] | undefined;
  messageId?: string | undefined;
  /** The message before whose question is decided; `buttons` are what is left of its own. */
  edits?: string | undefined;
}

export interface Shown {
  text: string;
  /** The text goes on with what is on the screen already. */
  isRest: boolean;
  messageId?: string | undefined;
  /** The message before that this takes the place of, where it can still be changed. */
  edits?: string | undefined;
  files: readonly ShownFile[];
  buttons: readonly Numbered[];
}

/** Where it is shown. Nothing here rejects; what is shown later comes later. */
export interface Face {
  /** Begins to listen. */
  open(talk: Listener): void;
  /** Leaves the terminal as it was. */
  close(): Promise<void>;
  answer(shown: Shown): Promise<void>;
  /** Who answers from now on. */
  named(name: string): void;
  /** A sentence of the terminal's own. */
  note(text: Text): void;
  /** Absent where nothing can be drawn again. */
  readonly live?: LiveFace;
}

export interface LiveFace {
  /** What does not belong to the conversation. */
  log(line: string): void;
  /** What was pressed, as if it had been typed. */
  pressed(label: string): void;
  /** What is at work now, a line for each; a hint below what is typed. */
  working(lines: readonly string[]): void;
  hint(text: Text | undefined): void;
  /** A part of an answer that stays, and what is written after it. */
  finished(markdown: string, isFirst: boolean): void;
  growing(markdown: string, isFirst: boolean): void;
}

/** What somebody at the terminal does. */
export interface Listener {
  /** A whole message was typed. */
  enter(text: string): void;
  /** Ctrl-C. */
  interrupt(): void;
  /** Another key was pressed. */
  touched(): void;
  leave(): void;
}
