/** Settings of the engine, which stores messages, answers and small state between a platform and its answer. */
import { z } from 'zod';
import { listOf, oneOf, section, text, whole } from '../schema-parts.ts';

const URL_TEXT = 'expected redis://HOST:PORT or rediss://HOST:PORT';
const role = oneOf('ingress', 'work', 'deliver');

export type EngineRole = z.output<typeof role>;
/** `url` is set if `kind` is `redis` (rules.ts). */
export type EngineConfig = z.output<typeof engine>;

export const engine = section({
  kind: oneOf('local', 'redis')
    .default('local')
    .describe(
      'where messages and answers stand on their way: `local`, files of the home for one process; `redis`, a server that several processes share',
    ),
  url: z
    .string(URL_TEXT)
    .refine((value) => /^rediss?:\/\/[^\s/]/.test(value) && URL.canParse(value), URL_TEXT)
    .exactOptional()
    .describe('the server, `redis://` or `rediss://` with its password; needed when `kind` is `redis`'),
  // Also accepts one comma-separated text, since an environment variable can't contain a list.
  roles: z
    .preprocess(
      (value) => (typeof value === 'string' ? value.split(',').map((each) => each.trim()) : value),
      listOf(role).min(1, 'expected at least one of ingress, work and deliver').default(['ingress', 'work', 'deliver']),
    )
    .describe(
      'what this process does: takes in, works, sends; all of it when `kind` is `local`; also as one text with commas, for a variable',
    ),
  leaseMs: whole(500, 600_000)
    .default(6000)
    .describe('milliseconds after which the work of a process that is heard of no more is given to another'),
  shards: whole(1, 1024)
    .default(1)
    .describe('queues that conversations are spread over; the same for all processes, and never changed'),
  replicas: whole(0, 16)
    .default(0)
    .describe('replicas that must have written a message before it is acknowledged (Redis 7.2 and later)'),
  dedupeDays: whole(1, 365).default(30).describe('days for which an event of a platform is known again'),
  runDir: text('expected an absolute folder', /^\//)
    .exactOptional()
    .describe("a folder of this process alone for locks and sockets; one of the system's where it is left out"),
});
