/** Refusals as the Web API words them: `{ok: false, error}` with status 200, or 429 with `Retry-After`. */

export class ApiError extends Error {
  /** Fields besides `ok` and `error`: `needed`, `provided`, `response_metadata`. */
  readonly extra: Record<string, unknown>;
  /** The seconds to wait; only present for `ratelimited`. */
  readonly retryAfter: number | undefined;

  constructor(error: string, extra: Record<string, unknown> = {}, retryAfter?: number) {
    super(error);
    this.extra = extra;
    this.retryAfter = retryAfter;
  }
}

/** Returns a refusal that explains the problem in `response_metadata.messages`. */
export function explained(error: string, ...messages: string[]): ApiError {
  return new ApiError(error, { response_metadata: { messages: messages.map((text) => `[ERROR] ${text}`) } });
}
