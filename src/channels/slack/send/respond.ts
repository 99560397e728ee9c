/**
 * Answers a command for its person only, through its `response_url`: at most five times within half an hour.
 * https://docs.slack.dev/interactivity/handling-user-interaction/#message_responses
 */
import { DeliveryError } from '../../../errors.ts';
import { TransportError } from '../../shared/connection.ts';
import type { SlackContext } from '../options.ts';
import type { Form } from './blocks.ts';
import { NO_PREVIEWS } from './previews.ts';

/** `over`: the URL has expired and accepts nothing more. `form`: it rejects the answer in this form. */
export type ResponseResult = 'taken' | 'over' | 'form';

/** Sends an answer. `interaction` is a `response_url`, or one sealed with its person. */
export type Respond = (interaction: string, form: Form) => Promise<ResponseResult>;

/** Returns the opaque `interaction` of a message: the URL, and the only person who may see the answer. */
export function sealResponse(url: string, user: string): string {
  return `${url}#${user}`;
}

export function readResponse(interaction: string): { url: string; user?: string } {
  const [url = '', user] = interaction.split('#');
  return user !== undefined && /^[A-Z0-9]{2,24}$/.test(user) ? { url, user } : { url };
}

const TIMEOUT_MS = 15_000;
/** Matches a URL that has expired or no longer leads anywhere; any other refusal is about the content. */
const OVER = /expired|used_url|invalid_url|no_service|not_found|no_team|no_active_hooks|archived|restricted|denied/;

/**
 * Creates `respond`. @throws DeliveryError; an ambiguous one can't be resolved, because only the person sees these
 * answers.
 */
export function createRespond({ transport, hosts }: SlackContext): Respond {
  return async (interaction, { text, blocks, mrkdwn }) => {
    const { url } = readResponse(interaction);
    if (!hosts.isHooks(url)) return 'over';
    const shown = { text, ...(blocks.length > 0 && { blocks }), ...(mrkdwn === false && { mrkdwn }) };
    const body = JSON.stringify({ response_type: 'ephemeral', replace_original: false, ...NO_PREVIEWS, ...shown });
    const headers = { 'content-type': 'application/json; charset=utf-8' };
    try {
      const answer = await transport.request(url, { method: 'POST', headers, body, timeoutMs: TIMEOUT_MS });
      const said = await transport.text(answer);
      return judge(answer.status, said, Number(answer.headers['retry-after']));
    } catch (error) {
      if (!(error instanceof TransportError)) throw error;
      const message = `the answer to a command may not have arrived (${error.message})`;
      throw new DeliveryError(message, { retryAfterMs: 1000, ambiguous: error.sent });
    }
  };
}

function judge(status: number, said: string, seconds: number): ResponseResult {
  const message = `Slack answered ${status} to the answer of a command`;
  if (status === 429) throw new DeliveryError(message, { retryAfterMs: (seconds || 1) * 1000, rateLimited: true });
  if (status >= 500) throw new DeliveryError(message, { retryAfterMs: 1000, ambiguous: true });
  if (status === 200 && !/"ok"\s*:\s*false/.test(said)) return 'taken';
  return OVER.test(said) || (status >= 300 && status < 400) || status === 404 || status === 410 ? 'over' : 'form';
}
