/**
 * Parses a bash text into the simple commands that it may run, in order, including those in substitutions. Unlike
 * parsers for editors, it is strict: if it isn't certain about a text, it returns a reason instead of commands.
 * `test/projects/parse.test.ts` compares it with bash itself.
 */
import { type Cursor, isAt, nextWord, ParseRefusal, type Word } from './words.ts';

export type { Word } from './words.ts';

export interface Redirection {
  /** `<`, `>`, `>>`, `>|`, `<>`, `&>`, `&>>`, `>&`, `<&`, `<<<` or `<<`. */
  operator: string;
  /** The file, the descriptor or the text; for a here-document, its delimiter. */
  to: Word;
}

export interface SimpleCommand {
  /** Variables that are set for the command, or for the shell if the command has no words. */
  assignments: { name: string; source: string }[];
  words: Word[];
  redirections: Redirection[];
  /** The operator before it: `&&`, `||`, `|`, `;`, `&`, or '' at the start of a text, a group or a substitution. */
  after: string;
  /** Whether it is in a group, a block or a substitution. */
  isInner: boolean;
}

export type ParseResult = { commands: SimpleCommand[]; hasBackground: boolean } | { why: string };

const MAX_COMMANDS = 200;
const MAX_DEPTH = 12;
const MAX_LENGTH = 20_000;
/**
 * Control characters, and characters that are invisible or look like a space. No honest command needs them outside
 * names.
 */
const HIDDEN = /(?![ \n\t])[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]/u;
const OPERATORS = ['&&', '||', '|&', ';;', ';&', '|', ';', '&', '\n'];
const REDIRECTIONS = ['&>>', '<<<', '<<-', '&>', '>>', '>|', '>&', '<&', '<>', '<<', '>', '<'];
/** Words that end a construct or can't begin a command. */
const ENDS = ['then', 'elif', 'else', 'fi', 'do', 'done', 'esac', '}', 'in'];
const REFUSED = ['case', 'select', 'function', 'coproc', '[['];

export function parseCommand(text: string): ParseResult {
  if (text.length > MAX_LENGTH) return { why: 'its length' };
  if (HIDDEN.test(text)) return { why: 'hidden characters' };
  try {
    const commands: SimpleCommand[] = [];
    const reader = new Reader(text, commands, 0);
    reader.whole();
    return { commands, hasBackground: reader.hasBackground };
  } catch (error) {
    if (!(error instanceof ParseRefusal)) throw error;
    return { why: error.message };
  }
}

class Reader implements Cursor {
  readonly text: string;
  readonly commands: SimpleCommand[];
  at = 0;
  hasBackground = false;
  readonly #depth: number;
  /** The number of groups and blocks around the current position. */
  #blocks = 0;
  /** Here-documents whose text begins after this line. */
  readonly #documents: { end: string; isLiteral: boolean; dropsTabs: boolean }[] = [];
  /** The operator before the next command. */
  #after = '';

  constructor(text: string, commands: SimpleCommand[], depth: number) {
    if (depth > MAX_DEPTH) throw new ParseRefusal('its depth');
    this.text = text;
    this.commands = commands;
    this.#depth = depth;
  }

