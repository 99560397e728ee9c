/** Colours of code: the highlighter and each of its languages load when a text in that language is first shown. */
import { type Signal, signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { languageNamed } from './file-kind.ts';

type Colour = (text: string) => ComponentChildren;

/** A longer text would hold up the page. */
const MAX_TEXT = 100_000;
const loaded = new Map<string, Signal<Colour | undefined>>();

/** Returns the text in colours, or as it is while they load or where there are none. */
export function coloured(text: string, given: string): ComponentChildren {
  const language = languageNamed(given);
  if (language === undefined || text.length > MAX_TEXT) return text;
  const known = loaded.get(language) ?? signal<Colour | undefined>(undefined);
  if (!loaded.has(language)) {
    loaded.set(language, known);
    import('../pane/highlight.ts')
      .then(({ highlighter }) => highlighter(language))
      .then(
        (colour) => {
          known.value = colour;
        },
        // The text stays as it is, and the next visit tries again.
        () => loaded.delete(language),
      );
  }
  return known.value?.(text) ?? text;
}
