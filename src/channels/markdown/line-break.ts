/**
 * Parses `<br>` as a line break, the only HTML tag that isn't plain text here: models write it where Markdown has no
 * break, mostly in table cells. It has its own token because the parser's break token swallows the line end that
 * follows.
 */
import type { CompileContext, Extension as MdastExtension } from 'mdast-util-from-markdown';
import type { Code, Construct, Extension, State, Token } from 'micromark-util-types';

declare module 'micromark-util-types' {
  interface TokenTypeMap {
    lineBreakTag: 'lineBreakTag';
  }
}

const LESS = 60;
const GREATER = 62;
const SLASH = 47;
const LETTERS = [98, 114];

const construct: Construct = {
  name: 'lineBreakTag',
  tokenize(effects, ok, nok): State {
    let letters = 0;
    const open: State = (code) => {
      effects.enter('lineBreakTag');
      effects.consume(code);
      return name;
    };
    const name: State = (code) => {
      if (code === null || code < 0 || (code | 32) !== LETTERS[letters]) return nok(code);
      effects.consume(code);
      return ++letters === LETTERS.length ? rest : name;
    };
    const rest: State = (code) => {
      if (code === GREATER || code === SLASH) return code === SLASH ? slash(code) : close(code);
      if (!isBlank(code)) return nok(code);
      effects.consume(code);
      return rest;
    };
    const slash: State = (code) => {
      effects.consume(code);
      return (next) => (next === GREATER ? close(next) : nok(next));
    };
    const close: State = (code) => {
      effects.consume(code);
      effects.exit('lineBreakTag');
      return ok;
    };
    return open;
  },
};

/** Returns whether the code is a space or a tab; negative codes are the parser's own for tabs and line ends. */
function isBlank(code: Code): boolean {
  return code === 32 || code === -2 || code === -1;
}

export const lineBreakTag: Extension = { text: { [LESS]: construct } };

export const lineBreakTagFromMarkdown: MdastExtension = {
  enter: {
    lineBreakTag(this: CompileContext, token: Token) {
      this.enter({ type: 'break' }, token);
    },
  },
  exit: {
    lineBreakTag(this: CompileContext, token: Token) {
      this.exit(token);
    },
  },
};
