/** Files as text: the one place where the text of a file is made. Loaded by the first file that has one. */
import type { Home } from '../../workspace/home.ts';
import type { Reading } from '../contract/reading.ts';
import { type HearingOptions, hear } from './hearing.ts';
import { keepText, keptText } from './store.ts';

export interface ReadingOptions extends HearingOptions {
  home: Home;
}

export function createReading(options: ReadingOptions): Reading['read'] {
  return async (file, by) => {
    const known = await keptText(options.home, by.task, file);
    if (known) return known;
    return keepText(options.home, by.task, file, await hear(file, by, options));
  };
}
