/** chat.startStream, appendStream, stopStream, and what an assistant's thread shows. */
import { type Args, required, structure, text } from './args.ts';
import { checkBlocks } from './blocks.ts';
import { MAX_MARKDOWN_TEXT, metadataOf, notify, ownDraft } from './compose.ts';
import { joined, message, target, thread } from './conversation.ts';
import { ApiError, explained } from './errors.ts';
import type { Method } from './methods.ts';
import type { Platform } from './platform.ts';
import { type AssistantThread, isRecord, type Json, type Stored } from './state.ts';

const CHUNKS = new Set(['markdown_text', 'task_update', 'plan_update', 'blocks']);

/**
 * Returns the Markdown that a call adds. Throws ApiError `invalid_chunks`, `msg_too_long`, `markdown_text_conflict`.
 */
function addition(args: Args): string {
  const markdown = text(args, 'markdown_text') ?? '';
  const chunks = structure(args, 'chunks', 'invalid_chunks');
  if (markdown !== '' && chunks !== undefined) throw new ApiError('markdown_text_conflict');
  if (chunks !== undefined && !Array.isArray(chunks)) throw new ApiError('invalid_chunks');
  let added = markdown;
  for (const chunk of chunks ?? []) {
    if (!isRecord(chunk) || typeof chunk.type !== 'string' || !CHUNKS.has(chunk.type)) {
      throw explained('invalid_chunks', 'unsupported chunk');
    }
    if (chunk.type !== 'markdown_text') continue;
    if (typeof chunk.text !== 'string') throw explained('invalid_chunks', 'missing required field: text');
    added += chunk.text;
  }
  if (added.length > MAX_MARKDOWN_TEXT) throw new ApiError('msg_too_long');
  return added;
}

function show(platform: Platform, stored: Stored, more: Json[] = []): void {
  const markdown: Json[] =
    stored.text === '' ? [] : [{ type: 'markdown', text: stored.text, block_id: platform.world.nextId('b') }];
  stored.blocks = [...markdown, ...more];
}

const start: Method['run'] = (platform, args) => {
  const channel = target(platform, args);
  const threadTs = thread(channel, args);
  if (threadTs === undefined) throw explained('invalid_arguments', 'missing required field: thread_ts');
  if (channel.kind !== 'im') {
    if (text(args, 'recipient_team_id') === undefined) throw new ApiError('missing_recipient_team_id');
    if (text(args, 'recipient_user_id') === undefined) throw new ApiError('missing_recipient_user_id');
  }
  const draft = ownDraft(platform, addition(args));
  const stored = platform.world.store(channel, { ...draft, threadTs, streamedAt: Date.now() });
  show(platform, stored);
  const assistant = channel.assistants.get(threadTs);
  if (assistant) assistant.status = '';
  platform.events.message(stored);
  return { channel: channel.id, ts: stored.ts };
};

/** Returns the stream of a call. Throws ApiError `message_not_in_streaming_state` if it has ended. */
function streamOf(platform: Platform, args: Args): Stored {
  const stored = message(joined(platform, args), required(args, 'ts'));
  if (!stored.byBot) throw new ApiError('message_not_owned_by_app');
  const isIdle = stored.streamedAt !== undefined && Date.now() - stored.streamedAt > platform.streamIdleMs;
  if (isIdle) stored.streamedAt = undefined;
  if (stored.streamedAt === undefined) throw new ApiError('message_not_in_streaming_state');
  return stored;
}

const append: Method['run'] = (platform, args) => {
  const stored = streamOf(platform, args);
  const added = addition(args);
  if (added === '' && args.chunks === undefined) throw new ApiError('no_text');
  stored.text += added;
  stored.streamedAt = Date.now();
  show(platform, stored);
  platform.world.changed(stored);
  return { channel: stored.channel, ts: stored.ts };
};

const stop: Method['run'] = (platform, args) => {
  const stored = streamOf(platform, args);
  const added = addition(args);
  const blocks = structure(args, 'blocks', 'invalid_blocks_format');
  const more = blocks === undefined ? [] : checkBlocks(blocks, () => platform.world.nextId('b'));
  const metadata = metadataOf(args);
  const previous = platform.world.wire(stored);
  stored.text += added;
  stored.metadata = metadata ?? stored.metadata;
  stored.streamedAt = undefined;
  show(platform, stored, more);
  platform.world.changed(stored);
  notify(platform, stored, args);
  platform.events.changed(stored, previous);
  return { channel: stored.channel, ts: stored.ts, message: platform.world.wire(stored, true) };
};

function assistantOf(platform: Platform, args: Args): AssistantThread {
  const channel = joined(platform, args, 'channel_id');
  const ts = required(args, 'thread_ts');
  message(channel, ts, 'invalid_thread_ts');
  const known = channel.assistants.get(ts) ?? { status: '', title: '', prompts: [] };
  channel.assistants.set(ts, known);
  return known;
}

function setPrompts(assistant: AssistantThread, prompts: unknown): void {
  if (!Array.isArray(prompts) || prompts.length === 0) throw explained('invalid_arguments', 'prompts must be a list');
  assistant.prompts = prompts.map((prompt: unknown) => {
    if (!isRecord(prompt) || typeof prompt.title !== 'string' || typeof prompt.message !== 'string') {
      throw explained('invalid_arguments', 'a prompt has title and message');
    }
    return { title: prompt.title, message: prompt.message };
  });
}

export const STREAM_METHODS: Record<string, Method> = {
  'chat.startStream': { scope: 'chat:write', tier: 2, run: start },
  'chat.appendStream': { scope: 'chat:write', tier: 4, run: append },
  'chat.stopStream': { scope: 'chat:write', tier: 2, run: stop },
  'assistant.threads.setStatus': {
    scope: ['assistant:write', 'chat:write'],
    tier: 4,
    run(platform, args) {
      const assistant = assistantOf(platform, args);
      // An empty status clears it.
      assistant.status = text(args, 'status') ?? '';
      return {};
    },
  },
  'assistant.threads.setTitle': {
    scope: 'assistant:write',
    tier: 3,
    run(platform, args) {
      assistantOf(platform, args).title = required(args, 'title');
      return {};
    },
  },
  'assistant.threads.setSuggestedPrompts': {
    scope: 'assistant:write',
    tier: 3,
    run(platform, args) {
      setPrompts(assistantOf(platform, args), structure(args, 'prompts'));
      return {};
    },
  },
};
