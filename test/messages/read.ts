/** Reads a message as the formatter does: which arguments it takes, and of what kind. */
import { IntlMessageFormat } from 'intl-messageformat';

type Ast = ReturnType<IntlMessageFormat['getAst']>;
/** The kind of an argument: counted, shown as it is, or the choices there are. */
export type Kind = 'count' | 'text' | readonly string[];

const SIMPLE = 1;
const SELECT = 5;
const PLURAL = 6;

/** Throws when the text cannot be read. */
export function argumentsOf(text: string, language: string): Map<string, Kind> {
  const found = new Map<string, Kind>();
  const walk = (elements: Ast) => {
    for (const element of elements) {
      if (element.type === SELECT || element.type === PLURAL) {
        found.set(element.value, element.type === PLURAL ? 'count' : Object.keys(element.options));
        for (const option of Object.values(element.options)) walk(option.value);
      } else if (element.type === SIMPLE) {
        if (!found.has(element.value)) found.set(element.value, 'text');
      } else if (element.type === 2) found.set(element.value, 'count');
    }
  };
  walk(new IntlMessageFormat(text, language, undefined, { ignoreTag: true }).getAst());
  return new Map([...found].sort(([a], [b]) => a.localeCompare(b)));
}
