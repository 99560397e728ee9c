/**
 * Interprets Slack's refusals of files, and writes the notice about them.
 * https://docs.slack.dev/reference/methods/files.completeUploadExternal
 */
import { type Messages, say } from '../../../messages/messages.ts';
import {
  asCode,
  type RefusalWords,
  type RefusedFile,
  refusalNotice,
  type WhyRefused,
} from '../../shared/refused-files.ts';
import { SlackError } from '../connect/api.ts';
import type { SlackContext } from '../options.ts';

const WHY: Readonly<Record<string, WhyRefused>> = {
  file_upload_size_restricted: 'size',
  missing_scope: 'scope',
  file_uploads_disabled: 'policy',
  restricted_action: 'policy',
  ekm_access_denied: 'policy',
  not_in_channel: 'rights',
  channel_not_found: 'rights',
  posting_to_channel_denied: 'rights',
  posting_to_general_channel_denied: 'rights',
};
/**
 * Codes that aren't about files: the token, the network, a moving workspace, an error of ours that no other file would
 * fix.
 */
const ELSEWHERE =
  /^(?:http_\d+|lost|unknown_error|.*auth.*|.*token.*|account_inactive|org_login_required|team_added_to_org)$/;

/** Returns undefined if something else is at fault. */
export function whyRefused(error: unknown): WhyRefused | undefined {
  if (!(error instanceof SlackError) || error.kind !== 'refused' || error.retryAfterMs !== undefined) return undefined;
  if (error.code === 'http_413') return 'size';
  if (ELSEWHERE.test(error.code)) return undefined;
  // A restriction of one channel is named after it: `restricted_action_read_only_channel`.
  return WHY[error.code] ?? (error.code.startsWith('restricted_action_') ? 'rights' : 'file');
}

export function noticeOf(
  refused: readonly RefusedFile[],
  { options, identity }: SlackContext,
  messages: Messages,
): string {
  const words: RefusalWords = {
    platform: 'Slack',
    get: `${options.command} get`,
    reasons: {
      rights: (files) =>
        say('channels.rightsSlack', { invite: asCode(`/invite @${identity?.name ?? 'viber'}`), ...files }),
      scope: (files) => say('channels.scopeSlack', { scope: asCode('files:write'), ...files }),
      policy: (files) => say('channels.policySlack', files),
    },
  };
  return refusalNotice(refused, words, asCode, messages);
}
