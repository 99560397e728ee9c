/**
 * The sentences of the Board in its reader's language. English comes with the page; another language loads when it is
 * chosen, before anything is shown. `words` is a live binding: read it while rendering, and never store it.
 */
import { signal } from '@preact/signals';
import type { Catalogue, PageWords, SettingsWords, Words } from './words/catalogue.ts';
import { english } from './words/en.ts';

const OTHERS = { de: () => import('./words/de.ts'), es: () => import('./words/es.ts') } as const satisfies Record<
  string,
  () => Promise<Catalogue>
>;
type Other = keyof typeof OTHERS;
export type Language = 'en' | Other;

const KEPT = 'viber-language';

export let words: Words = english;
/** The texts of pages that load later; undefined in English, which those pages include. */
export let otherPages: PageWords | undefined;
export let otherSettings: SettingsWords | undefined;
/** The language that is shown. A change renders everything anew. */
export const language = signal<Language>('en');

export const channelName = (id: string): string => words.tasks.channels[id] ?? id.charAt(0).toUpperCase() + id.slice(1);

const isOther = (tag: string): tag is Other => Object.hasOwn(OTHERS, tag);

/** Returns the language of the first tag that has a catalogue: `de` for `de-AT`. */
function servedBy(tags: readonly string[]): Language {
  for (const tag of tags) {
    const [first = ''] = tag.toLowerCase().split(/[-_]/);
    if (first === 'en' || isOther(first)) return first;
  }
  return 'en';
}

/** Shows everything in a language. English stays if the catalogue can't be loaded. */
async function showLanguage(wanted: Language): Promise<void> {
  if (wanted === 'en') {
    words = english;
    otherPages = undefined;
    otherSettings = undefined;
  } else {
    // The page works in English, and the next visit tries again.
    const catalogue = await OTHERS[wanted]().catch(() => undefined);
    if (catalogue === undefined) return;
    words = catalogue.words;
    otherPages = catalogue.pageWords;
    otherSettings = catalogue.settingsWords;
  }
  document.documentElement.lang = wanted;
  language.value = wanted;
}

/** Shows the language of the last visit, else the browser's. */
export const speakFirst = (): Promise<void> =>
  showLanguage(servedBy([localStorage.getItem(KEPT) ?? '', ...navigator.languages]));

/** Shows a person's own language, if the gateway knows it, else the browser's. */
export async function speak(tag: string | undefined): Promise<void> {
  const wanted = servedBy([tag ?? '', ...navigator.languages]);
  if (tag === undefined) localStorage.removeItem(KEPT);
  else localStorage.setItem(KEPT, wanted);
  if (wanted !== language.peek()) await showLanguage(wanted);
}
