/**
 * Whether a provider refuses because nobody has paid: no waiting helps there. Providers say so in many ways, with statuses that
 * mean something else elsewhere; some of them only in a sentence, which is read here and goes no further.
 */

/** Words of the providers' own (OpenAI, Moonshot, xAI, OpenRouter). A plain `exceeded your current quota` is a rate limit at Google. */
const CODES =
  /^(insufficient_(quota|balance|credits?|funds)|exceeded_current_quota|billing_|credit_|payment_required|(personal-)?team-blocked:spending-limit|personal-team-blocked)/;
const SENTENCES = [
  // Anthropic, with status 400.
  /credit balance is too low/i,
  /reached your specified (API )?usage limits/i,
  // DeepSeek, Moonshot.
  /insufficient (account )?(balance|credits?|funds)/i,
  // xAI, with 403 and 429.
  /used all available credits|run out of credits|(does not|doesn't) have any credits/i,
  // OpenRouter.
  /requires more credits|never purchased credits/i,
  // Google, with 429.
  /credits? (are|is|have been) (depleted|exhausted)/i,
  // Groq, Mistral and others.
  /(billing hard|spending|spend) limit|payment (is )?required|no active subscription/i,
];
const STATUSES: readonly number[] = [400, 402, 403, 429];
/** What matters stands at the beginning. */
const READ = 2_000;

export function isNoCredit(status: number, code: string, sentences: readonly unknown[]): boolean {
  if (status === 402 || CODES.test(code)) return true;
  if (!STATUSES.includes(status)) return false;
  const said = sentences.map((sentence) => (typeof sentence === 'string' ? sentence.slice(0, READ) : '')).join('\n');
  return SENTENCES.some((pattern) => pattern.test(said));
}
