/** What every catalogue of the Board has. */
import type { english } from './en.ts';
import type { englishPages } from './en-pages.ts';
import type { TranslationOf } from './shape.ts';

export type Words = TranslationOf<typeof english>;
export type PageWords = TranslationOf<typeof englishPages>;

export interface Catalogue {
  words: Words;
  pageWords: PageWords;
}
