/** Thoughts as their maker alone can read them: a seal under which a model's name stands, which no other model takes. */
import { createHmac } from 'node:crypto';

const KEY = 'of the emulator';

export const seal = (maker: string, text: string): string =>
  `${Buffer.from(maker).toString('base64url')}.${createHmac('sha256', KEY).update(`${maker}\n${text}`).digest('base64url')}`;

export const isSealed = (sealed: unknown, maker: string, text: string): boolean => sealed === seal(maker, text);
