/** Lists the scopes and events that the app needs; docs/slack.md says what for. */

/** https://docs.slack.dev/reference/scopes/ */
export const SLACK_SCOPES = [
  'app_mentions:read',
  'assistant:write',
  'channels:history',
  'channels:read',
  'chat:write',
  'commands',
  'files:read',
  'files:write',
  'groups:history',
  'groups:read',
  'im:history',
  'im:write',
  'mpim:history',
  'reactions:write',
  'users:read',
] as const;

/** Scopes without which something isn't shown or named, but everything else works. */
const DISPENSABLE: ReadonlySet<string> = new Set([
  ...['assistant:write', 'channels:read', 'groups:read', 'im:write', 'reactions:write', 'users:read'],
]);

/**
 * The app's events. Slack accepts a manifest only if it has every event's scope and, for new apps, `agent_view` with
 * its two events instead of `assistant_thread_started`, which older apps may still send.
 * https://docs.slack.dev/ai/migrating-to-agent-messaging/
 */
export const SLACK_EVENTS = [
  'app_context_changed',
  'app_home_opened',
  'app_mention',
  'channel_id_changed',
  'message.channels',
  'message.groups',
  'message.im',
  'message.mpim',
] as const;

/** Returns the scopes that aren't granted. `granted` is undefined if Slack didn't say. */
export function missingScopes(granted: readonly string[] | undefined): { required: string[]; dispensable: string[] } {
  const missing = granted === undefined ? [] : SLACK_SCOPES.filter((scope) => !granted.includes(scope));
  return {
    required: missing.filter((scope) => !DISPENSABLE.has(scope)),
    dispensable: missing.filter((scope) => DISPENSABLE.has(scope)),
  };
}
