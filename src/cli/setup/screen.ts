/** The wizard's terminal UI. Cancelling a question (Ctrl-C, Esc) throws `Left`, which ends the wizard. */
import { sanitised } from './words.ts';

export class Left extends Error {}

export interface Choice<T> {
  value: T;
  label: string;
  hint?: string;
}

export interface Screen {
  intro(text: string): void;
  outro(text: string): void;
  say(text: string): void;
  good(text: string): void;
  bad(text: string): void;
  /** Prints the text unchanged on lines of its own, to be copied or scanned. */
  raw(text: string): void;
  select<T extends string>(question: string, choices: readonly Choice<T>[], initial?: T): Promise<T>;
  /** Asks until the value is not empty and `problem` returns undefined. */
  text(question: string, placeholder?: string, problem?: (value: string) => string | undefined): Promise<string>;
  secret(question: string, isOptional?: boolean): Promise<string>;
  confirm(question: string): Promise<boolean>;
  columns(): number;
}

/** Loads the library on first use; a gateway never does. */
export async function openScreen(): Promise<Screen> {
  const clack = await import('@clack/prompts');
  const columns = () => process.stdout.columns || 80;
  function answered<T>(value: T): Exclude<T, symbol> {
    if (typeof value === 'symbol') throw new Left('left');
    return value as Exclude<T, symbol>;
  }
  const folded = (text: string) => fold(sanitised(text), Math.max(20, columns() - 4));
  return {
    intro: (text) => clack.intro(text),
    outro: (text) => clack.outro(text),
    say: (text) => clack.log.message(folded(text)),
    good: (text) => clack.log.success(folded(text)),
    bad: (text) => clack.log.error(folded(text)),
    raw: (text) => void process.stdout.write(`\n${text}\n`),
    async select<T extends string>(message: string, choices: readonly Choice<T>[], initial?: T) {
      const known = new Map(choices.map(({ value }) => [String(value), value]));
      const options = choices.map(({ value, label, hint }) => ({ value: String(value), label, ...(hint && { hint }) }));
      const start = initial === undefined ? {} : { initialValue: String(initial) };
      const chosen = known.get(answered(await clack.select<string>({ message: folded(message), options, ...start })));
      if (chosen === undefined) throw new Error('an answer that was not offered');
      return chosen;
    },
    text: async (message, placeholder, problem) => {
      const validate = (value: string | undefined) => filled(value) ?? problem?.(value?.trim() ?? '');
      const asked = clack.text({ message: folded(message), ...(placeholder && { placeholder }), validate });
      return answered(await asked).trim();
    },
    secret: async (message, isOptional) =>
      pasted(
        answered(await clack.password({ message: folded(message), ...(isOptional ? {} : { validate: filled }) })) ?? '',
      ),
    confirm: async (message) => answered(await clack.confirm({ message: folded(message) })),
    columns,
  };
}

const filled = (value: string | undefined) => (value?.trim() ? undefined : 'Paste it here, or leave with Ctrl-C.');

/** Strips what is copied along with a secret: spaces, quotes, the name of its variable. */
const pasted = (text: string) =>
  text
    .trim()
    .replace(/^[A-Z_]+=/, '')
    .replace(/^(["'`])(.*)\1$/, '$2')
    .replace(/^Bearer\s+/i, '')
    .trim();

/** Wraps lines at `width` between words; a longer link stays whole. */
function fold(text: string, width: number): string {
  return text
    .split('\n')
    .map((line) => {
      const indent = /^(\d+\. |- )/.exec(line)?.[0].length ?? 0;
      const lines: string[] = [];
      for (const word of line.split(' ')) {
        const last = lines.at(-1);
        if (last !== undefined && last.length + 1 + word.length <= width) lines[lines.length - 1] = `${last} ${word}`;
        else lines.push(last === undefined ? word : `${' '.repeat(indent)}${word}`);
      }
      return lines.join('\n');
    })
    .join('\n');
}
