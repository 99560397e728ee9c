/**
 * Delivers over HTTP to the app's request URLs, signed like the platform
 * (docs.slack.dev/authentication/verifying-requests-from-slack).
 */
import { createHmac } from 'node:crypto';
import type { Outgoing } from './deliveries.ts';
import type { Json } from './state.ts';
import type { RawAnswer, RawRequest } from './types.ts';

export interface Targets {
  events: string;
  commands: string;
  interactivity: string;
}

export interface RequestUrl {
  targets(): Targets | undefined;
  /** Rejects if the events URL doesn't answer the challenge. */
  set(targets: Targets | undefined): Promise<void>;
  send(outgoing: Outgoing): void;
  raw(request: RawRequest): Promise<RawAnswer>;
  replay(): Promise<RawAnswer>;
}

interface Sent {
  url: string;
  headers: Record<string, string>;
  body: string;
}

const FORM = 'application/x-www-form-urlencoded';
const JSON_TYPE = 'application/json';
/** For requests other than deliveries: the challenge, and hand-made requests. */
const PATIENCE_MS = 5000;

function formOf(values: Json): string {
  const form = new URLSearchParams();
  for (const [key, value] of Object.entries(values)) {
    form.set(key, typeof value === 'string' ? value : JSON.stringify(value));
  }
  return form.toString();
}

export function signature(secret: string, timestamp: number, body: string): string {
  return `v0=${createHmac('sha256', secret).update(`v0:${timestamp}:${body}`).digest('hex')}`;
}

export function createRequestUrl(secret: string, token: string, timeoutMs: number): RequestUrl {
  let targets: Targets | undefined;
  let newest: Sent | undefined;

  function signed(body: string, contentType: string, by = secret, offsetS = 0): Record<string, string> {
    const timestamp = Math.floor(Date.now() / 1000) + offsetS;
    return {
      'content-type': contentType,
      'user-agent': 'Slackbot 1.0 (+https://api.slack.com/robots)',
      'x-slack-request-timestamp': String(timestamp),
      'x-slack-signature': signature(by, timestamp, body),
    };
  }

  async function post(sent: Sent, limitMs = PATIENCE_MS): Promise<RawAnswer> {
    const { url, headers, body } = sent;
    const signal = AbortSignal.timeout(limitMs);
    const response = await fetch(url, { method: 'POST', headers, body, redirect: 'manual', signal });
    return { status: response.status, body: await response.text(), headers: Object.fromEntries(response.headers) };
  }

  function needed(): Targets {
    if (!targets) throw new Error('there is no request URL; call deliverTo first');
    return targets;
  }

  function encode({ kind, payload }: Outgoing, to: Targets): { url: string; body: string; type: string } {
    if (kind === 'events_api') return { url: to.events, body: JSON.stringify(payload), type: JSON_TYPE };
    if (kind === 'slash_commands') return { url: to.commands, body: formOf(payload), type: FORM };
    return { url: to.interactivity, body: formOf({ payload: JSON.stringify(payload) }), type: FORM };
  }

  function parsed(answer: RawAnswer): unknown {
    if (answer.body === '') return undefined;
    return answer.headers['content-type']?.startsWith(JSON_TYPE) ? JSON.parse(answer.body) : answer.body;
  }

  return {
    targets: () => targets,
    async set(next) {
      targets = next;
      if (!next) return;
      const challenge = `challenge-${Date.now()}`;
      const body = JSON.stringify({ token, challenge, type: 'url_verification' });
      const answer = await post({ url: next.events, headers: signed(body, JSON_TYPE), body });
      if (answer.status === 200 && answer.body.includes(challenge)) return;
      targets = undefined;
      throw new Error(`the request URL did not answer the challenge: ${answer.status} ${answer.body.slice(0, 200)}`);
    },
    send(outgoing) {
      const { url, body, type } = encode(outgoing, needed());
      const headers = signed(body, type);
      if (outgoing.attempt > 0) {
        headers['x-slack-retry-num'] = String(outgoing.attempt);
        headers['x-slack-retry-reason'] = outgoing.reason === 'timeout' ? 'http_timeout' : (outgoing.reason ?? '');
      }
      newest = { url, headers, body };
      post(newest, timeoutMs).then(
        (answer) => {
          const { status } = answer;
          const ok = status >= 200 && status < 300;
          const noRetry = answer.headers['x-slack-no-retry'] === '1';
          outgoing.settle({ ok, status, body: parsed(answer), reason: 'http_error', noRetry });
        },
        (error: unknown) => {
          const isLate = error instanceof Error && error.name === 'TimeoutError';
          outgoing.settle({ ok: false, status: 0, reason: isLate ? 'http_timeout' : 'connection_failed' });
        },
      );
    },
    async raw({ body, form = false, sign = true, tamper = false, timestampOffsetS = 0, ...more }) {
      const text = typeof body === 'string' ? body : form ? formOf(body) : JSON.stringify(body);
      const headers = signed(text, form ? FORM : JSON_TYPE, more.secret ?? secret, timestampOffsetS);
      if (!sign) delete headers['x-slack-signature'];
      const sent = { url: more.url ?? needed().events, headers: { ...headers, ...more.headers }, body: text };
      return post(tamper ? { ...sent, body: `${text} ` } : sent);
    },
    async replay() {
      if (!newest) throw new Error('nothing has been sent to the request URL yet');
      return post(newest);
    },
  };
}
