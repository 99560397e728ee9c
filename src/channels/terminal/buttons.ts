/**
 * Numbers the buttons on the screen: no number is used twice, and a button shown again keeps its own. No side effects
 * outside the object.
 */
import { say, type Wording } from '../../messages/messages.ts';
import type { Button } from '../channel.ts';
import { safeLine } from './safe.ts';

export interface NumberedButton {
  n: number;
  id: string;
  label: string;
  messageId?: string | undefined;
  /** The question it decides, and its position among that question's buttons. */
  key?: string | undefined;
}

type NotPressed = { kind: 'unsure'; button: NumberedButton } | { kind: 'none' | 'decided'; n: number };

export function notPressed(found: NotPressed): Wording {
  if (found.kind === 'unsure') {
    const { n, label } = found.button;
    return say('terminal.olderButton', { n: String(n), label: safeLine(label) });
  }
  return say(found.kind === 'none' ? 'terminal.noButton' : 'terminal.decided', { n: String(found.n) });
}

/** Older buttons have scrolled away. */
const MAX_BUTTONS = 1_000;

export class Buttons {
  readonly #known = new Map<number, NumberedButton>();
  #last = 0;
  readonly #dead = new Set<number>();
  /** The numbers of the buttons shown last, which can be pressed by typing the number alone. */
  #open = new Set<number>();

  /** @param isMore the buttons shown last stay open too */
  number(rows: readonly (readonly Button[])[], messageId?: string, isMore = false): NumberedButton[] {
    const before = new Map([...this.#known.values()].map(({ key, n }) => [key, n]));
    const counts = new Map<string, number>();
    const numbered = rows.flat().map(({ id, label, decides }) => {
      if (decides === undefined) return { n: ++this.#last, id, label, messageId };
      const nth = (counts.get(decides) ?? 0) + 1;
      counts.set(decides, nth);
      const key = `${decides}\n${nth}`;
      return { n: before.get(key) ?? ++this.#last, id, label, messageId, key };
    });
    for (const one of numbered) {
      this.#known.set(one.n, one);
      this.#dead.delete(one.n);
    }
    for (const n of this.#known.keys())
      if (n <= this.#last - MAX_BUTTONS) this.#known.delete(n) && this.#dead.delete(n);
    this.#open = new Set([...(isMore ? this.#open : []), ...numbered.map(({ n }) => n)]);
    return numbered;
  }

  /** Notes that a question of the message is decided; only the given buttons are left. */
  close(messageId: string, left: readonly (readonly Button[])[]): void {
    const kept = new Set(left.flat().map(({ id }) => id));
    for (const { n, id, messageId: under } of this.#known.values())
      if (under === messageId && !kept.has(id)) this.#dead.add(n);
  }

  /**
   * Interprets a typed line: `!3` is always a button; `3` is one of the last answer's buttons, or ambiguous if it
   * belongs to an older one. Returns undefined if the line isn't a button's number.
   */
  find(line: string): { kind: 'press'; button: NumberedButton } | NotPressed | undefined {
    const [, mark = '', digits] = /^(!?)(\d{1,6})$/.exec(line) ?? [];
    if (digits === undefined) return undefined;
    const n = Number(digits);
    const button = this.#known.get(n);
    if (!button) return mark === '' ? undefined : { kind: 'none', n };
    // Pressed with `!`, a decided button reports the decision.
    if (this.#dead.has(n) && mark === '') return { kind: 'decided', n };
    return mark !== '' || this.#open.has(n) ? { kind: 'press', button } : { kind: 'unsure', button };
  }
}
