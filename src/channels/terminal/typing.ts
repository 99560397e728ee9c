/** Handles keys: the text being typed, the history, and completion on Tab. */

import { within } from '../../lib/within.ts';
import type { Messages } from '../../messages/messages.ts';
import { type CompleteOptions, type Completion, commonStart, complete } from './complete.ts';
import { type Edit, Editor, wrapRows } from './editor.ts';
import { History } from './history.ts';
import { HistorySearch } from './history-search.ts';
import { type Input, type Key, Keyboard } from './keyboard.ts';
import { Pastes } from './pastes.ts';
import { PROMPT } from './render.ts';
import { safeLine } from './safe.ts';
import type { Output, Screen } from './screen.ts';
import type { Listener } from './seam.ts';

export interface TypingOptions {
  input: Input;
  output: Output;
  screen: Screen;
  history: string;
  completing: CompleteOptions;
  messages: Messages;
  onChange: () => void;
}

export interface InputLine {
  text: string;
  cursor: number;
}

export interface TypingListener extends Omit<Listener, 'enter'> {
  /** @param shown the text as displayed, with long pastes folded */
  enter(text: string, shown: string): void;
}

const MAX_CHOICES = 8;
/** The longest that keys wait for a completion. */
const LOOK_MS = 2_000;
/** Shift-Enter, on terminals that distinguish it. */
const SHIFT_ENTER = '\u001b[13;2u';

const EDITS: Readonly<Record<string, Edit>> = {
  left: 'left',
  right: 'right',
  'ctrl+left': 'wordLeft',
  'ctrl+right': 'wordRight',
  'meta+left': 'wordLeft',
  'meta+right': 'wordRight',
  'ctrl+b': 'left',
  'ctrl+f': 'right',
  'meta+b': 'wordLeft',
  'meta+f': 'wordRight',
  home: 'home',
  end: 'end',
  'ctrl+a': 'home',
  'ctrl+e': 'end',
  'ctrl+h': 'backspace',
  delete: 'delete',
  'ctrl+d': 'delete',
  'ctrl+w': 'killWord',
  'meta+backspace': 'killWord',
  'ctrl+u': 'killToStart',
  'ctrl+k': 'killToEnd',
  'ctrl+y': 'yank',
};

export const rowsTyped = (rows: number, lines: number): number => Math.min(lines, Math.max(2, rows >> 1));

/** Returns the rows for what is offered below the typed text; one is left free above it if possible. */
export const roomBelow = (rows: number, lines: number): number => Math.max(1, rows - rowsTyped(rows, lines) - 2);

export class Typing {
  readonly #to: TypingOptions;
  readonly #editor = new Editor();
  readonly #history: History;
  readonly #pastes: Pastes;
  readonly #keyboard: Keyboard;
  #listener: TypingListener | undefined;
  #choices: string[] = [];
  /** What was offered last, and the first choice that wasn't shown; Tab again shows the next ones. */
  #offered = { text: '', next: 0 };
  #search: HistorySearch | undefined;
  /** Keys pressed while a completion is looked up; undefined otherwise. */
  #held: (() => void)[] | undefined;

