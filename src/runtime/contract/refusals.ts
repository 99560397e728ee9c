/** Interprets a provider's refusal by its status, its error codes and its sentence. */
import type { Refusal } from './read-refusal.ts';

export type Why =
  /** Nobody has paid: waiting doesn't help. */
  | 'credit'
  /** The limit of a day, a week or a plan is reached: waiting a moment doesn't help. */
  | 'used-up'
  | 'busy'
  | 'limited'
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
  /** The statuses for which `sentence` applies; `code`, and everything in a stream's error, applies to every status. */
  statuses: readonly number[];
  code?: RegExp;
  sentence: RegExp;
  /** The rule doesn't apply if a code or the sentence matches this, or if the refusal says how long to wait. */
  unless?: RegExp;
}

/** The libraries give this status to an error in a stream that names none. */
const UNNAMED = 500;

/** The first match counts. Statuses alone don't say enough: most providers use some of them in their own way. */
const RULES: readonly Rule[] = [
  {
    why: 'credit',
    // Fireworks uses 412.
    statuses: [400, 402, 403, 412, 429, UNNAMED],
    // OpenAI, Moonshot, xAI, OpenRouter, and proxies before them; Ark, DashScope, LiteLLM, Vercel.
    code: /^(insufficient_(user_)?(quota|balance|credits?|funds)|exceeded_current_quota|billing_|credit_|payment_required|(personal-)?team-blocked:spending-limit|personal-team-blocked|AccountOverdue|Arrearage$|AllocationQuota\.FreeTierOnly|budget_exceeded|customer_verification_required)/,
    sentence: either(
      // Anthropic, with status 400.
      /credit balance is too low|reached your specified (API )?usage limits/,
      // DeepSeek, Moonshot; xAI, with 403 and 429.
      /insufficient (account )?(balance|credits?|funds)/,
      // SiliconFlow, Novita, Ark, DashScope, Zhipu, with 400, 403 and 429.
      /balance is insufficient|not enough (balance|credits?)|overdue balance|in good standing|in arrears|余额不足|欠费/,
      /used all available credits|run out of credits|(does not|doesn't) have any credits/,
      // OpenRouter; Google, with 429; Groq, Mistral and others.
      /requires more credits|never purchased credits|key limit (has been )?(exceeded|reached)/,
      /credits? (are|is|have been) (depleted|exhausted)/,
      /(billing hard|spending|spend) (limit|cap)|payment (is )?required|no active subscription/,
      // LiteLLM, Vercel.
      /budget has been exceeded|exceededbudget|requires a valid credit card/,
    ),
  },
  {
    why: 'used-up',
    statuses: [400, 403, 429, UNNAMED],
    // Google names the quota, such as `GenerateRequestsPerDayPerProjectPerModel-FreeTier`.
    code: /^usage_limit_(reached|exceeded)|PerDay/,
    // Ollama's cloud, Kimi Code.
    sentence: either(
      /(reached|exceeded) your .{0,20}usage limit/,
      // Z.ai, MiniMax.
      /usage limit reached for|(weekly|monthly) limit exhausted|your limit will reset at/,
      // OpenRouter; Cohere, for its trial keys; Cerebras; Anthropic.
      /free-models-per-day|calls \/ month|per (hour|day|month) limit exceeded|exceeded your daily/,
    ),
  },
  {
    why: 'credit',
    statuses: [400, 403, 429, UNNAMED],
    sentence: /exceeded your current quota/i,
    // Google uses the same sentence for a rate limit.
    unless: /RESOURCE_EXHAUSTED|ai\.google\.dev/,
  },
  {
    why: 'busy',
    statuses: [429, UNNAMED, 503],
    // Anthropic, Moonshot, Zhipu; Mistral by its number.
    code: /overloaded|capacity_exceeded|^3505$/,
    sentence: /capacity exceeded|(is|may be) (currently |temporarily )?overloaded|访问量过大/i,
  },
  {
    why: 'limited',
    statuses: [400, 429, UNNAMED],
    // Cerebras, Bedrock: in a stream, their words on tokens could mean a long conversation too.
    sentence: /per (second|minute) limit exceeded|too many tokens, please wait/i,
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
    statuses: [400, 413, 422, UNNAMED],
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
    // A schema may have a property `location` too.
    sentence: /\b(user location|your location|country|region|territory)\b[\w ,]{0,60} not supported/i,
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
  {
    why: 'limited',
    statuses: [402, 429],
    code: /^(rate_limit|too_many_requests)/,
    sentence: /rate limit|too many requests/i,
  },
];

function either(...patterns: RegExp[]): RegExp {
  return new RegExp(patterns.map(({ source }) => source).join('|'), 'i');
}

const FILE_TOO_LARGE = /(image|file|document|pdf|audio|video|media)s?_too_large/;

/** @param refusal without a status, it comes from within a stream: a number that a library infers says nothing */
export function refusalReason({ status, words, sentence, retryAfterMs }: Refusal): Why | undefined {
  // OpenRouter names a wait while other requests of ours hold the last of the credit.
  if (status === 402) return retryAfterMs === undefined ? 'credit' : 'limited';
  const isOfFile = words.some((word) => FILE_TOO_LARGE.test(word));
  const isTooLong = status !== 429 && words.some((word) => /context|too_long|too_large|max_prompt_tokens/.test(word));
  if (!isOfFile && (status === 413 || isTooLong)) return 'too-long';
  return RULES.find(
    ({ statuses, code, sentence: said, unless }) =>
      ((code !== undefined && words.some((word) => code.test(word))) ||
        ((status === undefined || statuses.includes(status)) && said.test(sentence))) &&
      (unless === undefined || (retryAfterMs === undefined && ![...words, sentence].some((word) => unless.test(word)))),
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
    /(?<![a-z])images?(?![a-z])|picture|\bpdf\b|\bdocument\b|\bfiles?\b|media.type|mime.?type|multimodal|\bvision\b|inline.?data/i,
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
