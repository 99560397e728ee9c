/**
 * The schemas of all `viber.v1` commands and HTTP bodies (docs/protocol.md, docs/openapi.yaml). A body is the frame
 * without `type` and `id`. Unknown fields are dropped; errors name the path of what is missing or wrong.
 */
import { z } from 'zod';
import { expects } from '../../messages/expects.ts';
import { planSchema, taskRequestSchema } from '../../runtime/contract/protocol.ts';

export const PROTOCOL = 1;
/** The limit of an incoming frame, in bytes. */
export const MAX_FRAME = 1024 * 1024;
/** Bytes of a file in one answer to `artifact:get`. */
export const CHUNK = 256 * 1024;
/** The most files of one message, whatever `limits.filesPerMessage` says. */
export const MAX_FILES = 20;

const taskId = z.string().regex(/^[a-z0-9][a-z0-9_-]{0,63}$/, expects('requests.notATask'));
const viberId = z.string().regex(/^[a-z0-9][a-z0-9_-]{0,63}$/, expects('requests.notAViber'));
const words = z.string().refine((text) => text.trim() !== '', expects('requests.empty'));
const hash = z.string().max(128);
const text = z.string().max(MAX_FRAME);
const cursor = z.string().max(64);
const refs = z.array(z.string().min(1).max(300)).max(MAX_FILES);
/** How much of a run in progress is sent. */
export const liveSchema = z.enum(['off', 'text', 'events']);
const context = z.object({
  currentFile: z.string().max(4_096).nullish(),
  selection: z.string().nullish(),
});
const tasks = z.union([z.literal('*'), z.array(taskId).min(1).max(1_000)]);

export const submitSchema = taskRequestSchema.extend({
  goal: words,
  messages: taskRequestSchema.shape.messages.max(1_000).default([]),
  plan: z.union([z.string().max(256 * 1024), planSchema]).exactOptional(),
  context: context.exactOptional(),
  viberId: viberId.exactOptional(),
  project: z.string().min(1).max(4_096).exactOptional(),
  live: liveSchema.exactOptional(),
  files: refs.exactOptional(),
});
export const tellSchema = z
  .object({
    taskId,
    message: z.string(),
    injectionMode: z.enum(['steer', 'collect', 'followup']).exactOptional(),
    files: refs.exactOptional(),
    /** The run whose question it asks anew; the new answer takes the place of that run's. */
    again: z
      .string()
      .regex(/^[\w-]{1,64}$/, expects('requests.notARun'))
      .exactOptional(),
    /** Its recordings are the sender's own voice: what they say is the message. */
    spoken: z.boolean().exactOptional(),
  })
  .refine(({ message, files = [] }) => message.trim() !== '' || files.length > 0, {
    path: ['message'],
    message: expects('requests.empty'),
  });
export const stopSchema = z.object({ taskId });
/** `deleted: false` undoes a deletion while that is possible. */
export const taskChangeSchema = z.object({
  taskId,
  title: words.max(200).exactOptional(),
  archived: z.boolean().exactOptional(),
  deleted: z.boolean().exactOptional(),
});
export const interruptSchema = z.object({
  targetAgentId: z.string().min(1).max(64),
  reason: z.string().max(1_000).default(''),
});
/** A person's message to their own conversation. */
export const sayTextSchema = z.object({
  content: z.string(),
  attachments: z
    .array(z.union([z.string().min(1).max(300), z.object({ ref: z.string().min(1).max(300) })]))
    .max(MAX_FILES)
    .default([]),
  context: context.exactOptional(),
  spoken: z.boolean().exactOptional(),
});
export const saySchema = sayTextSchema.refine(
  ({ content, attachments }) => content.trim() !== '' || attachments.length > 0,
  {
    path: ['content'],
    message: expects('requests.empty'),
  },
);
export const jobSchema = z.strictObject({
  name: z.string(),
  schedule: z.string(),
  prompt: z.string(),
  deliver: z.array(z.string()).exactOptional(),
  timezone: z.string().exactOptional(),
  skills: z.array(z.string()).exactOptional(),
  model: z.string().exactOptional(),
  viber: z.string().exactOptional(),
});
export const jobCreateSchema = z.object({ job: jobSchema });
export const subscribeSchema = z.object({
  taskIds: tasks,
  after: cursor.exactOptional(),
  live: liveSchema.exactOptional(),
});
export const unsubscribeSchema = z.object({ taskIds: tasks });
export const approvalSchema = z.object({
  approval: z.string().min(1).max(64),
  digest: z.string().min(1).max(128),
  verdict: z.enum(['approve', 'always', 'all', 'reject', 'answer']),
  answer: z.string().max(10_000).exactOptional(),
});
export const memorySchema = z.object({
  suggestion: z.string().min(1).max(100),
  verdict: z.enum(['accept', 'edit', 'reject']),
  text: z.string().max(2_000).exactOptional(),
});
export const planWriteSchema = z.object({ taskId, text: z.string().max(256 * 1024), baseHash: hash });
export const fileWriteSchema = z.object({
  name: z.string().min(1).max(200),
  viberId: viberId.exactOptional(),
  text,
  baseHash: hash,
});
export const artifactSchema = z.object({ ref: z.string().min(1).max(300), offset: z.int().min(0).default(0) });
/** A piece of a file; `size` is the size of the whole file. */
export const uploadSchema = z.object({
  name: words.max(255),
  contentType: z.string().max(200).default(''),
  data: z.base64(),
  offset: z.int().min(0).default(0),
  size: z.int().min(0),
});
export const pingSchema = z.object({});
export const authSchema = z.object({ key: z.string().max(200).default(''), after: cursor.exactOptional() });

export const tasksQuerySchema = z.object({
  after: z
    .string()

    .regex(/^[^_]{1,64}_[a-z0-9][a-z0-9_-]{0,63}$/, expects('requests.notAPlace'))
    .exactOptional(),
  state: z.enum(['waiting', 'pending', 'running', 'completed', 'error', 'stopped']).exactOptional(),
  channel: z
    .string()
    .regex(/^[a-z][a-z0-9-]{0,31}$/, expects('requests.notAChannel'))
    .exactOptional(),
  project: z.string().min(1).max(255).exactOptional(),
  archived: z.enum(['true', 'false']).exactOptional(),
});
export const eventsQuerySchema = z.object({ live: liveSchema.default('off'), after: cursor.exactOptional() });

/** Schemas by type. Other types are answered with `unknown_type`. */
export const COMMANDS = {
  'task:submit': submitSchema,
  'task:message': tellSchema,
  'task:stop': stopSchema,
  'task:change': taskChangeSchema,
  interrupt: interruptSchema,
  message: saySchema,
  'job:create': jobCreateSchema,
  'task:subscribe': subscribeSchema,
  'task:unsubscribe': unsubscribeSchema,
  'approval:decide': approvalSchema,
  'memory:decide': memorySchema,
  'plan:write': planWriteSchema,
  'file:write': fileWriteSchema,
  'artifact:get': artifactSchema,
  upload: uploadSchema,
  ping: pingSchema,
} as const;

export type CommandType = keyof typeof COMMANDS;
export type CommandOf<T extends CommandType> = z.infer<(typeof COMMANDS)[T]>;
export const isCommandType = (type: string): type is CommandType => Object.hasOwn(COMMANDS, type);

/** The base of all client frames. `id` identifies a command as long as it may be repeated. */
export const frameSchema = z.looseObject({
  type: z.string().min(1).max(64),
  id: z.string().min(1).max(128).exactOptional(),
});
export type Frame = z.infer<typeof frameSchema>;
