/**
 * Shows a conversation line by line, for pipes and terminals that can't be drawn on; only the answers are written.
 * Invariant: a line from a pipe, and its end, wait until everything before was answered, as a person would.
 */
import readline from 'node:readline';
import { viberCommand } from '../../lib/invocation.ts';
import { within } from '../../lib/within.ts';
import type { Messages } from '../../messages/messages.ts';
import type { Input } from './keyboard.ts';
import { LEAVE } from './leave.ts';
import type { Look } from './look.ts';
import { answerLines, LABEL, labelFor, PROMPT } from './render.ts';
import type { Output } from './screen.ts';
import type { Face, Listener, ShownMessage } from './seam.ts';

export interface LinesFaceOptions {
  input: Input;
  output: Output;
  look: Look;
  messages: Messages;
  isTyped: boolean;
  /** Resolves when everything said so far is answered. */
  settled: () => Promise<void>;
  /** The longest wait for the answers to a line from a pipe, in ms. */
  maxWaitMs?: number;
}

/** Work that takes longer continues; it would keep a script waiting forever. */
const MAX_WAIT_MS = 30 * 60_000;

export class LinesFace implements Face {
  readonly #to: LinesFaceOptions;
  #lines: readline.Interface | undefined;
  #hasEnded = false;
  #label = LABEL;

  constructor(options: LinesFaceOptions) {
    this.#to = options;
  }

  open(talk: Listener): void {
    const { input, isTyped, messages } = this.#to;
    const lines = readline.createInterface({ input, terminal: false });
    this.#lines = lines;
    if (!isTyped) return void this.#follow(lines, talk);
    this.#write([messages.text('terminal.greeting')]);
    this.#prompt();
    lines.on('line', (line) => {
      if (line.trim() === '') this.#prompt();
      else void talk.enter(line);
    });
    lines.on('close', () => {
      this.#hasEnded = true;
      talk.leave();
    });
  }

  async close(): Promise<void> {
    this.#lines?.close();
  }

  named(name: string): void {
    this.#label = labelFor(name);
  }

  async answer(shown: ShownMessage): Promise<void> {
    const { look, output, isTyped } = this.#to;
    // A program has read the message already, and reads the answers alone.
    if (!isTyped && shown.edits !== undefined) return;
    this.#write(await answerLines(shown, look, output.columns || 80, isTyped ? this.#label : ''));
    this.#prompt();
  }

  note(text: string): void {
    if (this.#to.isTyped) this.#write([text]);
    else process.stderr.write(`${text}\n`);
    this.#prompt();
  }

  /**
   * Gives each line after the answers to the one before, then leaves. Input without a line, as a service has it, doesn't
   * leave: the Board and `viber chat` still reach the gateway.
   */
  async #follow(lines: readline.Interface, talk: Listener): Promise<void> {
    const { settled, messages, maxWaitMs = MAX_WAIT_MS } = this.#to;
    let hasAsked = false;
    for await (const line of lines) {
      if (line.trim() === '') continue;
      hasAsked = true;
      if (LEAVE.test(line.trim())) break;
      await talk.enter(line);
      const isLate = await within(
        settled().then(() => false),
        maxWaitMs,
        () => true,
      );
      if (isLate) this.note(messages.text('terminal.stillWorking'));
    }
    if (hasAsked) return talk.leave();
    this.note(messages.text('terminal.noInput', { chat: viberCommand('chat'), board: viberCommand('board') }));
  }

  #prompt(): void {
    if (this.#to.isTyped && !this.#hasEnded) this.#to.output.write(PROMPT);
  }

  #write(lines: readonly string[]): void {
    this.#to.output.write(lines.map((line) => `${line}\n`).join(''));
  }
}