  inner(text: string): void {
    const reader = new Reader(text, this.commands, this.#depth + 1);
    reader.whole();
    this.hasBackground ||= reader.hasBackground;
  }

  nested(): void {
    const reader = new Reader(this.text, this.commands, this.#depth + 1);
    const from = this.at;
    reader.at = from;
    reader.list([')']);
    reader.mustBeComplete();
    // A line break in the substitution would start the text of a here-document before it.
    if (this.#documents.length > 0 && this.text.slice(from, reader.at).includes('\n'))
      throw new ParseRefusal('a here-document around a substitution');
    this.at = reader.at;
    this.hasBackground ||= reader.hasBackground;
    this.#expect(')');
  }

  whole(): void {
    this.list([]);
    this.mustBeComplete();
    if (this.at < this.text.length) throw new ParseRefusal('a closing word that matches nothing');
  }

  mustBeComplete(): void {
    if (this.#documents.length > 0) throw new ParseRefusal('a here-document without its text');
  }

  /** Reads commands up to a closing word or parenthesis, which is left unread, or to the end. */
  list(ends: readonly string[]): void {
    this.#after = '';
    for (;;) {
      this.#skip(true);
      if (this.at >= this.text.length || this.#isEnd(ends)) break;
      this.#command();
      this.#skip(false);
      if (this.at >= this.text.length || (isAt(this, ')') && this.#isEnd(ends))) break;
      const operator = OPERATORS.find((one) => isAt(this, one));
      if (operator === undefined || operator === ';;' || operator === ';&') throw new ParseRefusal('an operator');
      if (operator !== '\n') this.at += operator.length;
      this.#after = operator === '\n' ? ';' : operator === '|&' ? '|' : operator;
      this.hasBackground ||= operator === '&';
      if (['&&', '||', '|'].includes(this.#after)) this.#mustGoOn(ends);
    }
    if (this.at >= this.text.length && ends.length > 0) throw new ParseRefusal('an end is missing');
  }

  #mustGoOn(ends: readonly string[]): void {
    this.#skip(true);
    if (this.at >= this.text.length || this.#isEnd(ends)) throw new ParseRefusal('a command is missing');
  }

  /** @throws ParseRefusal for a closing word that doesn't match anything open */
  #isEnd(ends: readonly string[]): boolean {
    if (isAt(this, ')')) {
      if (ends.includes(')')) return true;
      throw new ParseRefusal('a parenthesis');
    }
    const word = this.#reserved();
    if (ends.includes(word)) return true;
    if (ENDS.includes(word)) throw new ParseRefusal('a closing word');
    return false;
  }

  /** Skips blanks and comments, and line breaks together with the here-documents that follow them. */
  #skip(hasLines: boolean): void {
    for (;;) {
      const char = this.text[this.at];
      if (char === ' ' || char === '\t') this.at += 1;
      else if (char === '\\' && this.text[this.at + 1] === '\n' && this.#isBetween()) this.at += 2;
      else if (char === '#' && this.#isBetween()) {
        const end = this.text.indexOf('\n', this.at);
        // In a one-line substitution, a comment would include the closing parenthesis.
        this.at = end < 0 ? this.text.length : end;
      } else if (char === '\n' && hasLines) {
        this.at += 1;
        this.#readDocuments();
      } else return;
    }
  }

  /** Returns whether a new word could begin here. */
  #isBetween(): boolean {
    const before = this.text[this.at - 1];
    return before === undefined || ' \t\n;&|()'.includes(before) || this.text.slice(0, this.at).endsWith('\\\n');
  }

  #peek(): string {
    return /^[^\s;&|<>()'"\\`$]+/.exec(this.text.slice(this.at, this.at + 40))?.[0] ?? '';
  }

  #expect(word: string): void {
    if (!isAt(this, word)) throw new ParseRefusal('an end is missing');
    this.at += word.length;
  }

  #command(): void {
    const after = this.#after;
    if (isAt(this, '((')) throw new ParseRefusal('arithmetic');
    if (isAt(this, '(')) {
      this.at += 1;
      this.#group(')', after);
      return;
    }
    const word = this.#reserved();
    const block = BLOCKS.get(word);
    if (REFUSED.includes(word)) throw new ParseRefusal(word === '[[' ? 'a condition' : word);
    if (word === '{' || word === '!' || block) this.at += word.length;
    if (word === '!') {
      this.#mustGoOn([]);
      this.#command();
    } else if (word === '{') this.#group('}', after);
    else if (block) {
      block(this);
      this.#redirections(after);
    } else this.#simple(after);
  }

  /** Returns the word at this position if it could be a reserved word: one without quotes or expansions. */
  #reserved(): string {
    const word = this.#peek();
    const end = this.text[this.at + word.length];
    return end === undefined || ' \t\n;&|()<>'.includes(end) ? word : '';
  }

  #group(end: string, after: string): void {
    const first = this.commands.length;
    this.#blocks += 1;
    this.list([end]);
    this.#blocks -= 1;
    if (this.commands.length === first) throw new ParseRefusal('an empty group');
    this.#expect(end);
    this.#redirections(after);
  }

  /** Reads a list and the word that ends it; returns that word. */
  block(...ends: string[]): string {
    const first = this.commands.length;
    this.#blocks += 1;
    this.list(ends);
    this.#blocks -= 1;
    if (this.commands.length === first) throw new ParseRefusal('an empty block');
    const end = this.#peek();
    this.at += end.length;
    return end;
  }

  /** Reads the head of a `for`: a variable, and the words that it takes in turn. */
  head(): void {
    this.#skip(false);
    const name = this.#peek();
    if (!/^[A-Za-z_]\w*$/.test(name)) throw new ParseRefusal('a loop');
    this.at += name.length;
    this.#skip(true);
    const words: Word[] = [];
    if (this.#reserved() === 'in') {
      this.at += 2;
      for (this.#skip(false); !this.#atOperator(); this.#skip(false)) words.push(nextWord(this));
    }
    // Some variables change what programs do: `for PATH in …`.
    this.#add({ ...this.#begin(';'), assignments: [{ name, source: `${name}=` }] });
    if (isAt(this, ';')) this.at += 1;
    this.#skip(true);
    if (this.#reserved() !== 'do') throw new ParseRefusal('a loop');
    this.at += 2;
  }

  #atOperator(): boolean {
    return this.at >= this.text.length || '\n;&|()'.includes(this.text.charAt(this.at));
  }

  #simple(after: string): void {
    const command = this.#begin(after);
    for (this.#skip(false); !this.#atOperator() || isAt(this, '&>'); this.#skip(false)) {
      if (this.#redirection(command)) continue;
      const from = this.at;
      const name = command.words.length === 0 && /^([A-Za-z_]\w*)\+?=/.exec(this.text.slice(from, from + 200))?.[1];
      if (command.words.length === 0 && /^[A-Za-z_]\w*\[/.test(this.text.slice(from, from + 200)))
        throw new ParseRefusal('an element of an array');
      const word = nextWord(this);
      if (name) command.assignments.push({ name, source: this.text.slice(from, this.at) });
      else command.words.push(word);
    }
    if (isAt(this, '(')) throw new ParseRefusal('a parenthesis');
    if (command.words.length + command.assignments.length + command.redirections.length === 0)
      throw new ParseRefusal('a command is missing');
    this.#add(command);
  }

  /** Reads what may follow a group or a block: its redirections, as a command without words. */
  #redirections(after: string): void {
    const command = this.#begin(after);
    this.#skip(false);
    while (this.#redirection(command)) this.#skip(false);
    if (command.redirections.length > 0) this.#add(command);
    if (!this.#atOperator()) throw new ParseRefusal('words after a block');
  }

  #begin(after: string): SimpleCommand {
    const isInner = this.#depth > 0 || this.#blocks > 0;
    return { assignments: [], words: [], redirections: [], after, isInner };
  }

  #add(command: SimpleCommand): void {
    this.commands.push(command);
    if (this.commands.length > MAX_COMMANDS) throw new ParseRefusal('the number of its commands');
  }

  #redirection(command: SimpleCommand): boolean {
    const rest = this.text.slice(this.at, this.at + 80);
    const digits = /^\d*(?=[<>])/.exec(rest)?.[0] ?? '';
    if (/^\{\w+\}[<>]/.test(rest)) throw new ParseRefusal('a descriptor with a name');
    const operator = REDIRECTIONS.find((one) => rest.startsWith(one, digits.length));
    if (operator === undefined || (digits !== '' && operator.startsWith('&'))) return false;
    // A process substitution is a word.
    if (/^[<>]\(/.test(rest)) return false;
    this.at += digits.length + operator.length;
    this.#skip(false);
    if (operator === '<<' || operator === '<<-') this.#beginDocument(operator === '<<-', command);
    else command.redirections.push({ operator, to: nextWord(this) });
    return true;
  }

  #beginDocument(dropsTabs: boolean, command: SimpleCommand): void {
    const [all, quote = '', end = ''] =
      /^(['"]?)([A-Za-z_][\w.-]*)\1(?=[\s;&|)<>]|$)/.exec(this.text.slice(this.at, this.at + 100)) ?? [];
    if (all === undefined) throw new ParseRefusal('a here-document');
    this.at += all.length;
    this.#documents.push({ end, isLiteral: quote !== '', dropsTabs });
    command.redirections.push({ operator: '<<', to: { text: end, is: 'plain' } });
  }

  #readDocuments(): void {
    for (const { end, isLiteral, dropsTabs } of this.#documents.splice(0)) {
      for (;;) {
        if (this.at >= this.text.length) throw new ParseRefusal("a here-document that isn't closed");
        const next = this.text.indexOf('\n', this.at);
        const line = this.text.slice(this.at, next < 0 ? undefined : next);
        this.at = next < 0 ? this.text.length : next + 1;
        if ((dropsTabs ? line.replace(/^\t+/, '') : line) === end) break;
        if (!isLiteral && /[`\\]|\$[({[]/.test(line)) throw new ParseRefusal('substitutions in a here-document');
      }
    }
  }
}

const BLOCKS: ReadonlyMap<string, (reader: Reader) => void> = new Map([
  ['if', readIf],
  ['while', readWhile],
  ['until', readWhile],
  ['for', readFor],
]);

function readIf(reader: Reader): void {
  reader.block('then');
  for (;;) {
    const end = reader.block('elif', 'else', 'fi');
    if (end === 'fi') return;
    reader.block(end === 'elif' ? 'then' : 'fi');
    if (end === 'else') return;
  }
}

function readWhile(reader: Reader): void {
  reader.block('do');
  reader.block('done');
}

function readFor(reader: Reader): void {
  reader.head();
  reader.block('done');
}
