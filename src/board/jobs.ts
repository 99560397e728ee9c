/**
 * `/api/jobs`: scheduled jobs for programs on this machine (J9). GET lists them, POST makes one from `job:create`. Always with the
 * token of `http.token`, on loopback too; never for pages of other origins (T22).
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import type http from 'node:http';
import { z } from 'zod';
import type { Principal } from '../access/principal.ts';
import type { Address } from '../channels/channel.ts';
import { DeliveryError, errorCode, UserError } from '../errors.ts';
import type { JobDesk } from '../runtime/job-desk.ts';
import type { HttpHandler } from './server.ts';

const MAX_BODY = 64 * 1024;
/** Wrong tokens in a minute, after which everybody waits for the rest of it. */
const MAX_FAILURES = 10;

const job = z.strictObject({
  name: z.string(),
  schedule: z.string(),
  prompt: z.string(),
  deliver: z.array(z.string()).exactOptional(),
  timezone: z.string().exactOptional(),
  skills: z.array(z.string()).exactOptional(),
  model: z.string().exactOptional(),
});
const jobCreate = z.union([z.strictObject({ type: z.literal('job:create'), job }), job]);

/** Whoever has the token could edit the job files as well. */
const BY: Principal = { channel: 'local', account: 'api', user: 'api', role: 'owner', via: 'api', name: 'the API' };
const FROM: Address = { channel: 'local', account: 'api', chat: 'api' };

export function createJobsApi(options: {
  token: string | undefined;
  /** Undefined until the jobs have been read. */
  desk: () => Promise<JobDesk | undefined>;
  now?: () => number;
}): HttpHandler {
  const now = options.now ?? Date.now;
  let failures = { minute: 0, count: 0 };

  function refusal({ headers }: http.IncomingMessage): [number, string] | undefined {
    const { token } = options;
    if (token === undefined) return [403, 'Set http.token in config.yaml to use this.'];
    if (headers.origin !== undefined && headers.origin !== `http://${headers.host}`)
      return [403, 'Pages of other origins may not use this.'];
    const minute = Math.floor(now() / 60_000);
    if (failures.minute !== minute) failures = { minute, count: 0 };
    if (failures.count >= MAX_FAILURES) return [429, 'Too many wrong tokens; try again in a minute.'];
    const digest = (text: string) => createHash('sha256').update(text).digest();
    if (timingSafeEqual(digest(headers.authorization ?? ''), digest(`Bearer ${token}`))) return undefined;
    failures.count += 1;
    return [401, 'Send the token of http.token as "Authorization: Bearer ...".'];
  }

  async function create(desk: JobDesk, request: http.IncomingMessage): Promise<[number, unknown]> {
    const text = await bodyOf(request);
    if (text === undefined) return [413, { error: `At most ${MAX_BODY / 1024} KB.` }];
    const parsed = jobCreate.safeParse(json(text));
    if (!parsed.success) {
      return [400, { error: 'Expected {"name", "schedule", "prompt", "deliver"?, "timezone"?, "skills"?, "model"?}.' }];
    }
    try {
      return [201, await desk.create('job' in parsed.data ? parsed.data.job : parsed.data, BY, FROM)];
    } catch (error) {
      if (error instanceof UserError) return [400, { error: error.message }];
      if (error instanceof DeliveryError)
        return [503, { error: 'One of the places to deliver to cannot be reached now; try again later.' }];
      throw error;
    }
  }

  return async (request, response) => {
    const refused = refusal(request);
    if (refused) return answer(response, refused[0], { error: refused[1] });
    const desk = await options.desk();
    if (!desk) return answer(response, 503, { error: 'The jobs are still being read; try again in a moment.' });
    if (request.method === 'GET') return answer(response, 200, { jobs: desk.list() });
    if (request.method !== 'POST') return answer(response, 405, { error: 'GET or POST.' });
    answer(response, ...(await create(desk, request)));
  };
}

/** Undefined when it is too large; a request that breaks off is refused like any other wrong one. */
async function bodyOf(request: http.IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of request) {
      size += chunk.length;
      if (size > MAX_BODY) return undefined;
      chunks.push(chunk);
    }
  } catch (error) {
    if (errorCode(error) !== 'ECONNRESET') throw error;
    return '';
  }
  return Buffer.concat(chunks).toString();
}

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
    ...(status === 413 ? { connection: 'close' } : {}),
  });
  response.end(`${JSON.stringify(body)}\n`);
}
