/** The type of the Board's catalogues. */
import type { english as settings } from '../settings/words-en.ts';
import type { english } from './en.ts';
import type { englishPages } from './en-pages.ts';
import type { TranslationOf } from './shape.ts';

export type Words = TranslationOf<typeof english>;
export type PageWords = TranslationOf<typeof englishPages>;
export type SettingsWords = typeof settings;

export interface Catalogue {
  words: Words;
  pageWords: PageWords;
  settingsWords: SettingsWords;
}
