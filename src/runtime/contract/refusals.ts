/**
 * Interprets a provider's refusal by its status, its error codes and its sentence. The sentence never leaves this file:
 * it may quote a prompt or a key.
 */

export interface Refusal {
  status: number | undefined;
  /** `context_length_exceeded`; empty unless it has the form of a code. */
  code: string;
  retryAfterMs: number | undefined;
  words: readonly string[];
  sentence: string;
}

export type Why =
  /** Nobody has paid: waiting doesn't help. */
  | 'credit'
  /** The model wrote a call that its provider couldn't parse. */
  | 'call'
  | 'no-tools'
  | 'too-long'
  /** The provider doesn't serve our country. */
  | 'place'
  | 'flagged'
  | 'no-memory'
  | 'key'
  /** The model isn't on the provider's machine yet. */
  | 'not-pulled'
  | 'unknown-model';

interface Rule {
  why: Why;
  /** The statuses for which `sentence` applies; `code` applies to every status. */
  statuses: readonly number[];
  code?: RegExp;
  sentence: RegExp;
}

/** The first match counts. Statuses alone don't say enough: most providers use some of them in their own way. */
const RULES: readonly Rule[] = [
  {
    why: 'credit',
    statuses: [400, 402, 403, 429],
    // OpenAI, Moonshot, xAI, OpenRouter. A plain `exceeded your current quota` is a rate limit at Google.
    code: /^(insufficient_(quota|balance|credits?|funds)|exceeded_current_quota|billing_|credit_|payment_required|(personal-)?team-blocked:spending-limit|personal-team-blocked)/,
    sentence: either(
      // Anthropic, with status 400.
      /credit balance is too low|reached your specified (API )?usage limits/,
      // DeepSeek, Moonshot; xAI, with 403 and 429.
      /insufficient (account )?(balance|credits?|funds)/,
      /used all available credits|run out of credits|(does not|doesn't) have any credits/,
      // OpenRouter; Google, with 429; Groq, Mistral and others.
      /requires more credits|never purchased credits|key limit (has been )?(exceeded|reached)/,
      /credits? (are|is|have been) (depleted|exhausted)/,
      /(billing hard|spending|spend) limit|payment (is )?required|no active subscription/,
    ),
  },
  { why: 'call', statuses: [], code: /^tool_use_failed$/, sentence: /^$/ },
  {
    why: 'no-tools',
    statuses: [400, 404, 422],
    sentence:
      /(does not|doesn't|not) support (tools|tool use|tool calling|function calling)|endpoints found that support tool/i,
  },
  { why: 'too-long', statuses: [429], sentence: /request too large|tokens must be reduced/i },
  {
    why: 'too-long',
    statuses: [400, 413, 422],
    sentence: either(
      /(maximum|exceeds?|available) (the )?(model's )?(context|input|prompt length)|context (length|window|size)/,
      /(prompt|input) ((is|are) )?too long|input token count|(exceeded model token|token) limit|max length exceeded/,
      // DashScope, Zhipu, Copilot.
      /range of input length|exceeds? max(imum)? (sequence |prompt )?length|token count of \d+ exceeds/,
      // vLLM, Cerebras, Hugging Face's server, Cohere.
      /maximum model length|reduce the length of|inputs?\W{0,2} (must have|tokens \+)|too many tokens/,
    ),
  },
  {
    why: 'place',
    statuses: [400, 403],
    code: /^unsupported_country/,
    sentence: /(country|location|region)\b.{0,60} not supported/i,
  },
  { why: 'flagged', statuses: [403], code: /^content_policy/, sentence: /moderation|\bflagged\b|content policy/i },
  { why: 'no-memory', statuses: [500], sentence: /requires more system memory/i },
  {
    why: 'key',
    statuses: [400],
    // xAI and Google.
    code: /^(api_key_invalid|invalid_api_key)$/i,
    sentence: /(incorrect|invalid) api key|api key (not valid|expired|not found)/i,
  },
  { why: 'not-pulled', statuses: [404], sentence: /try pulling it/i },
  {
    why: 'unknown-model',
    statuses: [400, 403, 422],
    code: /^(model_not_found|model_decommissioned|invalid_model)$/,
    sentence:
      /model not exist|invalid model\b|not a valid model|\bmodel .{1,120} (does not exist|not found|is not found|has been decommissioned)|not have access to (the )?model/i,
  },
];

function either(...patterns: RegExp[]): RegExp {
  return new RegExp(patterns.map(({ source }) => source).join('|'), 'i');
}

export function refusalReason({ status, words, sentence }: Refusal): Why | undefined {
  if (status === 402) return 'credit';
  if (
    status === 413 ||
    (status !== 429 && words.some((word) => /context|too_long|too_large|max_prompt_tokens/.test(word)))
  ) {
    return 'too-long';
  }
  return RULES.find(
    ({ statuses, code, sentence: said }) =>
      (code !== undefined && words.some((word) => code.test(word))) ||
      (statuses.includes(status ?? 0) && said.test(sentence)),
  )?.why;
}

export type About =
  | 'thoughts'
  /** Reasoning is missing that the provider expects. */
  | 'no-thoughts'
  | 'files'
  | 'level'
  | 'order'
  | 'steps';

/** The first match counts. The patterns with `effort` and `found` precede those that share words with them. */
const SPEAKS_OF: readonly (readonly [About, RegExp])[] = [
  ['order', /unexpected role|roles must alternate|must alternate (between )?user/i],
  [
    'no-thoughts',
    /reasoning_content\W.{0,80}(is missing|must be (passed|provided)|is required)|missing\W{0,3}reasoning_content/i,
  ],
  [
    'level',
    /must start with a thinking block|expected .{0,3}thinking.{0,60}found|reasoning.?effort|thinking.?(budget|level|config)/i,
  ],
  [
    'thoughts',
    /reasoning_content|reasoning_details|\.reasoning\b|property 'reasoning'|thinking.{0,3} block|redacted_thinking|signature|encrypted.content|reasoning.{0,3} item/i,
  ],
  [
    'files',
    /\bimages?\b|image_url|picture|\bpdf\b|\bdocument\b|\bfiles?\b|media.type|mime.?type|multimodal|\bvision\b|inline.?data/i,
  ],
  ['steps', /tool.?(calls?|results?|use)\b|tool_(call|use)_id|function.?(call|response)|role:? ?'?tool/i],
];

export const aboutIn = ({ words, sentence }: Refusal): About | undefined =>
  SPEAKS_OF.find(([, said]) => said.test(sentence) || words.some((word) => said.test(word)))?.[0];

/** How Anthropic, OpenAI, Groq and DeepSeek say that an answer can't have as many tokens as requested. */
const TOO_MANY = either(
  /max_tokens: \d+ > (?<a>\d+)/,
  /max_\w*tokens is too large.{0,80}at most (?<b>\d+)/,
  /max_\w*tokens.{0,20}must be less than or equal to .?(?<c>\d+)/,
  /range of max_\w*tokens is \[1, ?(?<d>\d+)\]/,
);
const NO_ROOM = /(\d+) \+ \d+ > (\d+), decrease input length or .?max_tokens/;

export function mostTokensIn({ sentence }: Refusal): number | undefined {
  const [, input, context] = NO_ROOM.exec(sentence) ?? [];
  const left = Number(context) - Number(input);
  if (left >= LEAST_ANSWER) return left;
  const groups = TOO_MANY.exec(sentence)?.groups ?? {};
  const most = Object.values(groups).find((group) => group !== undefined);
  return most === undefined ? undefined : Number(most);
}

/** If less is left, the conversation itself is too long. */
const LEAST_ANSWER = 1_000;

/** How vLLM, Groq and Mistral say that a request has too many pictures. */
const TOO_MANY_FILES =
  /(?:at most|up to|(?:maximum|limit) (?:of|is|allowed is)|no more than) (\d{1,3}) (?:images?|pictures?|image\(s\))/i;

export function mostFilesIn({ sentence }: Refusal): number | undefined {
  const [, most] = TOO_MANY_FILES.exec(sentence) ?? [];
  return most === undefined ? undefined : Number(most);
}

/** The number of characters read; the beginning holds what matters. */
const READ = 2_000;

export function readRefusal(error: unknown): Refusal {
  const data = field(error, 'data') ?? parseErrorBody(field(error, 'responseBody')) ?? error;
  // OpenAI's Responses API reports errors as a `response` in the stream.
  const inner = field(data, 'error') ?? field(field(data, 'response'), 'error') ?? data;
  const details = field(inner, 'details');
  const reasons = Array.isArray(details) ? details.map((detail: unknown) => field(detail, 'reason')) : [];
  const words = [field(inner, 'code'), field(data, 'code'), field(inner, 'type'), ...reasons].filter(isWord);
  const raw = field(field(inner, 'metadata'), 'raw');
  const sentences = [inner, field(inner, 'message'), field(data, 'detail'), raw, field(error, 'message')];
  const sentence = sentences.map((said) => textIn(said).slice(0, READ)).join('\n');
  const retryAfterMs = retryAfter(error, details) ?? waitIn(sentence);
  return { status: statusOf(error, inner), code: words[0] ?? '', retryAfterMs, words, sentence };
}

/** Mistral, and others that use its library, return a list of faults: `[{"loc":["body","messages",1],"msg":"…"}]`. */
function textIn(said: unknown): string {
  if (typeof said === 'string') return said;
  const faults = Array.isArray(said) ? said : field(said, 'detail');
  return Array.isArray(faults) ? JSON.stringify(faults.slice(0, 10)) : '';
}

export const isWord = (word: unknown): word is string => typeof word === 'string' && /^[\w.:-]{1,64}$/.test(word);

/** Parses the body, which the SDK leaves as text unless it has the shape of its own provider's errors. */
function parseErrorBody(body: unknown): unknown {
  if (typeof body !== 'string') return undefined;
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function statusOf(error: unknown, inner: unknown): number | undefined {
  const named = [field(error, 'statusCode'), field(error, 'code'), field(inner, 'status_code')];
  return named.find((status): status is number => typeof status === 'number' && status >= 100 && status < 600);
}

/** Reads `retry-after-ms`, `retry-after` (seconds or a date, RFC 9110) or Google's `retryDelay` ("34s"). */
function retryAfter(error: unknown, details: unknown): number | undefined {
  const headers = field(error, 'responseHeaders');
  const ms = Number.parseFloat(String(field(headers, 'retry-after-ms') ?? ''));
  if (ms >= 0) return ms;
  const delays: unknown[] = Array.isArray(details) ? details.map((detail: unknown) => field(detail, 'retryDelay')) : [];
  const value = String(field(headers, 'retry-after') ?? delays.find((delay) => delay !== undefined) ?? '');
  const seconds = Number(value.replace(/s$/, ''));
  const wait = value !== '' && Number.isFinite(seconds) ? seconds * 1000 : Date.parse(value) - Date.now();
  return wait >= 0 ? wait : undefined;
}

const UNITS = new Map([
  ['ms', 1],
  ['s', 1000],
  ['m', 60_000],
  ['h', 3_600_000],
]);

/** Reads "Please try again in 11.054s", "in 900ms" or "in 7m12s": an error in a stream has no headers. */
function waitIn(sentence: string): number | undefined {
  const [, wait] = /(?:try again|retry) in ((?:\d{1,9}(?:\.\d{1,9})?(?:ms|[smh]))+)(?![a-z])/i.exec(sentence) ?? [];
  const parts = [...(wait ?? '').toLowerCase().matchAll(/([\d.]+)(ms|[smh])/g)];
  if (parts.length === 0) return undefined;
  return Math.ceil(parts.reduce((ms, [, n, unit]) => ms + Number(n) * (UNITS.get(unit ?? '') ?? 0), 0));
}

export function field(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}
