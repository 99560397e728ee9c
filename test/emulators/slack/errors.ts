/** A refusal as the Web API words it: `{ok: false, error}` with status 200, or 429 with `Retry-After`. */

export class ApiError extends Error {
  /** Fields beside `ok` and `error`: `needed`, `provided`, `response_metadata`. */
  readonly extra: Record<string, unknown>;
  /** Seconds to wait; present for `ratelimited` only. */
  readonly retryAfter: number | undefined;

  constructor(error: string, extra: Record<string, unknown> = {}, retryAfter?: number) {
    super(error);
    this.extra = extra;
    this.retryAfter = retryAfter;
  }
}

/** A refusal that says in `response_metadata.messages` what is wrong. */
export function explained(error: string, ...messages: string[]): ApiError {
  return new ApiError(error, { response_metadata: { messages: messages.map((text) => `[ERROR] ${text}`) } });
}
