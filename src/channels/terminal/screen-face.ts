/**
 * Shows a conversation on a terminal that can be drawn on: past messages scroll up; below them are the growing answer,
 * the running work and the typed text. Everything appears in the order in which it was given.
 */
import { errorMessage } from '../../errors.ts';
import type { Text } from '../../messages/messages.ts';
import { loadMarkdown } from '../markdown/parse.ts';
import { cursorPlace, wrapRows } from './editor.ts';
import { type Look, type Style, styled } from './look.ts';
import { answerLines, growingLines, LABEL, labelFor, PROMPT, textLines } from './render.ts';
import { safe, safeLine } from './safe.ts';
import { Screen } from './screen.ts';
import type { Face, Listener, LiveFace, ShownMessage } from './seam.ts';
import { type InputLine, roomBelow, rowsTyped, Typing, type TypingOptions } from './typing.ts';
import { clip, wrap } from './width.ts';

export interface ScreenFaceOptions extends Omit<TypingOptions, 'onChange' | 'screen'> {
  look: Look;
}

const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const FRAME_MS = 120;
/** Nobody could read about work that ends sooner. */
const SHOW_AFTER_MS = 150;
const MAX_WORKING = 3;
/** The most lines of a sent message that stay on the screen. */
const MAX_ECHO = 12;

export class ScreenFace implements Face, LiveFace {
  readonly live = this;
  readonly #to: ScreenFaceOptions;
  readonly #screen: Screen;
  readonly #typing: Typing;
  #queue: Promise<unknown> = Promise.resolve();
  #growing: readonly string[] = [];
  #working: readonly string[] = [];
  #hint = '';
  #label = LABEL;
  #since = 0;
  #timer: NodeJS.Timeout | undefined;
  #isOpen = false;
  readonly #resized = () => this.#draw();

  constructor(options: ScreenFaceOptions) {
    this.#to = options;
    this.#screen = new Screen(options.output);
    this.#typing = new Typing({ ...options, screen: this.#screen, onChange: () => this.#draw() });
  }

