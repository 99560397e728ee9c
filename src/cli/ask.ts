/** Asking the gateway from another process, through the socket in its home. */

import fs from 'node:fs';
import http from 'node:http';
import os from 'node:os';
import path from 'node:path';
import readline from 'node:readline';
import type { Given } from '../channels/channel.ts';
import type { LocalLine } from '../channels/local/adapter.ts';
import { loadConfig } from '../config.ts';
import { errorCode, LockedError, UserError } from '../errors.ts';
import { silentLog } from '../log.ts';
import { noteConfig } from '../workspace/own-files.ts';
import type { CliContext } from './command.ts';
import { runningGateways } from './running.ts';

const socketIn = (folder: string): string => path.join(folder, 'gateway.sock');

type Place = Pick<CliContext, 'home' | 'config' | 'env'>;

/**
 * The socket of a gateway that has this home open and takes messages in; undefined when there is none. One that a crash left behind
 * counts until it is asked.
 */
export async function findSocket(place: Place): Promise<string | undefined> {
  const folders = [...(await runningGateways(place)).map(({ folder }) => folder), path.join(place.home, 'run')];
  return folders.map(socketIn).find((file) => fs.existsSync(file));
}

/**
 * Has the gateway of this home running while `use` works: the one that runs already, or one of our own that talks to
 * nobody else.
 */
export async function withGateway<T>(context: CliContext, use: (socket: string) => Promise<T>): Promise<T> {
  const { config, source } = await loadConfig({ file: context.config, home: context.home, env: context.env });
  if (source !== undefined) noteConfig(path.resolve(context.home), source);
  if (config.engine.kind !== 'local') return use(await socketAmongSeveral(context));
  const { startApp } = await import('../app.ts');
  let app: Awaited<ReturnType<typeof startApp>> | undefined;
  try {
    const log = silentLog();
    app = await startApp({ config, homeRoot: context.home, log, env: context.env, terminal: false, localOnly: true });
    await app.connected;
  } catch (error) {
    if (!(error instanceof LockedError)) throw error;
  }
  try {
    return await use(socketIn(path.join(context.home, 'run')));
  } finally {
    await app?.stop();
  }
}

/** One of our own would take up what everybody waits for. Throws UserError. */
async function socketAmongSeveral(context: CliContext): Promise<string> {
  const socket = await findSocket(context);
  if (socket !== undefined) return socket;
  throw new UserError(
    `No gateway with the role ingress runs on ${context.home} on this machine: viber start, and then again. Where it runs with another configuration, name that with --config.`,
  );
}

/** What the gateway calls a conversation of this user's. */
export const chatOf = (name: string): string => `${os.userInfo().username}-${name}`;

/** One request over the socket. Throws UserError while the gateway is not there. */
export function post(socket: string, path: string, body: object): Promise<http.IncomingMessage> {
  return new Promise((resolve, reject) => {
    const request = http.request({ socketPath: socket, path, method: 'POST' }, resolve);
    request.on('error', (error) => {
      const gone = ['ENOENT', 'ECONNREFUSED'].includes(errorCode(error) ?? '');
      reject(gone ? new UserError('the gateway is starting or stopping; try again in a moment') : error);
    });
    request.end(JSON.stringify(body));
  });
}

/** A conversation of this user's over the socket. */
export interface Spoken {
  chat: string;
  /** Whom the first message is for, and what follows it; undefined once that has been said. */
  viber: string | undefined;
}

/** The viber that `--viber` names, if it does. Throws UserError for one that is not there. */
export async function namedViber({ values, home: root }: CliContext): Promise<string | undefined> {
  const wanted = values.viber;
  if (wanted === undefined) return undefined;
  const { listVibers } = await import('../workspace/vibers.ts');
  const all = listVibers({ root, agents: path.join(root, 'agents') });
  if (all.includes(wanted)) return wanted;
  throw new UserError(`There is no viber "${wanted.slice(0, 80)}". There is: ${all.join(', ')}.`);
}

/** Sends one message and gives its lines as they come; resolves with the answer. Throws UserError when there is none. */
export async function ask(
  socket: string,
  { chat, ...said }: { chat: string; text: string; viber?: string | undefined; given?: Given | undefined },
  onLine: (line: LocalLine) => void,
): Promise<Extract<LocalLine, { type: 'answer' }>> {
  const response = await post(socket, '/ask', { chat: chatOf(chat), ...said });
  for await (const text of readline.createInterface({ input: response })) {
    const line = JSON.parse(text) as LocalLine;
    onLine(line);
    if (line.type === 'answer') return line;
    if (line.type === 'error') throw new UserError(line.message);
  }
  throw new UserError('the gateway stopped before it answered; the message is kept and answered after its next start');
}
