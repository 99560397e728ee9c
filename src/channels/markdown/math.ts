/**
 * Keeps formulas between `\(` and `\)` or `\[` and `\]` as models write them, Markdown marks in them included, because
 * no platform draws them. A delimiter without its other half is an escaped bracket, as in all Markdown, unless it is
 * alone on its line. A scan ends at the next delimiter of its kind, so that hostile text takes linear time.
 */
import type { CompileContext, Extension as MdastExtension } from 'mdast-util-from-markdown';
import type { Code, Construct, Extension, State, Token } from 'micromark-util-types';

declare module 'micromark-util-types' {
  interface TokenTypeMap {
    formula: 'formula';
    formulaText: 'formulaText';
  }
}

const BACKSLASH = 92;
const CLOSE_OF = new Map<Code, Code>([
  [40, 41],
  [91, 93],
]);
/** `(`, `[` and `:` after `\]`: without the escape this would be a link. */
const LINKS: ReadonlySet<Code> = new Set([40, 91, 58]);
const LINE_ENDING = 'lineEnding';

const isLineEnd = (code: Code): boolean => code !== null && code < -2;

const pair: Construct = {
  name: 'formula',
  tokenize(effects, ok, nok): State {
    let opened: Code = null;
    let isEmpty = true;
    const start: State = (code) => {
      effects.enter('formula');
      effects.enter('formulaText');
      effects.consume(code);
      return open;
    };
    const open: State = (code) => {
      if (!CLOSE_OF.has(code)) return nok(code);
      opened = code;
      effects.consume(code);
      return inside;
    };
    const inside: State = (code) => {
      if (code === null) return nok(code);
      if (isLineEnd(code)) {
        effects.exit('formulaText');
        effects.enter(LINE_ENDING);
        effects.consume(code);
        effects.exit(LINE_ENDING);
        return nextLine;
      }
      effects.consume(code);
      if (code === BACKSLASH) return escaped;
      isEmpty &&= code < 0 || code === 32;
      return inside;
    };
    const nextLine: State = (code) => {
      if (code === null) return nok(code);
      effects.enter('formulaText');
      return inside(code);
    };
    const escaped: State = (code) => {
      if (code === opened || (code === CLOSE_OF.get(opened) && isEmpty)) return nok(code);
      if (code === null || isLineEnd(code)) return inside(code);
      isEmpty = false;
      effects.consume(code);
      if (code !== CLOSE_OF.get(opened)) return inside;
      effects.exit('formulaText');
      effects.exit('formula');
      return after;
    };
    const after: State = (code) => (opened === 91 && LINKS.has(code) ? nok(code) : ok(code));
    return start;
  },
};

/** `\[` and `\]` around lines that the parser took for a list or the like. */
const alone: Construct = {
  name: 'formulaAlone',
  tokenize(effects, ok, nok): State {
    const isFirst = this.previous === null || isLineEnd(this.previous);
    const start: State = (code) => {
      if (!isFirst) return nok(code);
      effects.enter('formula');
      effects.enter('formulaText');
      effects.consume(code);
      return bracket;
    };
    const bracket: State = (code) => {
      if (code !== 91 && code !== 93) return nok(code);
      effects.consume(code);
      return end;
    };
    const end: State = (code) => {
      if (code !== null && !isLineEnd(code)) return nok(code);
      effects.exit('formulaText');
      effects.exit('formula');
      return ok(code);
    };
    return start;
  },
};

export const formula: Extension = { text: { [BACKSLASH]: [pair, alone] } };

export const formulaFromMarkdown: MdastExtension = {
  enter: {
    formula(this: CompileContext, token: Token) {
      this.enter({ type: 'text', value: '' }, token);
      this.buffer();
    },
  },
  exit: {
    formulaText(this: CompileContext, token: Token) {
      this.config.enter.data?.call(this, token);
      this.config.exit.data?.call(this, token);
    },
    formula(this: CompileContext, token: Token) {
      const value = this.resume();
      const node = this.stack.at(-1);
      if (node?.type === 'text') node.value = value;
      this.exit(token);
    },
  },
};
