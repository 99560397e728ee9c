/** Settings of the engine, which stores messages, answers and small state between a platform and its answer. */

import { z } from 'zod';
import { expects } from '../../messages/expects.ts';
import { listOf, oneOf, section, text, whole } from '../schema-parts.ts';

const URL_TEXT = expects('expected.redis');
const role = oneOf('ingress', 'work', 'deliver');

export type EngineRole = z.output<typeof role>;
/** `url` is set if `kind` is `redis` (rules.ts). */
export type EngineConfig = z.output<typeof engine>;

export const engine = section({
  kind: oneOf('local', 'redis')
    .default('local')
    .describe('`local`: files in the home, one process; `redis`: a server shared by [several](several-machines.md)'),
  url: z
    .string(URL_TEXT)
    .refine((value) => /^rediss?:\/\/[^\s/]/.test(value) && URL.canParse(value), URL_TEXT)
    .exactOptional()
    .describe('`redis://` or `rediss://` address with its password'),
  // Also accepts one comma-separated text, since an environment variable can't contain a list.
  roles: z
    .preprocess(
      (value) => (typeof value === 'string' ? value.split(',').map((each) => each.trim()) : value),
      listOf(role).min(1, expects('expected.roles')).default(['ingress', 'work', 'deliver']),
    )
    .describe('what this process does; may be one text with commas'),
  leaseMs: whole(500, 600_000)
    .default(6000)
    .describe('milliseconds until the work of a silent process goes to another'),
  shards: whole(1, 1024)
    .default(1)
    .describe('queues that conversations are spread over; the same for all processes, and never changed'),
  replicas: whole(0, 16).default(0).describe('replicas that must have written a message before it is acknowledged'),
  dedupeDays: whole(1, 365).default(30).describe('days for which an event is recognised when it comes again'),
  runDir: text(expects('expected.absoluteFolder'), /^\//)
    .exactOptional()
    .describe("folder of this process for locks and sockets; otherwise one of the system's"),
});
