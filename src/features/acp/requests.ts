/**
 * Answers the requests of `viber acp` over the gateway's socket: how to reach the gateway, and which task a session is.
 */
import { realpathSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { z } from 'zod';
import { errorCode, UserError } from '../../errors.ts';
import { viberCommand } from '../../lib/invocation.ts';
import { messagesIn, say } from '../../messages/messages.ts';
import { configOf, type Gateway } from '../gateway.ts';

const session = z.string().regex(/^[\w-]{1,64}$/);
const asked = z.discriminatedUnion('ask', [
  z.object({ ask: z.literal('connect') }),
  z.object({ ask: z.literal('folder'), cwd: z.string().max(4_096), language: z.string().max(64) }),
  z.object({ ask: z.literal('keep'), session, taskId: z.string().max(64), cwd: z.string().max(4_096) }),
  z.object({ ask: z.literal('find'), session }),
]);
export type EditorRequest = z.infer<typeof asked>;

const KEPT_MS = 90 * 86_400_000;
const ANYWHERE = new Set(['0.0.0.0', '::', '']);

export async function answerEditor(given: unknown, gw: Gateway): Promise<object> {
  const request = asked.parse(given);
  const { state } = gw.engine;
  switch (request.ask) {
    case 'connect': {
      const { token, host } = configOf(gw).http;
      if (token === undefined) throw new UserError(say('programs.noToken'));
      return { token, host: ANYWHERE.has(host) ? '127.0.0.1' : host };
    }
    case 'folder':
      return projectIn(request.cwd, request.language, gw);
    case 'keep':
      await state.set(`acp.${request.session}`, JSON.stringify([request.taskId, request.cwd]), KEPT_MS);
      return {};
    case 'find': {
      const [taskId, cwd] = z.array(z.string()).parse(JSON.parse((await state.get(`acp.${request.session}`)) ?? '[]'));
      return taskId === undefined ? {} : { taskId, cwd };
    }
  }
}

/**
 * Returns the folder if it may be a project, otherwise the reason why not. Each run checks it again, with the person's
 * rights.
 */
function projectIn(cwd: string, language: string, gw: Gateway): { project?: string; note?: string } {
  const { roots } = configOf(gw).projects;
  const folder = realFolder(cwd);
  const folders = roots.map((root) => (typeof root === 'string' ? root : root.folder)).map(fromHome);
  const isAllowed = folder !== undefined && folders.some((root) => isFolderBelow(folder, realFolder(root)));
  if (isAllowed) return { project: folder };
  const command = viberCommand(`project allow ${cwd}`);
  return { note: messagesIn(language).text('programs.noProject', { folder: cwd, command }) };
}

/** Expands `~`, which people write for their home. */
const fromHome = (folder: string): string => folder.trim().replace(/^~(?=\/|$)/, os.homedir());

const isFolderBelow = (folder: string, root: string | undefined): boolean =>
  root !== undefined && (folder === root || folder.startsWith(path.join(root, path.sep)));

function realFolder(folder: string): string | undefined {
  try {
    return realpathSync.native(folder);
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return undefined;
  }
}
