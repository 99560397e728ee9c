/** The `response_url` (five posts in half an hour) and the `trigger_id` of a command or press. */
import { randomUUID } from 'node:crypto';
import { EventEmitter } from 'node:events';
import { checkBlocks } from './blocks.ts';
import { ownDraft } from './compose.ts';
import { ApiError } from './errors.ts';
import type { Platform } from './platform.ts';
import { isRecord, type Json, type Stored } from './state.ts';
import type { ResponsePost } from './types.ts';
import { pingsOf } from './visible.ts';

export interface Hook {
  id: string;
  url: string;
  triggerId: string;
  channel: string;
  user: string;
  threadTs: string | undefined;
  /** The message whose button was pressed. */
  source: Stored | undefined;
  at: number;
  posts: ResponsePost[];
}

export interface Hooks {
  open(about: Pick<Hook, 'channel' | 'user' | 'threadTs' | 'source'>): Hook;
  get(id: string): Hook | undefined;
  /** Handles a post to the `response_url`; returns status and text of the answer. */
  post(id: string, body: string): { status: number; text: string };
  /** Carries out an answer, sent to the URL or with the acknowledgement. Throws ApiError. */
  respond(hook: Hook, body: Json): void;
  /** Emits `post` with the hook. */
  changes: EventEmitter;
}

const MAX_POSTS = 5;

export function createHooks(platform: () => Platform, options: { responseLifetimeMs: number }): Hooks {
  const hooks = new Map<string, Hook>();
  const changes = new EventEmitter().setMaxListeners(0);

  function replace(source: Stored, body: Json, blocks: Json[], text: string): void {
    const { world, events } = platform();
    const previous = world.wire(source);
    if (body.delete_original === true) source.deleted = true;
    else {
      source.text = text;
      source.blocks = blocks;
      source.edits += 1;
      source.edited = { user: world.bot.userId, ts: world.nextTs() };
    }
    world.changed(source);
    if (source.ephemeralFor !== undefined) return;
    if (source.deleted) events.removed(source, previous);
    else events.changed(source, previous);
  }

  function respond(hook: Hook, body: Json): void {
    const { world, events, pings } = platform();
    const text = typeof body.text === 'string' ? body.text : '';
    const given = typeof body.blocks === 'string' ? JSON.parse(body.blocks) : body.blocks;
    const blocks = given === undefined ? [] : checkBlocks(given, () => world.nextId('b'));
    const isRemoval = body.delete_original === true;
    if (!isRemoval && text === '' && blocks.length === 0) throw new ApiError('no_text');
    if (text.length > 40_000) throw new ApiError('msg_too_long');
    if (hook.source && (isRemoval || body.replace_original === true)) {
      replace(hook.source, body, blocks, text);
      return;
    }
    const isPublic = body.response_type === 'in_channel';
    const thread = typeof body.thread_ts === 'string' ? body.thread_ts : hook.threadTs;
    const stored = world.store(world.channel(hook.channel), {
      ...ownDraft(platform(), text),
      blocks,
      threadTs: thread,
      ephemeralFor: isPublic ? undefined : hook.user,
    });
    if (!isPublic) return;
    pings.push(...pingsOf(stored, body.link_names === true || body.parse === 'full'));
    events.message(stored);
  }

  function attempt(hook: Hook, body: unknown): { status: number; text: string } {
    if (Date.now() - hook.at > options.responseLifetimeMs) return { status: 404, text: 'expired_url' };
    if (hook.posts.filter((post) => post.result === 'ok').length >= MAX_POSTS) return { status: 404, text: 'used_url' };
    if (!isRecord(body)) return { status: 400, text: 'invalid_payload' };
    try {
      respond(hook, body);
      return { status: 200, text: 'ok' };
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      return { status: error.message === 'no_text' ? 500 : 400, text: error.message };
    }
  }

  return {
    changes,
    respond,
    open(about) {
      const { world } = platform();
      const id = world.nextId('R');
      const triggerId = `${Date.now()}.${id}.${randomUUID().replaceAll('-', '')}`;
      const url = `${world.base}/commands/${world.team.id}/${id}/${randomUUID()}`;
      const hook: Hook = { id, url, triggerId, ...about, at: Date.now(), posts: [] };
      hooks.set(id, hook);
      return hook;
    },
    get: (id) => hooks.get(id),
    post(path, body) {
      const hook = hooks.get(path.split('/')[3] ?? '');
      if (!hook?.url.endsWith(path)) return { status: 404, text: 'no_service' };
      let parsed: unknown;
      try {
        parsed = JSON.parse(body);
      } catch (error) {
        if (!(error instanceof SyntaxError)) throw error;
      }
      const answer = attempt(hook, parsed);
      hook.posts.push({ body: isRecord(parsed) ? parsed : {}, result: answer.text, atMs: Date.now() });
      changes.emit('post', hook);
      return answer;
    },
  };
}
