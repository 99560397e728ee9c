/**
 * Every sentence a person reads in a chat, in English: the language that says which messages there are and what each is given.
 * An area is a file of `en/`, a message is `area.key`. The texts are ICU MessageFormat without quoting.
 */
import { common } from './en/common.ts';
import { contact } from './en/contact.ts';
import { exported } from './en/export.ts';
import { models } from './en/models.ts';
import { times } from './en/times.ts';
import { voice } from './en/voice.ts';

export const en = { common, contact, export: exported, models, times, voice } as const;

/** The shape of a catalogue in any language. */
export type Catalogue = { readonly [A in keyof typeof en]: { readonly [K in keyof (typeof en)[A]]: string } };
