/** The wizard's terminal UI. Cancelling a question (Ctrl-C, Esc) throws `SetupExit`, which ends the wizard. */
import type { Messages, Wording } from '../../messages/messages.ts';
import { wrapWords } from '../wrap.ts';

export class SetupExit extends Error {}

export interface Choice<T> {
  value: T;
  label: Wording | string;
  hint?: Wording | string;
}

export interface Screen {
  /** Aborted once the person has left between two questions. */
  left: AbortSignal;
  intro(text: Wording): void;
  outro(text: Wording): void;
  say(...texts: readonly (Wording | string)[]): void;
  good(...texts: readonly (Wording | string)[]): void;
  bad(...texts: readonly (Wording | string)[]): void;
  /** Prints the text unchanged on lines of its own, to be copied or scanned. */
  raw(text: string): void;
  select<T extends string>(question: Wording, choices: readonly Choice<T>[], initial?: T): Promise<T>;
  /** Asks until the value is not empty and `problem` returns undefined. */
  text(question: Wording, placeholder?: string, problem?: (value: string) => Wording | undefined): Promise<string>;
  secret(question: Wording | string, isOptional?: boolean): Promise<string>;
  confirm(question: Wording): Promise<boolean>;
  /** Shows a link, with its QR code if the terminal is wide enough. */
  link(link: string): Promise<void>;
}

/**
 * Loads the library on first use; a gateway never does. Several texts are joined by line breaks.
 * @param left once it is aborted, asking or saying anything but the last words throws `SetupExit`
 */
export async function openScreen(messages: Messages, left = new AbortController().signal): Promise<Screen> {
  const clack = await import('@clack/prompts');
  const columns = () => process.stdout.columns || 80;
  // The library has its instructions in English only.
  const showInstructions = messages.language === 'en';
  function answered<T>(value: T): Exclude<T, symbol> {
    if (typeof value === 'symbol') throw new SetupExit('left');
    return value as Exclude<T, symbol>;
  }
  const folded = (...texts: readonly (Wording | string)[]) => {
    if (left.aborted) throw new SetupExit('left');
    return foldLines(sanitised(texts.map((text) => messages.said(text)).join('\n')), Math.max(20, columns() - 4));
  };
  const filled = (value: string | undefined) => (value?.trim() ? undefined : messages.text('setup.pasteHere'));
  return {
    left,
    intro: (text) => clack.intro(messages.said(text)),
    outro: (text) => clack.outro(messages.said(text)),
    say: (...texts) => clack.log.message(folded(...texts)),
    good: (...texts) => clack.log.success(folded(...texts)),
    bad: (...texts) => clack.log.error(folded(...texts)),
    raw: (text) => void process.stdout.write(`\n${text}\n`),
    async select<T extends string>(message: Wording, choices: readonly Choice<T>[], initial?: T) {
      const known = new Map(choices.map(({ value }) => [String(value), value]));
      const options = choices.map(({ value, label, hint }) => ({
        value: String(value),
        label: messages.said(label),
        ...(hint && { hint: messages.said(hint) }),
      }));
      const start = initial === undefined ? {} : { initialValue: String(initial) };
      const chosen = known.get(
        answered(await clack.select<string>({ message: folded(message), options, showInstructions, ...start })),
      );
      if (chosen === undefined) throw new Error('an answer that was not offered');
      return chosen;
    },
    text: async (message, placeholder, problem) => {
      const validate = (value: string | undefined) => {
        const wrong = problem?.(value?.trim() ?? '');
        return filled(value) ?? (wrong && messages.said(wrong));
      };
      const asked = clack.text({ message: folded(message), ...(placeholder && { placeholder }), validate });
      return answered(await asked).trim();
    },
    secret: async (message, isOptional) =>
      pasted(
        answered(await clack.password({ message: folded(message), ...(isOptional ? {} : { validate: filled }) })) ?? '',
      ),
    confirm: async (message) => answered(await clack.confirm({ message: folded(message) })),
    async link(link) {
      const { renderUnicodeCompact } = await import('uqr');
      const code = renderUnicodeCompact(link, { border: 1, ecc: 'L' });
      const width = code.split('\n')[0]?.length ?? 0;
      process.stdout.write(`\n${width <= columns() ? `${code}\n\n` : ''}${link}\n\n`);
    },
  };
}

/** Replaces control characters except newlines: text from others must not control the terminal. */
const sanitised = (text: string): string => text.replace(/(?!\n)[\p{Cc}\p{Cf}]/gu, '\ufffd');

/** Returns one line of at most `most` characters. */
export function cutLine(text: string, most: number): string {
  const line = sanitised(text).replace(/\s+/g, ' ').trim();
  return line.length > most ? `${line.slice(0, most - 1)}…`.toWellFormed() : line;
}

/** Strips what is copied along with a secret: spaces, quotes, the name of its variable. */
const pasted = (text: string) =>
  text
    .trim()
    .replace(/^[A-Z_]+=/, '')
    .replace(/^(["'`])(.*)\1$/, '$2')
    .replace(/^Bearer\s+/i, '')
    .trim();

/** Wraps lines at `width`; a list's items keep their indent. */
const foldLines = (text: string, width: number): string =>
  text
    .split('\n')
    .flatMap((line) => wrapWords(line, width, ' '.repeat(/^(\d+\. |- )/.exec(line)?.[0].length ?? 0)))
    .join('\n');
