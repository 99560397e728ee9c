/**
 * Interprets a failed call for the message it was to send. https://docs.slack.dev/reference/methods/chat.postMessage
 */
import { DeliveryError } from '../../../errors.ts';
import { SlackError } from '../connect/api.ts';

/**
 * Returns whether the part was refused for its form, so that another form may be sent at once. Slack has many codes for
 * that and adds new ones, so it is any code that isn't about something else: the token, rights, the chat, its thread,
 * the message to edit, or the amount sent.
 */
export function refusesForm(error: unknown): boolean {
  if (!(error instanceof SlackError) || error.kind !== 'refused' || error.retryAfterMs !== undefined) return false;
  return FORM.test(error.code) || !ELSEWHERE.test(error.code);
}
/** Matches codes that are about a form, whatever else they mention. */
const FORM = /block(?!ed)|attachment|markdown|mrkdwn|(^|_)tables?(_|$)|_text$|too_long|^http_413$/;
const ELSEWHERE = new RegExp(
  [
    ...['auth', 'token', 'account', 'scope', 'login', 'two_factor', 'permission', 'access', 'denied', 'restrict'],
    ...['archived', 'blocked', 'disabled', 'locked', 'limited', 'message_limit', 'not_found', 'not_in', 'is_inactive'],
    ...['channel', 'thread', 'user', 'team', 'org_', 'enterprise', 'ekm', 'as_user', 'is_bot', 'deprecated'],
    ...['cant_', 'cannot_', 'edit_window', 'streaming', 'duplicate_', 'messages_tab', 'http_', 'unknown_method'],
  ].join('|'),
);

/** Returns whether the thread doesn't exist, is locked, or is in a channel that no longer allows threads. */
export function refusesThread(error: unknown): boolean {
  return error instanceof SlackError && THREAD.test(error.code);
}
const THREAD =
  /^(thread_not_found|invalid_thread_ts|cannot_reply_to_message|restricted_action_(thread_locked|non_threadable_channel))$/;

/** Returns whether the message to edit is gone or may not be edited; a new one can be sent instead. */
export function refusesEdit(error: unknown): boolean {
  return error instanceof SlackError && EDIT.test(error.code);
}
const EDIT = /^(message_not_found|cant_update_message|edit_window_closed|is_inactive|block_mismatch)$/;

/** Returns whether the bot isn't in the chat. */
export function isNotThere(error: unknown): boolean {
  return error instanceof SlackError && (error.code === 'channel_not_found' || error.code === 'not_in_channel');
}

/** Returns whether the message is a stream that was never stopped. */
export function isStreaming(error: unknown): boolean {
  return error instanceof SlackError && error.code === 'streaming_state_conflict';
}

/** Codes of a revoked token, or of a workspace moving into an organization: messages wait until that has changed. */
const KEPT =
  /^(invalid_auth|not_authed|account_inactive|token_revoked|token_expired|org_login_required|team_added_to_org)$/;

const HINTS: Record<string, string> = {
  channel_not_found: 'there is no such channel, or the app is not in it: invite it there',
  not_in_channel: 'the app is not in this channel: invite it there',
  is_archived: 'the channel is archived',
  restricted_action: 'the workspace does not let apps post there',
};

/**
 * Converts an error for delivery. `isRepeatable`: executing the call twice has the effect of once, so a lost answer
 * isn't ambiguous.
 */
export function toDeliveryError(error: unknown, isRepeatable = false): DeliveryError {
  if (error instanceof DeliveryError) return error;
  if (!(error instanceof SlackError)) throw error;
  const { code, kind, message, retryAfterMs } = error;
  if (retryAfterMs !== undefined) return new DeliveryError(message, { retryAfterMs, rateLimited: true });
  if (kind === 'unreachable') return new DeliveryError(message, { retryAfterMs: 1000 });
  if (kind === 'lost') return new DeliveryError(message, { retryAfterMs: 1000, ambiguous: !isRepeatable });
  if (KEPT.test(code)) return new DeliveryError(message, { retryAfterMs: 60_000 });
  const hint = HINTS[code];
  return new DeliveryError(hint === undefined ? message : `${message} (${hint})`, { cause: error });
}
