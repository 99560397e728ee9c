/** What a file may say of the engine: its part of `schema.ts`. */
import { z } from 'zod';
import { defaults } from './defaults.ts';
import { listOf, oneOf, section, text, whole } from './schema-parts.ts';

const URL_TEXT = 'expected redis://HOST:PORT or rediss://HOST:PORT';
const ROLES = 'expected at least one of ingress, work and deliver';
const { kind, roles, leaseMs, shards, replicas, dedupeDays } = defaults.engine;

export const engine = section({
  kind: oneOf('local', 'redis').default(kind),
  url: z
    .string(URL_TEXT)
    .refine((value) => /^rediss?:\/\/[^\s/]/.test(value) && URL.canParse(value), URL_TEXT)
    .exactOptional(),
  // Also as one text with commas: a variable of the environment holds no list.
  roles: z.preprocess(
    (value) => (typeof value === 'string' ? value.split(',').map((role) => role.trim()) : value),
    listOf(oneOf('ingress', 'work', 'deliver'))
      .min(1, ROLES)
      .default(roles),
  ),
  leaseMs: whole(500, 600_000).default(leaseMs),
  shards: whole(1, 1024).default(shards),
  replicas: whole(0, 16).default(replicas),
  dedupeDays: whole(1, 365).default(dedupeDays),
  runDir: text('expected an absolute folder', /^\//).exactOptional(),
}).prefault({});
