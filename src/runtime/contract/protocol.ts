/**
 * The task contract on the wire (docs/protocol.md). Each schema's output is the type that the program works with, so
 * that parsing is the only conversion.
 */
import { z } from 'zod';
import type { ArtifactRef, Plan } from '../../workspace/types.ts';
import type { TaskRequest, TaskResult } from './task.ts';

export const STATUSES = ['pending', 'in_progress', 'done', 'skipped'] as const;

/** The structured form of a plan. Titles are one line: a line break would not survive `task.md`. */
export const planSchema = z.object({
  goal: z.string(),
  steps: z.array(z.object({ id: z.string(), title: z.string(), status: z.enum(STATUSES) })),
}) satisfies z.ZodType<Plan>;

export const artifactRefSchema = z.object({
  id: z.string().min(1),
  title: z.string(),
  type: z.string(),
  ref: z.string(),
}) satisfies z.ZodType<ArtifactRef>;

/** A request requires only the `id`. */
const artifactInputSchema = z
  .object({ id: z.string().min(1), title: z.string(), type: z.string(), ref: z.string() })
  .partial({ title: true, type: true, ref: true })
  .transform(({ id, title = id, type = 'application/octet-stream', ref = '' }) => ({ id, title, type, ref }));

/** Words only: no system role, no path of a file here, no tool calls that never happened. */
const messageSchema = z.object({ role: z.enum(['user', 'assistant']), text: z.string() });

export const taskRequestSchema = z.object({
  goal: z.string().min(1),
  messages: z.array(messageSchema),
  plan: z.union([z.string(), planSchema]).exactOptional(),
  artifacts: z.array(artifactInputSchema).exactOptional(),
  memory: z.string().exactOptional(),
}) satisfies z.ZodType<TaskRequest>;

export const taskResultSchema = z.object({
  text: z.string(),
  summary: z.string().max(300),
  artifactRefs: z.array(artifactRefSchema),
}) satisfies z.ZodType<TaskResult>;

export const DELTA_LIMITS = { count: 20, bytes: 1_048_576 } as const;

/**
 * A file with its content, or a `ref` to an address or an artifact. The parser checks sizes, in bytes, after the shape.
 */
export const artifactDeltaSchema = z
  .object({
    id: z.string().min(1).max(200).exactOptional(),
    title: z.string().min(1).max(200).exactOptional(),
    type: z.string().min(1).max(100).exactOptional(),
    content: z.string().exactOptional(),
    ref: z.string().min(1).max(2000).exactOptional(),
  })
  .refine(({ content, ref }) => content !== undefined || ref !== undefined, { error: 'content or ref is missing' })
  .transform(({ title, type, ...rest }) => ({
    ...rest,
    title: title ?? rest.id ?? rest.ref?.split('/').findLast(Boolean)?.slice(0, 200) ?? 'file',
    type: type ?? (rest.content === undefined ? 'application/octet-stream' : 'text/markdown'),
  }));
export type ArtifactDelta = z.infer<typeof artifactDeltaSchema>;
