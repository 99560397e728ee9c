/** Thoughts that only their model can read: a seal with the model's name, which no other model accepts. */
import { createHmac } from 'node:crypto';

const KEY = 'of the emulator';

export const seal = (maker: string, text: string): string =>
  `${Buffer.from(maker).toString('base64url')}.${createHmac('sha256', KEY).update(`${maker}\n${text}`).digest('base64url')}`;

export const isSealed = (sealed: unknown, maker: string, text: string): boolean => sealed === seal(maker, text);
