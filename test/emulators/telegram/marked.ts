/** The common parts of the parse modes. */
import type { MessageEntity } from '@grammyjs/types';
import { badRequest } from './errors.ts';

export interface Marked {
  text: string;
  entities: MessageEntity[];
}

export function cannotParse(reason: string): Error {
  return badRequest(`can't parse entities: ${reason}`);
}

/** Returns a link; `tg://user?id=` links mention a person. */
export function linkEntity(url: string, offset: number, length: number): MessageEntity {
  const user = /^tg:\/\/user\?id=(\d+)$/.exec(url);
  if (!user) return { type: 'text_link', offset, length, url };
  return { type: 'text_mention', offset, length, user: { id: Number(user[1]), is_bot: false, first_name: 'User' } };
}
