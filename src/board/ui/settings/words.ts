/** The sentences of the settings page, which loads when it is opened, in the reader's language. */
import type { SettingsWords } from '../words/catalogue.ts';
import { language, otherSettings } from '../words.ts';
import { english } from './words-en.ts';

/** Read while rendering, since the language may change. */
export const settingsWords = (): SettingsWords => (language.value === 'en' ? english : (otherSettings ?? english));
