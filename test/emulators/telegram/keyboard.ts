/**
 * Checks a reply_markup. Only an inline keyboard stays with its message; the other kinds change the app's input field.
 */
import type { InlineKeyboardMarkup } from '@grammyjs/types';
import { badRequest } from './errors.ts';
import { json, type Params } from './params.ts';

const DATA_BYTES = 64;
const MAX_BUTTONS = 100;
// biome-ignore format: a list is filled
const ACTIONS = [
  'url', 'callback_data', 'web_app', 'login_url', 'switch_inline_query', 'switch_inline_query_current_chat',
  'switch_inline_query_chosen_chat', 'copy_text', 'callback_game', 'pay', 'disabled',
];

function cannotParse(reason: string): Error {
  return badRequest(`can't parse inline keyboard button: ${reason}`);
}

function checkButton(button: unknown): void {
  if (typeof button !== 'object' || button === null) throw cannotParse('expected an Object');
  const fields = new Map(Object.entries(button));
  const label: unknown = fields.get('text');
  if (typeof label !== 'string' || label.trim() === '') throw cannotParse(`can't find field "text"`);
  const actions = ACTIONS.filter((name) => fields.get(name) !== undefined);
  if (actions.length === 0) throw cannotParse('Text buttons are unallowed in the inline keyboard');
  const data: unknown = fields.get('callback_data');
  if (data !== undefined) {
    const size = typeof data === 'string' ? Buffer.byteLength(data) : 0;
    if (size < 1 || size > DATA_BYTES) throw badRequest('BUTTON_DATA_INVALID');
  }
  const url: unknown = fields.get('url');
  if (url !== undefined && !(typeof url === 'string' && /^(?:https?|tg|ton):\/\/.|^[^\s:]+\.[^\s:]{2,}/i.test(url))) {
    throw badRequest(`inline keyboard button URL '${url}' is invalid: Wrong HTTP URL`);
  }
}

/** Returns the inline keyboard of a call; undefined if there is none. Throws ApiError 400 for an invalid keyboard. */
export function inlineKeyboard(params: Params): InlineKeyboardMarkup | undefined {
  const markup = json<InlineKeyboardMarkup>(params, 'reply_markup');
  if (markup === undefined) return undefined;
  if (typeof markup !== 'object' || Array.isArray(markup)) throw badRequest('object expected as reply markup');
  const rows: unknown = markup.inline_keyboard;
  if (rows === undefined) return undefined;
  if (!Array.isArray(rows)) throw badRequest('field "inline_keyboard" must be of type Array');
  for (const row of rows) {
    if (!Array.isArray(row)) throw badRequest('field "inline_keyboard" must be an Array of Arrays');
    for (const button of row) checkButton(button);
  }
  const filled = rows.filter((row) => row.length > 0);
  if (filled.flat().length > MAX_BUTTONS) throw badRequest('reply markup is too long');
  return filled.length > 0 ? { inline_keyboard: filled } : undefined;
}
