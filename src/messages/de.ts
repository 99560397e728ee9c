/** Every sentence in German. The compiler checks each area for the same keys and arguments as the English one. */
import { common } from './de/common.ts';
import { contact } from './de/contact.ts';
import { exported } from './de/export.ts';
import { models } from './de/models.ts';
import { times } from './de/times.ts';
import { voice } from './de/voice.ts';
import type { Catalogue } from './en.ts';

export const de: Catalogue = { common, contact, export: exported, models, times, voice };