  constructor(options: TypingOptions) {
    this.#to = options;
    this.#history = new History(options.history);
    const { messages } = options;
    this.#pastes = new Pastes((n, lines) => messages.text('terminal.pasted', { n: String(n), lines }));
    this.#keyboard = new Keyboard({
      input: options.input,
      output: options.output,
      onKey: (key) => this.#inTurn(() => this.#key(key)),
      onPaste: (text) => this.#inTurn(() => this.#paste(text)),
      onEnd: () => this.#listener?.leave(),
      onResume: () => options.onChange(),
    });
  }

  get typed(): InputLine {
    return { text: this.#editor.text, cursor: this.#editor.cursor };
  }

  get choices(): readonly string[] {
    return this.#choices;
  }

  /** The columns of a line of text, without the prompt and with room for the cursor after it. */
  get width(): number {
    return Math.max(4, this.#to.screen.columns - PROMPT.length - 1);
  }

  open(listener: TypingListener): void {
    this.#listener = listener;
    this.#keyboard.open();
  }

  close(): void {
    this.#keyboard.close();
  }

  #inTurn(action: () => void): void {
    if (this.#held) this.#held.push(action);
    else action();
  }

  #key(key: Key): void {
    const name = `${key.ctrl ? 'ctrl+' : ''}${key.meta ? 'meta+' : ''}${key.name ?? ''}`;
    if (this.#search && this.#look(this.#search, name, key)) return;
    if (name === 'ctrl+c') return void this.#interrupt();
    this.#listener?.touched();
    if (name === 'ctrl+r') {
      this.#search = new HistorySearch(this.#history, this.#editor.text);
      return void this.#showSearch(this.#search);
    }
    if (name === 'tab') return void this.#complete();
    if (name === 'ctrl+z') return void this.#suspend();
    if (name === 'ctrl+l') return void this.#to.screen.wipe();
    if (name === 'ctrl+d' && this.#editor.text === '') return void this.#listener?.leave();
    this.#change(() => this.#edit(name, key));
  }

  /** Handles a key during a search. Returns false if the search has ended and the key is still to be handled. */
  #look(search: HistorySearch, name: string, key: Key): boolean {
    const isGivenUp = name === 'ctrl+c' || name === 'ctrl+g' || key.name === 'escape';
    if (!isGivenUp && search.take(name, key)) {
      this.#showSearch(search);
      return true;
    }
    this.#search = undefined;
    if (!isGivenUp) search.leave();
    this.#change(() => this.#editor.set(isGivenUp ? search.typed : search.text));
    return isGivenUp;
  }

  #showSearch({ text, query, isFound }: HistorySearch): void {
    this.#change(() => this.#editor.set(text));
    const said = isFound ? 'terminal.searching' : 'terminal.notFound';
    this.#choices = [`  ${this.#to.messages.text(said, { part: safeLine(query) })}`];
    this.#to.onChange();
  }

  #paste(text: string): void {
    this.#search = undefined;
    this.#change(() => this.#editor.insert(this.#pastes.fold(text)));
  }

  #edit(name: string, key: Key): void {
    const edit = EDITS[name];
    if (name === 'return' || name === 'enter') this.#enter();
    else if (name === 'meta+return' || name === 'meta+enter' || key.sequence === SHIFT_ENTER) this.#editor.insert('\n');
    else if (name === 'up' || name === 'ctrl+p') this.#up(-1);
    else if (name === 'down' || name === 'ctrl+n') this.#up(1);
    else if (name === 'backspace') this.#backspace();
    else if (edit) this.#editor.apply(edit);
    else if (!key.ctrl && !key.meta && !/^\p{Cc}/u.test(key.sequence)) this.#editor.insert(key.sequence);
  }

  #change(action: () => void): void {
    this.#choices = [];
    action();
    this.#to.onChange();
  }

  /** Sends the text. A backslash at the end continues it on another line instead. */
  #enter(): void {
    const { text, cursor } = this.#editor;
    if (cursor === text.length && text.endsWith('\\')) return void this.#editor.replace(cursor - 1, '\n');
    this.#editor.set('');
    const whole = this.#pastes.unfold(text);
    if (whole.trim() === '') return;
    if (!/^\s*!?\d+\s*$/.test(whole)) this.#history.add(whole);
    this.#listener?.enter(whole, text);
  }

  /** Deletes a character, or a folded paste as a whole. */
  #backspace(): void {
    const { text, cursor } = this.#editor;
    const mark = this.#pastes.endingAt(text.slice(0, cursor));
    if (mark === undefined) this.#editor.apply('backspace');
    else this.#editor.replace(cursor - mark.length, '');
  }

  #interrupt(): void {
    this.#listener?.interrupt();
    this.#change(() => this.#editor.set(''));
  }

  #up(by: -1 | 1): void {
    if (this.#editor.moveLine(by, this.width)) return;
    const text = this.#history.move(by, this.#editor.text);
    if (text !== undefined) this.#editor.set(text);
  }

  #suspend(): void {
    this.#to.screen.clear();
    this.#keyboard.suspend();
  }

  async #complete(): Promise<void> {
    this.#held = [];
    const { text, cursor } = this.#editor;
    const nothing: Completion = { start: cursor, choices: [] };
    // A gateway that is gone, or doesn't answer, offers nothing.
    const looking = complete(text.slice(0, cursor), this.#to.completing).catch(() => nothing);
    const found = await within(looking, LOOK_MS, () => nothing);
    this.#change(() => this.#offer(found, text.slice(found.start, cursor)));
    const held = this.#held;
    this.#held = undefined;
    for (const action of held) this.#inTurn(action);
  }

  #offer({ start, choices }: Completion, typed: string): void {
    const [only] = choices;
    if (only && choices.length === 1) return void this.#editor.replace(start, only.value);
    const common = commonStart(choices);
    if (common.length > typed.length && common.startsWith(typed)) this.#editor.replace(start, common);
    const { text } = this.#editor;
    const { rows } = this.#to.screen;
    const room = Math.min(MAX_CHOICES + 1, roomBelow(rows, wrapRows(text, this.width).length));
    const isAll = choices.length <= Math.min(MAX_CHOICES, room);
    const from = !isAll && this.#offered.text === text && this.#offered.next < choices.length ? this.#offered.next : 0;
    const shown = choices.slice(from, from + (isAll ? choices.length : Math.max(1, room - 1)));
    this.#offered = { text, next: from + shown.length };
    this.#choices = shown.map(({ label }) => `  ${safeLine(label)}`);
    const n = choices.length - shown.length;
    if (!isAll) this.#choices.push(`  ${this.#to.messages.text('terminal.moreChoices', { n })}`);
  }
}
