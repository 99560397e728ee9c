/**
 * Runs a conversation in a terminal: interprets typed lines, tracks the running work, handles Ctrl-C. It knows neither
 * the gateway's transport (`Door`) nor the view (`Face`). Invariants: a number presses the button it was shown with or
 * none; Ctrl-C stops running work before it leaves, and a second one right after it leaves.
 */

import { errorMessage } from '../../errors.ts';
import type { Messages } from '../../messages/messages.ts';
import type { PendingQuestion } from '../channel.ts';
import { Buttons, notPressed } from './buttons.ts';
import { Growing } from './growing.ts';
import { LEAVE } from './leave.ts';
import { safeLine } from './safe.ts';
import type { Answer, Door, Face, Listener } from './seam.ts';

export interface TalkOptions {
  door: Door;
  face: Face;
  messages: Messages;
  onLeave: () => void;
}

interface Run {
  line: string;
  readonly growing: Growing;
  isOver: boolean;
}

/** The shortest time between two draws of a growing answer. */
const DRAW_MS = 60;

export class Talk implements Listener {
  readonly #to: TalkOptions;
  readonly #buttons = new Buttons();
  readonly #runs = new Map<string, Run>();
  /** True while a message has had no reaction yet. */
  #isAsked = false;
  #isArmed = false;
  #hasLeft = false;
  #drawing: NodeJS.Timeout | undefined;

  constructor(options: TalkOptions) {
    this.#to = options;
  }

  get isWorking(): boolean {
    return this.#isAsked || [...this.#runs.values()].some((run) => !run.isOver);
  }

  async enter(text: string): Promise<void> {
    const line = text.trim();
    if (line === '') return;
    if (LEAVE.test(line)) return this.leave();
    const { door, face, messages } = this.#to;
    const found = this.#buttons.find(line);
    if (found && found.kind !== 'press') return face.note(messages.said(notPressed(found)));
    if (found) face.live?.pressed(found.button.label);
    this.#isAsked = true;
    this.#show();
    await this.#send(found ? door.press(found.button.id) : door.say(text.trimEnd()));
  }

  interrupt(): void {
    const { door, face, messages } = this.#to;
    if (this.#isArmed) return void this.leave();
    this.#isArmed = true;
    face.live?.hint(messages.text(this.isWorking ? 'terminal.stopping' : 'terminal.again'));
    if (this.isWorking) void this.#send(door.say('/stop'));
  }

  touched(): void {
    if (!this.#isArmed) return;
    this.#isArmed = false;
    this.#to.face.live?.hint(undefined);
  }

  leave(): void {
    if (this.#hasLeft) return;
    this.#hasLeft = true;
    clearTimeout(this.#drawing);
    this.#to.onLeave();
  }

  async answer({ text, files, buttons = [], messageId, edits }: Answer): Promise<void> {
    this.#isAsked = false;
    if (edits !== undefined) this.#buttons.close(edits, buttons);
    const numbered = this.#buttons.number(buttons, messageId);
    const rest = this.#restOf(text);
    for (const [key, { isOver }] of this.#runs) if (isOver) this.#runs.delete(key);
    this.#show();
    if (this.#isArmed && !this.isWorking) this.#to.face.live?.hint(this.#to.messages.text('terminal.again'));
    await this.#to.face.answer({
      text: rest ?? text,
      isRest: rest !== undefined,
      files,
      buttons: numbered,
      messageId,
      edits,
    });
  }

  /** Shows questions that were asked before this terminal was opened. */
  async remind(questions: readonly PendingQuestion[]): Promise<void> {
    const { face, messages } = this.#to;
    if (questions.length > 0) face.note(messages.text('terminal.unanswered'));
    for (const { text, buttons, messageId } of questions) {
      const numbered = this.#buttons.number(buttons, messageId, true);
      await face.answer({ text, isRest: false, files: [], buttons: numbered, messageId });
    }
  }

  named(name: string): void {
    this.#to.face.named(name);
  }

  wrote(runId: string, delta: string): void {
    if (!this.#to.face.live) return;
    this.#run(runId).growing.add(delta);
    this.#drawing ??= setTimeout(() => this.#draw(), DRAW_MS);
  }

  /** The text so far was not the answer. */
  steps(runId: string): void {
    const run = this.#runs.get(runId);
    if (!run) return;
    this.#keep(run);
    run.growing.clear();
    this.#show();
  }

  /** The answer starts over. */
  again(runId: string): void {
    this.#runs.get(runId)?.growing.dropRest();
    this.#show();
  }

  works(runId: string, line: string): void {
    this.#run(runId).line = line;
    this.#show();
  }

  /** The answer comes now, or there is none. */
  over(runId: string, isAnswered: boolean): void {
    const run = this.#runs.get(runId);
    if (!run) return;
    run.isOver = true;
    if (!isAnswered) {
      this.#keep(run);
      this.#runs.delete(runId);
    }
    this.#show();
  }

  /** Forgets all running work, because the gateway has ended. */
  reset(): void {
    this.#isAsked = false;
    for (const run of this.#runs.values()) this.#keep(run);
    this.#runs.clear();
    this.#show();
  }

  #run(runId: string): Run {
    const run = this.#runs.get(runId) ?? { line: '', growing: new Growing(), isOver: false };
    this.#runs.set(runId, run);
    return run;
  }

  async #send(sending: Promise<void>): Promise<void> {
    try {
      await sending;
    } catch (error) {
      this.#isAsked = false;
      this.#show();
      this.#to.face.note(this.#to.messages.text('terminal.notTaken', { why: safeLine(errorMessage(error)) }));
    }
  }

  /** Returns the rest of an answer whose beginning is on the screen; undefined for a new answer. */
  #restOf(text: string): string | undefined {
    for (const { growing } of this.#runs.values()) {
      const rest = growing.isBegun ? growing.restOf(text) : undefined;
      if (rest === undefined) continue;
      growing.clear();
      return rest;
    }
    return undefined;
  }

  #keep({ growing }: Run): void {
    if (growing.rest.trim() !== '') this.#to.face.live?.finished(growing.rest, !growing.isBegun);
  }

  #draw(): void {
    this.#drawing = undefined;
    for (const { growing } of this.#runs.values()) {
      const isFirst = !growing.isBegun;
      const whole = growing.takeFinished();
      if (whole.trim() !== '') this.#to.face.live?.finished(whole, isFirst);
    }
    this.#show();
  }

  #show(): void {
    const runs = [...this.#runs.values()];
    const { live } = this.#to.face;
    const lines = runs.filter(({ isOver, line }) => !isOver && line !== '').map(({ line }) => line);
    // Shown until the current activity is known.
    if (runs.length === 0 && this.#isAsked) lines.push(this.#to.messages.text('terminal.moment'));
    live?.working(lines);
    const last = runs.findLast(({ growing }) => growing.rest.trim() !== '');
    live?.growing(last?.growing.rest ?? '', !(last?.growing.isBegun ?? false));
  }
}
