/**
 * `/api/jobs`: scheduled jobs for programs on this machine. GET lists them, POST makes one from `job:create`. The server lets
 * only those in who have the token.
 */
import type http from 'node:http';
import { z } from 'zod';
import type { Principal } from '../access/principal.ts';
import type { Address } from '../channels/channel.ts';
import { createBodyReader } from '../channels/shared/webhook.ts';
import { DeliveryError, UserError } from '../errors.ts';
import { messagesIn } from '../messages/messages.ts';
import type { JobService, JobView } from '../runtime/contract/job-service.ts';
import type { HttpHandler } from './server.ts';

const MAX_BODY = 64 * 1024;

const job = z.strictObject({
  name: z.string(),
  schedule: z.string(),
  prompt: z.string(),
  deliver: z.array(z.string()).exactOptional(),
  timezone: z.string().exactOptional(),
  skills: z.array(z.string()).exactOptional(),
  model: z.string().exactOptional(),
});
const UNREAD: Readonly<Record<number, string>> = {
  408: 'The body did not come in time.',
  413: `At most ${MAX_BODY / 1024} KB.`,
};

const jobCreate = z.union([z.strictObject({ type: z.literal('job:create'), job }), job]);

/** Whoever has the token could edit the job files as well. */
const BY: Principal = { channel: 'local', account: 'api', user: 'api', role: 'owner', via: 'api', name: 'the API' };
const FROM: Address = { channel: 'local', account: 'api', chat: 'api' };

export function createJobsApi(options: {
  /** Undefined until the jobs have been read. */
  service: () => Promise<JobService | undefined>;
}): HttpHandler {
  const readBody = createBodyReader({ maxBytes: MAX_BODY });

  async function create(
    service: JobService,
    request: http.IncomingMessage,
    response: http.ServerResponse,
  ): Promise<[number, unknown]> {
    const body = await readBody(request, response);
    if (typeof body === 'number') return [body, { error: UNREAD[body] ?? 'The request was cut off.' }];
    const parsed = jobCreate.safeParse(json(body.toString()));
    if (!parsed.success) {
      return [400, { error: 'Expected {"name", "schedule", "prompt", "deliver"?, "timezone"?, "skills"?, "model"?}.' }];
    }
    try {
      return [201, shown(await service.create('job' in parsed.data ? parsed.data.job : parsed.data, BY, FROM))];
    } catch (error) {
      if (error instanceof UserError) return [400, { error: error.message }];
      if (error instanceof DeliveryError)
        return [503, { error: 'One of the places to deliver to cannot be reached now; try again later.' }];
      throw error;
    }
  }

  return async (request, response) => {
    const service = await options.service();
    if (!service) return answer(response, 503, { error: 'The jobs are still being read; try again in a moment.' });
    if (request.method === 'GET') return answer(response, 200, { jobs: service.list().map(shown) });
    answer(response, ...(await create(service, request, response)));
  };
}

/** Programs read English. */
const shown = ({ lacks, ...job }: JobView) => ({
  ...job,
  ...(lacks && { lacks: lacks.map((said) => messagesIn('en').said(said)) }),
});

function json(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function answer(response: http.ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, {
    ...{ 'content-type': 'application/json', 'x-content-type-options': 'nosniff', 'cache-control': 'no-store' },
    ...(status in UNREAD ? { connection: 'close' } : {}),
  });
  response.end(`${JSON.stringify(body)}\n`);
}
