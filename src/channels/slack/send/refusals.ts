/** What a failed call means for the message it was to send. https://docs.slack.dev/reference/methods/chat.postMessage */
import { DeliveryError } from '../../../errors.ts';
import { SlackError } from '../connect/api.ts';

/**
 * The part was refused for its form; another form of it may be sent at once. Slack has many names for that and finds new ones, so it is
 * whatever says nothing about something else: the token, rights, the chat, its thread, the message to edit, or how much was sent.
 */
export function refusesForm(error: unknown): boolean {
  if (!(error instanceof SlackError) || error.kind !== 'refused' || error.retryAfterMs !== undefined) return false;
  return FORM.test(error.code) || !ELSEWHERE.test(error.code);
}
const FORM = /^(block_mismatch|http_413)$/;
const ELSEWHERE = new RegExp(
  [
    ...['auth', 'token', 'account', 'scope', 'login', 'two_factor', 'permission', 'access', 'denied', 'restrict'],
    ...['archived', 'blocked', 'disabled', 'locked', 'limited', 'message_limit', 'not_found', 'not_in', 'is_inactive'],
    ...['channel', 'thread', 'user', 'team', 'org_', 'enterprise', 'ekm', 'as_user', 'is_bot', 'deprecated'],
    ...['cant_', 'cannot_', 'edit_window', 'streaming', 'duplicate_', 'messages_tab', 'http_', 'unknown_method'],
  ].join('|'),
);

/** The thread it was to go to is not there, is locked, or stands in a channel that has no threads any more. */
export function refusesThread(error: unknown): boolean {
  return error instanceof SlackError && THREAD.test(error.code);
}
const THREAD =
  /^(thread_not_found|invalid_thread_ts|cannot_reply_to_message|restricted_action_(thread_locked|non_threadable_channel))$/;

/** The message to edit is gone or may not be edited; a new one can be sent instead. */
export function refusesEdit(error: unknown): boolean {
  return error instanceof SlackError && EDIT.test(error.code);
}
const EDIT = /^(message_not_found|cant_update_message|edit_window_closed|is_inactive|block_mismatch)$/;

/** A chat that we are not in. */
export function isNotThere(error: unknown): boolean {
  return error instanceof SlackError && (error.code === 'channel_not_found' || error.code === 'not_in_channel');
}

/** It is written to as a stream that nobody has stopped. */
export function isStreaming(error: unknown): boolean {
  return error instanceof SlackError && error.code === 'streaming_state_conflict';
}

/** The token was taken back, or the workspace is on its way into an organization: messages keep until that has changed. */
const KEPT =
  /^(invalid_auth|not_authed|account_inactive|token_revoked|token_expired|org_login_required|team_added_to_org)$/;

const HINTS: Record<string, string> = {
  channel_not_found: 'there is no such channel, or the app is not in it: invite it there',
  not_in_channel: 'the app is not in this channel: invite it there',
  is_archived: 'the channel is archived',
  restricted_action: 'the workspace does not let apps post there',
};

/** `isRepeatable`: doing it twice is the same as doing it once, so a lost answer leaves nothing unsure. */
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
