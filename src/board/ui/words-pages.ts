/** The sentences of the pages that load when they are first opened, in the reader's language. */
import { effect } from '@preact/signals';
import type { PageWords } from './words/catalogue.ts';
import { englishPages } from './words/en-pages.ts';
import { language, otherPages } from './words.ts';

/** A live binding, like `words`. */
export let pageWords: PageWords = englishPages;

effect(() => {
  void language.value;
  pageWords = otherPages ?? englishPages;
});
