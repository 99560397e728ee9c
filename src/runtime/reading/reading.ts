/** Files as text: the one place where the text of a file is made. Loaded by the first file that has one. */
import type { Home } from '../../workspace/home.ts';
import type { Reading } from '../contract/reading.ts';
import { readDocument } from './documents.ts';
import { type HearingOptions, hear } from './hearing.ts';
import { kindOf } from './kinds.ts';
import { keepText, keptText } from './store.ts';

export interface ReadingOptions extends HearingOptions {
  home: Home;
}

export function createReading(options: ReadingOptions): Reading['read'] {
  return async (file, by) => {
    const known = await keptText(options.home, by.task, file);
    if (known) return known;
    const text =
      file.seconds !== undefined || kindOf(file) === 'sound'
        ? await hear(file, by, options)
        : await readDocument(file.path, by.signal);
    return keepText(options.home, by.task, file, text);
  };
}
