/** Defines how a terminal conversation reaches the gateway, and how it is shown. Types only. */
import type { Text } from '../../messages/messages.ts';
import type { Button, Suggestion } from '../channel.ts';
import type { NumberedButton } from './buttons.ts';

export interface Door {
  /** Rejects when the text was not accepted. */
  say(text: string): Promise<void>;
  press(buttonId: string): Promise<void>;
  suggest(command: string, text: string): Promise<Suggestion[]>;
}

export type ShownFile = { path: string; name: string };

export interface Answer {
  text: string;
  files: readonly ShownFile[];
  buttons?: readonly (readonly Button[])[] | undefined;
  messageId?: string | undefined;
  /** The earlier message whose question is decided; `buttons` are those it has left. */
  edits?: string | undefined;
}

export interface ShownMessage extends Omit<Answer, 'buttons'> {
  /** True if the text continues what is on the screen. */
  isRest: boolean;
  buttons: readonly NumberedButton[];
}

/** A view of the conversation. No method rejects; everything is shown in the order of the calls. */
export interface Face {
  open(talk: Listener): void;
  /** Restores the terminal. */
  close(): Promise<void>;
  answer(shown: ShownMessage): Promise<void>;
  /** Sets the name of the viber that answers from now on. */
  named(name: string): void;
  /** Shows a sentence of the terminal's own. */
  note(text: Text): void;
  /** Absent if nothing can be redrawn. */
  readonly live?: LiveFace;
}

export interface LiveFace {
  /** Shows a line that doesn't belong to the conversation. */
  log(line: string): void;
  /** Shows a pressed button as if its label had been typed. */
  pressed(label: string): void;
  /** Shows the running work, a line each; `hint` is below the typed text. */
  working(lines: readonly string[]): void;
  hint(text: Text | undefined): void;
  /** Shows a part of an answer that stays; `growing` shows the text after it. */
  finished(markdown: string, isFirst: boolean): void;
  growing(markdown: string, isFirst: boolean): void;
}

export interface Listener {
  /** Handles a complete typed message. Resolves when it was accepted, or its refusal shown. */
  enter(text: string): Promise<void>;
  interrupt(): void;
  /** Handles any other key. */
  touched(): void;
  leave(): void;
}
