/** What every catalogue of the Board has. */
import type { english } from './en.ts';
import type { englishPages } from './en-pages.ts';
import type { Translated } from './shape.ts';

export type Words = Translated<typeof english>;
export type PageWords = Translated<typeof englishPages>;

export interface Catalogue {
  words: Words;
  pageWords: PageWords;
}
