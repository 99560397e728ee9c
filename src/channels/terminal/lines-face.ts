/**
 * Shows a conversation line by line, for pipes and terminals that can't be drawn on; only the answers are written.
 * Invariant: a line from a pipe waits for the answer to the one before, as a person would.
 */
import readline from 'node:readline';
import type { Messages } from '../../messages/messages.ts';
import type { Input } from './keyboard.ts';
import type { Look } from './look.ts';
import { answerLines, LABEL, labelFor, PROMPT } from './render.ts';
import type { Output } from './screen.ts';
import type { Face, Listener, ShownMessage } from './seam.ts';

export interface LinesFaceOptions {
  input: Input;
  output: Output;
  look: Look;
  messages: Messages;
  /** True if a person types, not a program. */
  isTyped: boolean;
}

export class LinesFace implements Face {
  readonly #to: LinesFaceOptions;
  readonly #waiting: string[] = [];
  #lines: readline.Interface | undefined;
  #talk: Listener | undefined;
  #isAwaiting = false;
  #hasAsked = false;
  #hasEnded = false;
  #label = LABEL;

  constructor(options: LinesFaceOptions) {
    this.#to = options;
  }

  open(talk: Listener): void {
    const { input, isTyped, messages } = this.#to;
    this.#talk = talk;
    if (isTyped) this.#write([messages.text('terminal.greeting')]);
    this.#prompt();
    const lines = readline.createInterface({ input, terminal: false });
    this.#lines = lines;
    lines.on('line', (line) => {
      if (line.trim() === '') return this.#prompt();
      if (this.#isAwaiting && !isTyped) this.#waiting.push(line);
      else this.#give(line);
    });
    lines.on('close', () => {
      this.#hasEnded = true;
      if (isTyped) talk.leave();
      else if (!this.#isAwaiting) this.#next();
    });
  }

  async close(): Promise<void> {
    this.#lines?.close();
  }

  named(name: string): void {
    this.#label = labelFor(name);
  }

  async answer(shown: ShownMessage): Promise<void> {
    const { look, output } = this.#to;
    this.#write(await answerLines(shown, look, output.columns || 80, this.#label));
    this.#next();
  }

  note(text: string): void {
    if (this.#to.isTyped) this.#write([text]);
    else process.stderr.write(`${text}\n`);
    this.#next();
  }

  #give(line: string): void {
    this.#hasAsked = true;
    this.#isAwaiting = true;
    this.#talk?.enter(line);
  }

  /** Goes on after an answer: gives the next line, or leaves. Input that never asked anything doesn't leave. */
  #next(): void {
    this.#isAwaiting = false;
    const line = this.#waiting.shift();
    if (line !== undefined) this.#give(line);
    else if (this.#hasEnded && this.#hasAsked) this.#talk?.leave();
    this.#prompt();
  }

  #prompt(): void {
    if (this.#to.isTyped && !this.#hasEnded) this.#to.output.write(PROMPT);
  }

  #write(lines: readonly string[]): void {
    this.#to.output.write(lines.map((line) => `${line}\n`).join(''));
  }
}
