/** How a client says that something did not go well. */
import type { FrameError } from './frames.ts';

/** The gateway has refused a command, or a run did not end well; `code` is one of docs/websocket.md, `failed` or `stopped`. */
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

/** Why nothing more comes: a client that is refused stays so until it is given what the gateway takes. */
export const over = (code: 'closed' | 'refused'): ViberError =>
  new ViberError({
    code,
    message:
      code === 'closed'
        ? 'The connection is closed.'
        : 'The gateway refused the connection: mostly the token is not one of http.token or http.clients.',
  });
