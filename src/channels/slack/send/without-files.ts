/** Files that Slack refuses, and what is said of them. https://docs.slack.dev/reference/methods/files.completeUploadExternal */
import {
  asCode,
  type RefusalWords,
  type RefusedFile,
  refusalNotice,
  type WhyRefused,
} from '../../shared/refused-files.ts';
import { SlackError } from '../connect/api.ts';

const WHY: Readonly<Record<string, WhyRefused>> = {
  file_upload_size_restricted: 'size',
  missing_scope: 'scope',
  file_uploads_disabled: 'policy',
  ekm_access_denied: 'policy',
  not_in_channel: 'rights',
  channel_not_found: 'rights',
  posting_to_channel_denied: 'rights',
  posting_to_general_channel_denied: 'rights',
};
/** Nothing about files: the token, the network, a mistake of ours that no other file would mend. */
const ELSEWHERE = /^(?:http_\d+|lost|unknown_error|.*auth.*|.*token.*|account_inactive|org_login_required)$/;

/** Undefined when the fault lies elsewhere. */
export function whyRefused(error: unknown): WhyRefused | undefined {
  if (!(error instanceof SlackError) || error.kind !== 'refused' || error.retryAfterMs !== undefined) return undefined;
  if (error.code === 'http_413') return 'size';
  if (ELSEWHERE.test(error.code)) return undefined;
  return WHY[error.code] ?? (/^restricted_action/.test(error.code) ? 'policy' : 'file');
}

/** `command` is the slash command's own name, `name` the bot's. */
export function noticeOf(refused: readonly RefusedFile[], command: string, name: string): string {
  const words: RefusalWords = {
    platform: 'Slack',
    get: `${command} get`,
    reasons: {
      rights: ({ it, get }) =>
        `I may not share files in this channel. Ask for ${it} in a direct message with ${get}, or invite me with ${asCode(`/invite @${name}`)}.`,
      scope: ({ it, get }) =>
        `the app lacks the scope ${asCode('files:write')}. Once it has it and is installed again, ask for ${it} with ${get}.`,
      policy: ({ it, get }) =>
        `this workspace does not let apps share files. Once an admin allows it, ask for ${it} with ${get}.`,
    },
  };
  return refusalNotice(refused, words, asCode);
}
