/**
 * Refusals with the bodies that Discord returns: `{message, code, errors?}`.
 * https://discord.com/developers/docs/topics/opcodes-and-status-codes#json
 */

const TEXTS: Record<number, [status: number, message: string]> = {
  10003: [404, 'Unknown Channel'],
  10004: [404, 'Unknown Guild'],
  10007: [404, 'Unknown Member'],
  10008: [404, 'Unknown Message'],
  10013: [404, 'Unknown User'],
  10014: [400, 'Unknown Emoji'],
  10015: [404, 'Unknown Webhook'],
  10062: [404, 'Unknown interaction'],
  10063: [404, 'Unknown application command'],
  20012: [403, 'You are not authorized to perform this action on this application'],
  30032: [400, 'Maximum number of application commands reached (100)'],
  40005: [413, 'Request entity too large'],
  40060: [400, 'Interaction has already been acknowledged.'],
  50001: [403, 'Missing Access'],
  50003: [403, 'Cannot execute action on a DM channel'],
  50005: [403, 'Cannot edit a message authored by another user'],
  50006: [400, 'Cannot send an empty message'],
  50007: [403, 'Cannot send messages to this user'],
  50008: [400, 'Cannot send messages in a non-text channel'],
  50013: [403, 'Missing Permissions'],
  50021: [403, 'Cannot execute action on a system message'],
  50024: [400, 'Cannot execute action on this channel type'],
  50027: [401, 'Invalid Webhook Token'],
  50083: [400, 'Thread is archived'],
  50109: [400, 'The request body contains invalid JSON.'],
  160002: [400, 'Cannot reply without permission to read message history'],
  160004: [400, 'A thread has already been created for this message'],
  160005: [400, 'Thread is locked'],
};

export class ApiError extends Error {
  readonly status: number;
  readonly code: number;
  readonly errors: object | undefined;

  constructor(status: number, code: number, message: string, errors?: object) {
    super(message);
    this.status = status;
    this.code = code;
    this.errors = errors;
  }
}

/** Returns the refusal with this code, in Discord's words. */
export function refuse(code: number): ApiError {
  const [status, message] = TEXTS[code] ?? [400, 'Bad Request'];
  return new ApiError(status, code, message);
}

export function unauthorized(): ApiError {
  return new ApiError(401, 0, '401: Unauthorized');
}

export function notFound(): ApiError {
  return new ApiError(404, 0, '404: Not Found');
}

export function methodNotAllowed(): ApiError {
  return new ApiError(405, 0, '405: Method Not Allowed');
}

/** Returns 50035 for one field; `path`, such as `components.0.label`, is its position. */
export function invalid(path: string, code: string, message: string): ApiError {
  let errors: object = { _errors: [{ code, message }] };
  for (const key of path.split('.').reverse()) errors = { [key]: errors };
  return new ApiError(400, 50_035, 'Invalid Form Body', errors);
}

export function tooLong(path: string, max: number): ApiError {
  return invalid(path, 'BASE_TYPE_MAX_LENGTH', `Must be ${max} or fewer in length.`);
}

export function badLength(path: string, min: number, max: number): ApiError {
  return invalid(path, 'BASE_TYPE_BAD_LENGTH', `Must be between ${min} and ${max} in length.`);
}

export function required(path: string): ApiError {
  return invalid(path, 'BASE_TYPE_REQUIRED', 'This field is required');
}

export function wrongChoice(path: string, choices: (string | number)[]): ApiError {
  return invalid(path, 'BASE_TYPE_CHOICES', `Value must be one of {${choices.join(', ')}}.`);
}

/** Returns the body of the answer. */
export function refusal(error: ApiError): object {
  return { message: error.message, code: error.code, ...(error.errors && { errors: error.errors }) };
}
