/** Talks to the gateway from another process, through the socket in its home. */

import fs from 'node:fs';
import http from 'node:http';
import os from 'node:os';
import path from 'node:path';
import readline from 'node:readline';
import { text as bodyOf } from 'node:stream/consumers';
import type { SuppliedContext } from '../channels/channel.ts';
import type { LocalLine } from '../channels/local/adapter.ts';
import { loadConfig } from '../config.ts';
import { errorCode, LockedError, UserError } from '../errors.ts';
import { viberCommand } from '../lib/invocation.ts';
import { machineLanguage } from '../lib/language.ts';
import { silentLog } from '../log.ts';
import { say } from '../messages/messages.ts';
import type { CliContext } from '../runtime/contract/cli.ts';
import { noteConfig } from '../workspace/own-files.ts';
import { runningGateways } from './running.ts';

const socketIn = (folder: string): string => path.join(folder, 'gateway.sock');

type Place = CliContext;

/**
 * Returns the socket of a gateway that has this home open and accepts messages. The socket of a crashed gateway is
 * returned too; it fails when it is used.
 * @throws {UserError} if it listens and does not answer
 */
export async function findSocket(place: Place): Promise<string | undefined> {
  const folders = [...(await runningGateways(place)).map(({ folder }) => folder), path.join(place.home, 'run')];
  const socket = folders.map(socketIn).find((file) => fs.existsSync(file));
  if (socket !== undefined) await checkAnswers(socket);
  return socket;
}

/** Calls `use` while a gateway runs on this home. Starts a local-only gateway for that time if none runs. */
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
    await checkAnswers(socketIn(path.join(context.home, 'run')));
  }
  try {
    return await use(socketIn(path.join(context.home, 'run')));
  } finally {
    await app?.stop();
  }
}

/**
 * Never starts a gateway: it would claim work from the shared queue.
 * @throws {UserError} if no gateway accepts messages on this machine
 */
async function socketAmongSeveral(context: CliContext): Promise<string> {
  const socket = await findSocket(context);
  if (socket !== undefined) return socket;
  throw new UserError(say('cli.noIngress', { home: context.home, start: viberCommand('start') }));
}

/** Returns the gateway's name for a conversation of this operating-system user. */
export const userChat = (name: string): string => `${os.userInfo().username}-${name}`;

/**
 * Sends one request over the socket.
 * @throws {UserError} if the gateway is not listening
 */
export function post(socket: string, path: string, body: object): Promise<http.IncomingMessage> {
  return new Promise((resolve, reject) => {
    const request = http.request({ socketPath: socket, path, method: 'POST' }, resolve);
    request.on('error', (error) => {
      const gone = ['ENOENT', 'ECONNREFUSED'].includes(errorCode(error) ?? '');
      reject(gone ? new UserError(say('cli.busyGateway')) : error);
    });
    request.end(JSON.stringify(body));
  });
}

const ANSWER_MS = 5_000;

/**
 * Asks before anything is said, since what is sent to a gateway that hangs is answered when it goes on.
 * @throws {UserError} if the gateway listens and does not answer
 */
async function checkAnswers(socketPath: string): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const request = http.get({ socketPath, signal: AbortSignal.timeout(ANSWER_MS) }, (response) => {
    response.resume();
    resolve();
  });
  // `post` says why nothing listens.
  request.on('error', ({ name }) =>
    name === 'AbortError' ? reject(new UserError(say('cli.hungGateway'))) : resolve(),
  );
  return promise;
}

type AnswerLine = Extract<LocalLine, { type: 'answer' }>;

export interface ChatTarget {
  chat: string;
  /** The recipient of the first message and of what follows it; undefined after the first message. */
  viber: string | undefined;
}

/** @throws {UserError} if `--viber` names a viber that does not exist */
export async function namedViber({ values, home: root }: CliContext): Promise<string | undefined> {
  const wanted = values.viber;
  if (wanted === undefined) return undefined;
  const { listVibers } = await import('../workspace/home.ts');
  const all = listVibers({ root, agents: path.join(root, 'agents') });
  if (all.includes(wanted)) return wanted;
  throw new UserError(say('cli.noViber', { name: wanted.slice(0, 80), all: all.join(', ') }));
}

/**
 * Sends one message and passes each line to `onLine`. Resolves with its answers as one when nothing more is to come.
 * @throws {UserError} if the gateway reports an error, or stops before it answers
 */
export async function sendAndWait(
  socket: string,
  {
    chat,
    ...said
  }: { chat: string } & (
    | { text: string; viber?: string | undefined; given?: SuppliedContext | undefined }
    | { button: string }
  ),
  onLine: (line: LocalLine) => Promise<void> | void,
): Promise<Omit<AnswerLine, 'type' | 'buttons'>> {
  const response = await post(socket, '/ask', {
    chat: userChat(chat),
    language: machineLanguage(process.env),
    ...said,
  });
  if (response.statusCode !== 200) throw new UserError(await bodyOf(response));
  const answers: AnswerLine[] = [];
  for await (const text of readline.createInterface({ input: response })) {
    const line = JSON.parse(text) as LocalLine;
    if (line.type === 'settled') return asOne(answers);
    if (line.type === 'error') throw new UserError(line.message);
    if (line.type === 'answer') answers.push(line);
    await onLine(line);
  }
  if (answers.length > 0) return asOne(answers);
  throw new UserError(say('cli.stoppedFirst'));
}

function asOne(answers: readonly AnswerLine[]): Omit<AnswerLine, 'type' | 'buttons'> {
  const text = answers.map((answer) => answer.text).join('\n\n');
  const { ended, result } = answers.findLast((answer) => answer.result ?? answer.ended) ?? {};
  return { text, files: answers.flatMap(({ files }) => files), ...(ended && { ended }), ...(result && { result }) };
}
