/**
 * Reads keys as they are pressed, and each paste as one text. Invariant: from `open` to `close` the terminal delivers
 * every key; afterwards, and while the program is suspended, it is in its original mode.
 */
import readline from 'node:readline';
import { safe } from './safe.ts';

export interface Input extends NodeJS.ReadableStream {
  isTTY?: boolean | undefined;
  setRawMode?(mode: boolean): unknown;
}

export interface Key {
  /** Absent for keys without a name, such as letters of other scripts. */
  name?: string | undefined;
  ctrl: boolean;
  meta: boolean;
  shift: boolean;
  sequence: string;
}

export interface KeyboardOptions {
  input: Input;
  output: NodeJS.WritableStream;
  onKey: (key: Key) => void;
  onPaste: (text: string) => void;
  onEnd: () => void;
  /** Called when the program continues after it was suspended. */
  onResume: () => void;
}

const [PASTE_ON, PASTE_OFF] = ['\u001b[?2004h', '\u001b[?2004l'];
/** A paste without an end ends after this time. */
const PASTE_MS = 1_000;

export class Keyboard {
  readonly #to: KeyboardOptions;
  #pasted: string[] | undefined;
  #timer: NodeJS.Timeout | undefined;
  readonly #listen = (_text: string | undefined, key: Key) => this.#take(key);
  readonly #restore = () => this.#raw(false);
  readonly #resume = () => {
    this.#raw(true);
    this.#to.onResume();
  };

  constructor(options: KeyboardOptions) {
    this.#to = options;
  }

  open(): void {
    const { input, output, onEnd } = this.#to;
    readline.emitKeypressEvents(input);
    input.on('keypress', this.#listen);
    input.on('end', onEnd);
    output.on('error', onEnd);
    process.on('exit', this.#restore);
    this.#raw(true);
    input.resume();
  }

  close(): void {
    const { input, output, onEnd } = this.#to;
    input.off('keypress', this.#listen);
    input.off('end', onEnd);
    output.off('error', onEnd);
    process.off('SIGCONT', this.#resume);
    process.off('exit', this.#restore);
    this.#raw(false);
    input.pause();
  }

  /** Suspends the program, until the shell continues it. */
  suspend(): void {
    this.#raw(false);
    process.once('SIGCONT', this.#resume);
    process.kill(process.pid, 'SIGTSTP');
  }

  #raw(isOn: boolean): void {
    const { input, output } = this.#to;
    input.setRawMode?.(isOn);
    output.write(isOn ? PASTE_ON : PASTE_OFF);
  }

  #take(key: Key): void {
    if (key.name === 'paste-start') this.#pasted = [];
    else if (this.#pasted === undefined) return void this.#to.onKey(key);
    else if (key.name === 'paste-end') return void this.#endPaste();
    else this.#pasted.push(key.sequence);
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#endPaste(), PASTE_MS).unref();
  }

  /** Ends a paste. It may come from anywhere, so nothing in it counts as a key. */
  #endPaste(): void {
    const text = safe((this.#pasted ?? []).join(''));
    this.#pasted = undefined;
    clearTimeout(this.#timer);
    if (text !== '') this.#to.onPaste(text);
  }
}
