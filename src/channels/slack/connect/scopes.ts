/** What the app must be allowed to do and be told of; the manifest in the documentation lists the same. */

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

/** Without these something is not shown or not named, and everything else works. */
const DISPENSABLE: ReadonlySet<string> = new Set([
  ...['assistant:write', 'channels:read', 'groups:read', 'im:write', 'reactions:write', 'users:read'],
]);

/**
 * Slack takes a manifest only if every event's scope is in it, and for new apps the `agent_view` with its two events in place of
 * `assistant_thread_started`, which apps from before may still send. https://docs.slack.dev/ai/migrating-to-agent-messaging/
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

/** The scopes that are not granted. `granted` is undefined where Slack did not say. */
export function missingScopes(granted: readonly string[] | undefined): { required: string[]; dispensable: string[] } {
  const missing = granted === undefined ? [] : SLACK_SCOPES.filter((scope) => !granted.includes(scope));
  return {
    required: missing.filter((scope) => !DISPENSABLE.has(scope)),
    dispensable: missing.filter((scope) => DISPENSABLE.has(scope)),
  };
}
