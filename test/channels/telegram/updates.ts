/** Hand-made updates for tests: the least a real one holds, with what the test is about added. */

export const BOT = { id: 7001, username: 'Viber_Bot', account: '7001' };
export const ALEX = { id: 1001, is_bot: false, first_name: 'Alex', last_name: 'Doe', username: 'alexdoe' };
export const SELF = { id: BOT.id, is_bot: true, first_name: 'Viber', username: BOT.username };
export const PRIVATE = { id: 1001, type: 'private', first_name: 'Alex' };
export const GROUP = { id: -100200, type: 'supergroup', title: 'Team' };
export const CHANNEL = { id: -100300, type: 'channel', title: 'News' };
export const DATE = 1_790_000_000;

export function inPrivate(content: object): object {
  return { update_id: 1, message: { message_id: 5, date: DATE, chat: PRIVATE, from: ALEX, ...content } };
}

export function inGroup(content: object): object {
  return { update_id: 1, message: { message_id: 5, date: DATE, chat: GROUP, from: ALEX, ...content } };
}

/** A text with an entity around each marked piece, as `{type, of, ...}`. */
export function withEntities(text: string, ...marks: { type: string; of: string; [key: string]: unknown }[]): object {
  const entities = marks.map(({ of, ...entity }) => ({ ...entity, offset: text.indexOf(of), length: of.length }));
  return { text, entities };
}
