/**
 * Asks who the bot is, once at a start, and describes wrong settings so that the operator can fix them. Network
 * problems are waited out. https://docs.slack.dev/reference/methods/auth.test/
 */
import { ConfigError, type ConfigProblem, problemWith } from '../../../errors.ts';
import { messagesIn, say, type Wording } from '../../../messages/messages.ts';
import type { ChannelStatus } from '../../channel.ts';
import { fields, isFields, string } from '../../shared/read.ts';
import { createBackoff, sleep } from '../../shared/wait.ts';
import { readId } from '../decode/base.ts';
import type { Identity, SlackContext, SlackSettings } from '../options.ts';
import { type SlackApi, SlackError } from './api.ts';
import { missingScopes } from './scopes.ts';

const PAGE = 'https://api.slack.com/apps';

/** Returns the problems that are visible without asking Slack. */
export function settingsProblems({ botToken, appToken, signingSecret, mode }: SlackSettings): ConfigProblem[] {
  const problems: ConfigProblem[] = [];
  if (!/^[\x21-\x7e]+$/.test(botToken)) problems.push(wrongBotToken());
  if (mode === 'socket' && !/^[\x21-\x7e]+$/.test(appToken ?? '')) problems.push(wrongAppToken());
  if (mode === 'http' && !signingSecret)
    problems.push(problem('signingSecret', say('checks.slackNoSecret', { page: PAGE })));
  return problems;
}

/** @throws SlackError */
export async function whoAmI(api: SlackApi): Promise<Identity> {
  const me = await api.call('auth.test');
  const userId = readId(me, 'user_id');
  const teamId = readId(me, 'team_id');
  if (userId === undefined || teamId === undefined)
    throw new SlackError('lost', 'auth.test: the answer is not one of the Web API', { code: 'malformed' });
  const scopes = fields(me, 'response_metadata')?.scopes;
  return {
    userId,
    teamId,
    botId: readId(me, 'bot_id') ?? '',
    teamName: string(me, 'team') ?? teamId,
    name: string(me, 'user') ?? userId,
    url: string(me, 'url') ?? '',
    scopes: Array.isArray(scopes) ? scopes.filter((scope) => typeof scope === 'string') : undefined,
  };
}

/** Returns the bot of the token; undefined when stopped before it is known. @throws ConfigError */
export async function introduce(
  { api, log, timing, signal }: SlackContext,
  onStatus: (status: ChannelStatus) => void,
): Promise<Identity | undefined> {
  const backoff = createBackoff(timing.backoffMs.min, timing.backoffMs.max);
  while (!signal.aborted) {
    try {
      const self = await whoAmI(api);
      const { required, dispensable } = missingScopes(self.scopes);
      if (dispensable.length > 0) log.warn({ channel: 'slack' }, messagesIn('en').said(scopesMessage(dispensable)));
      if (required.length > 0) throw failed(problem('botToken', scopesMessage(required)));
      return self;
    } catch (error) {
      if (!(error instanceof SlackError)) throw error;
      if (signal.aborted) return undefined;
      if (isWrongToken(error)) throw failed(wrongBotToken(error.code));
      onStatus({ state: 'reconnecting', detail: error.message });
      await sleep(error.retryAfterMs ?? backoff.next(), signal);
    }
  }
  return undefined;

  function failed(what: ConfigProblem): ConfigError {
    onStatus({ state: 'failed', detail: what.message });
    return new ConfigError([what]);
  }
}

export function isWrongToken(error: unknown): boolean {
  return error instanceof SlackError && error.kind === 'refused' && TOKEN.test(error.code);
}
const TOKEN =
  /^(invalid_auth|not_authed|account_inactive|token_revoked|token_expired|not_allowed_token_type|no_permission|user_removed_from_team|team_access_not_granted|access_denied)$/;

export function wrongBotToken(code?: string): ConfigProblem {
  return problem('botToken', say('checks.slackBotToken', { code: inBrackets(code), page: PAGE }));
}

export function wrongAppToken(code?: string): ConfigProblem {
  return problem('appToken', say('checks.slackAppToken', { code: inBrackets(code), page: PAGE }));
}

const inBrackets = (code: string | undefined): string => (code === undefined ? '' : ` (${code})`);

export const scopesMessage = (scopes: readonly string[]): Wording =>
  say('checks.slackScopes', { scopes: scopes.join(', '), page: PAGE });

export const problem = (key: string, what: Wording): ConfigProblem => problemWith(`channels.slack.${key}`, what);

/**
 * Returns the error if a failed attempt to open a socket shows that the token can't work, however often it is tried.
 */
export function isFatal(error: unknown): ConfigError | undefined {
  const data = isFields(error) ? fields(error, 'data') : undefined;
  const code = data && string(data, 'error');
  if (code === undefined || !(TOKEN.test(code) || code === 'missing_scope')) return undefined;
  return new ConfigError([wrongAppToken(code)], { cause: error });
}
