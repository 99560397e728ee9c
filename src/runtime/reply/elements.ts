/** The elements of answers that are meant for the gateway: `<decision>`, and those of features. */

const OWN = ['decision'];
/** Names that mean something else in answers of models. */
const TAKEN = /^(?:decision|tool_call|think|thinking|quoted|pre|code|samp|q|blockquote)$/;
const NAME = /^[a-z][a-z_]{1,38}$/;

let alternatives = OWN.join('|');

/**
 * Registers the names of features' elements. Those of features that are off stay registered: models write them out of
 * habit, and they are never for people.
 * @throws Error if a name can't be the name of an element, or means something else
 */
export function knowElements(names: readonly string[]): void {
  const wrong = names.find((name) => !NAME.test(name) || TAKEN.test(name));
  if (wrong !== undefined) throw new Error(`no block of answers can be called ${wrong}`);
  alternatives = [...new Set([...alternatives.split('|'), ...names])].join('|');
}

/** Returns a function for a pattern that is built of the names, again only when there are more of them. */
export function perElements<Pattern>(build: (names: string) => Pattern): () => Pattern {
  let built: { of: string; pattern: Pattern } | undefined;
  return () => {
    if (built?.of !== alternatives) built = { of: alternatives, pattern: build(alternatives) };
    return built.pattern;
  };
}
