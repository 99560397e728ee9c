/** Refusals of the Bot API: `{ok: false, error_code, description, parameters?}`. */

export interface ResponseParameters {
  retry_after?: number;
  migrate_to_chat_id?: number;
}

export class ApiError extends Error {
  override name = 'ApiError';
  readonly code: number;
  readonly parameters: ResponseParameters | undefined;
  constructor(code: number, description: string, parameters?: ResponseParameters) {
    super(description);
    this.code = code;
    this.parameters = parameters;
  }
}

/** 400 with the platform's prefix. */
export function badRequest(reason: string, parameters?: ResponseParameters): ApiError {
  return new ApiError(400, `Bad Request: ${reason}`, parameters);
}

export function forbidden(reason: string): ApiError {
  return new ApiError(403, `Forbidden: ${reason}`);
}

export function conflict(reason: string): ApiError {
  return new ApiError(409, `Conflict: ${reason}`);
}

export function tooManyRequests(seconds: number): ApiError {
  return new ApiError(429, `Too Many Requests: retry after ${seconds}`, { retry_after: seconds });
}

export const notFound = () => new ApiError(404, 'Not Found');
export const unauthorized = () => new ApiError(401, 'Unauthorized');
export const entityTooLarge = () => new ApiError(413, 'Request Entity Too Large');

/** Returns the body of an answer that refuses. */
export function refusal(error: ApiError): object {
  const { code, message, parameters } = error;
  return { ok: false, error_code: code, description: message, ...(parameters && { parameters }) };
}
