/** By what each kind of file is read. Pure, and cheap: it is asked of every file. */
import type { ReadableFile } from '../contract/reading.ts';

const SOUND = /^audio\//;
const SOUND_NAME = /\.(og[ga]|opus|mp3|m4a|wav|flac|amr|aac)$/i;
/** What platforms call a file they know nothing of. */
const VAGUE = /^(application\/octet-stream|)$/;

export function kindOf({ type, name }: Pick<ReadableFile, 'name' | 'type'>): 'sound' | 'document' | undefined {
  if (SOUND.test(type) || (VAGUE.test(type) && SOUND_NAME.test(name))) return 'sound';
  return undefined;
}
