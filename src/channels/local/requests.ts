/** Validates the requests that other commands of this program send over the socket. */
import type http from 'node:http';
import { z } from 'zod';

const MAX_BODY = 4 * 1024 * 1024;
const chat = z.string().min(1).max(200);
const words = z.string().refine((text) => text.trim() !== '', 'is empty');

/** The viber to talk to from now on. */
const viber = z.string().min(1).max(64).exactOptional();

/** Context that replaces what is on disk. */
const given = z.object({
  memory: z.string().exactOptional(),
  plan: z
    .union([
      z.string(),
      z.object({
        goal: z.string(),
        steps: z.array(
          z.object({
            id: z.string(),
            title: z.string(),
            status: z.enum(['pending', 'in_progress', 'done', 'skipped']),
          }),
        ),
      }),
    ])
    .exactOptional(),
});

/** The language of the client's environment. */
const language = z.string().max(64).exactOptional();

const PRESS = z.object({ chat, language, button: z.string().min(1).max(64) });

export const QUESTION = z.union([
  z.object({ chat, language, text: words, viber, given: given.exactOptional() }),
  PRESS,
]);
export const SAID = z.union([z.object({ chat, language, text: words, viber }), PRESS]);
export const LISTEN = z.object({ chat });
export const SUGGEST = z.object({ chat, command: z.string().max(64), text: z.string().max(1_000) });

/** Reads and validates a request's body. @throws an error that says what is wrong with it. */
export async function readRequest<T>(request: http.IncomingMessage, schema: z.ZodType<T>): Promise<T> {
  let body = '';
  request.setEncoding('utf8');
  for await (const chunk of request) {
    body += String(chunk);
    if (body.length > MAX_BODY) throw new Error('the request is too large');
  }
  const parsed = schema.safeParse(JSON.parse(body));
  if (!parsed.success) throw new Error(z.prettifyError(parsed.error));
  return parsed.data;
}