  open(talk: Listener): void {
    this.#isOpen = true;
    this.#to.output.on('resize', this.#resized);
    this.#screen.print(this.#sentence('dim', this.#to.messages.text('terminal.greeting')));
    this.#typing.open({
      enter: (text, shown) => {
        this.#soon(() => this.#screen.print(this.#echo(shown)));
        void talk.enter(text);
      },
      interrupt: () => talk.interrupt(),
      touched: () => talk.touched(),
      leave: () => talk.leave(),
    });
    this.#draw();
    // Preloads the parser, so that the first answer doesn't wait for it.
    setTimeout(() => void loadMarkdown(), 200).unref();
  }

  async close(): Promise<void> {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    clearTimeout(this.#timer);
    await this.#queue;
    this.#to.output.off('resize', this.#resized);
    this.#typing.close();
    this.#screen.clear();
  }

  answer(shown: ShownMessage): Promise<void> {
    return this.#later(async () => {
      const { isRest, text, messageId, edits } = shown;
      const lines = [...(await answerLines(shown, this.#to.look, this.#screen.columns, this.#label)), ''];
      if (edits !== undefined && !isRest) return this.#screen.replace(edits, lines);
      // The rest of an answer can't be changed later, because the screen doesn't hold the message as one block.
      if (isRest) this.#screen.print(text.trim() === '' ? lines : ['', ...lines]);
      else this.#screen.print(lines, messageId);
    });
  }

  named(name: string): void {
    this.#soon(() => {
      this.#label = labelFor(name);
    });
  }

  note(text: Text): void {
    this.#soon(() => this.#screen.print(this.#sentence('yellow', safeLine(text))));
  }

  log(line: string): void {
    this.#soon(() => this.#screen.print(safe(line).trimEnd().split('\n')));
  }

  pressed(label: string): void {
    this.#soon(() =>
      this.#screen.print([styled(this.#to.look, 'dim', `${' '.repeat(PROMPT.length)}[${safeLine(label)}]`)]),
    );
  }

  working(lines: readonly string[]): void {
    if (this.#working.length === 0) this.#since = Date.now();
    this.#working = lines.slice(-MAX_WORKING);
    this.#tick();
  }

  hint(text: Text | undefined): void {
    this.#hint = text ?? '';
    this.#draw();
  }

  finished(markdown: string, isFirst: boolean): void {
    this.#soon(async () => {
      const lines = await textLines(markdown, this.#to.look, this.#screen.columns, isFirst ? this.#label : '');
      this.#growing = [];
      this.#screen.print(isFirst ? lines : ['', ...lines]);
    });
  }

  growing(markdown: string, isFirst: boolean): void {
    this.#soon(async () => {
      const lines = await growingLines(markdown, this.#to.look, this.#screen.columns, isFirst ? this.#label : '');
      this.#growing = isFirst || lines.length === 0 ? lines : ['', ...lines];
      this.#draw();
    });
  }

  #later(action: () => void | Promise<void>): Promise<void> {
    const done = this.#queue.then(action).finally(() => this.#draw());
    this.#queue = done.catch(() => 'the caller handles it');
    return done;
  }

  #soon(action: () => void | Promise<void>): void {
    this.#later(action).catch((error: unknown) => this.#screen.print([safeLine(errorMessage(error))]));
  }

  #sentence(style: Style, text: string): string[] {
    return wrap(text, this.#screen.columns).map(({ start, end }) =>
      styled(this.#to.look, style, text.slice(start, end)),
    );
  }

  #echo(text: string): string[] {
    const rows = this.#typed({ text, cursor: text.length });
    if (rows.lines.length <= MAX_ECHO) return rows.lines;
    const more = this.#to.messages.text('terminal.moreLines', { n: rows.lines.length - MAX_ECHO + 1 });
    return [...rows.lines.slice(0, MAX_ECHO - 1), `${' '.repeat(PROMPT.length)}${styled(this.#to.look, 'dim', more)}`];
  }

  #typed(typed: InputLine): { lines: string[]; cursor: { row: number; column: number } } {
    const rows = wrapRows(typed.text, this.#typing.width);
    const { row, column } = cursorPlace(typed, rows);
    const prompt = styled(this.#to.look, 'bold', styled(this.#to.look, 'green', PROMPT));
    const lines = rows.map(({ start, end }, index) => {
      const before = index === 0 ? prompt : ' '.repeat(PROMPT.length);
      return before + typed.text.slice(start, end).replace(/\n$/, '').replaceAll('\t', ' ');
    });
    return { lines, cursor: { row, column: PROMPT.length + column } };
  }

  #draw(): void {
    if (!this.#isOpen) return;
    const { rows, columns } = this.#screen;
    const { look } = this.#to;
    const { lines, cursor } = this.#typed(this.#typing.typed);
    // A long text shows the rows around the cursor.
    const most = rowsTyped(rows, lines.length);
    const from = Math.max(0, Math.min(cursor.row - most + 1, lines.length - most));
    const typed = lines.slice(from, from + most);
    const below = [...(this.#hint === '' ? [] : [this.#hint]), ...this.#typing.choices];
    const hints = below
      .map((line) => styled(look, 'dim', clip(line, columns - 1)))
      .slice(0, roomBelow(rows, lines.length));
    const room = rows - 1 - typed.length - hints.length;
    const working = this.#workingLines(columns).slice(0, Math.max(0, room));
    const growing = room > working.length ? this.#growing.slice(working.length - room) : [];
    const above = [...growing, ...working];
    const place = { row: above.length + cursor.row - from, column: cursor.column };
    this.#screen.draw({ lines: [...above, ...typed, ...hints], cursor: place });
  }

  #workingLines(columns: number): string[] {
    if (Date.now() - this.#since < SHOW_AFTER_MS) return [];
    const frame = FRAMES[Math.floor(Date.now() / FRAME_MS) % FRAMES.length] ?? '';
    const { look } = this.#to;
    return this.#working.map(
      (line) => `${styled(look, 'cyan', frame)} ${styled(look, 'dim', clip(safeLine(line), columns - 3))}`,
    );
  }

  #tick(): void {
    clearTimeout(this.#timer);
    this.#draw();
    if (this.#working.length > 0) this.#timer = setTimeout(() => this.#tick(), FRAME_MS).unref();
  }
}
