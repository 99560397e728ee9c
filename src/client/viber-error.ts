/** Defines the error that clients throw. */
import type { FrameError } from './frames.ts';

/**
 * Thrown when the gateway refuses a command or a run doesn't end well; `code` is one of docs/protocol.md, `failed` or
 * `stopped`.
 */
export class ViberError extends Error {
  override readonly name = 'ViberError';
  readonly code: string;
  readonly field: string | undefined;
  constructor({ code, message, field }: FrameError) {
    super(message);
    this.code = code;
    this.field = field;
  }
}

/** Returns the error of a client that has ended. A refused client stays refused until it gets a valid token or key. */
export const over = (code: 'closed' | 'refused'): ViberError =>
  new ViberError({
    code,
    message:
      code === 'closed'
        ? 'The connection is closed.'
        : "The gateway refused the connection: usually the token isn't in http.token or http.clients.",
  });
