/**
 * The HTTP side: `/api/<method>`, uploads, downloads and response URLs, with outages, faults and limits in between. A
 * call goes through: outage, body, fault, token, limits, method, answer.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { listen } from '../listener.ts';
import { readBody } from '../remote.ts';
import { createRequestLog, type LoggedRequest, type RequestLog } from '../telegram/request-log.ts';
import { type Answer, bearer, broken, cut, faultAnswer, jsonAnswer, refusal, write } from './answer.ts';
import { type Args, readArgs, text } from './args.ts';
import { ApiError } from './errors.ts';
import { createFaults, type Faults, type Outage } from './faults.ts';
import { createFileHost } from './file-host.ts';
import { authorise, METHODS } from './methods.ts';
import type { Platform } from './platform.ts';
import { createRates, type Rates } from './rates.ts';

export interface ApiServer {
  port: number;
  faults: Faults;
  rates: Rates;
  log: RequestLog;
  errors(): Record<string, number>;
  connections(): number;
  outage(kind?: Outage): Promise<void>;
  /** How every call with the bot token is refused. */
  setAuth(error: string | undefined): void;
  reset(): void;
  close(): Promise<void>;
}

/** Starts listening on loopback. */
export async function startServer(platform: Platform, port: number, keepRequests: number): Promise<ApiServer> {
  const faults = createFaults();
  const rates = createRates();
  const log = createRequestLog(keepRequests);
  const fileHost = createFileHost(platform);
  let errors: Record<string, number> = {};
  let outage: Outage | undefined;
  let authError: string | undefined;

  function call(name: string, args: Args, token: string | undefined): Answer {
    const method = Object.hasOwn(METHODS, name) ? METHODS[name] : undefined;
    if (!method) return refusal(new ApiError('unknown_method', { req_method: name }));
    if (authError !== undefined && token === platform.botToken) throw new ApiError(authError);
    authorise(platform, method, token);
    rates.take(name, method.tier, args.channel);
    const accepted = [method.scope ?? []].flat().join(',');
    const scopes = { 'x-oauth-scopes': [...platform.scopes()].join(','), 'x-accepted-oauth-scopes': accepted };
    return jsonAnswer({ ok: true, ...method.run(platform, args) }, scopes);
  }

  /** Carries out a call and gives its answer, refusals included. */
  function carryOut(entry: LoggedRequest, act: () => Answer): Answer {
    try {
      return act();
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      errors[error.message] = (errors[error.message] ?? 0) + 1;
      entry.description = error.message;
      return refusal(error);
    }
  }

  /** Plays the fault, if there is one, around the call. */
  async function answer(entry: LoggedRequest, response: ServerResponse, act: () => Answer): Promise<void> {
    const fault = faults.take(entry.method, entry.params.channel ?? entry.params.channel_id);
    const settle = (ready: Answer) => {
      log.done(entry, ready.status, entry.description);
      write(response, ready);
    };
    if (!fault) return settle(carryOut(entry, act));
    const instead = faultAnswer(fault);
    if (instead) {
      entry.description = fault.error ?? fault.kind;
      return settle(instead);
    }
    if (fault.kind === 'delay') {
      await sleep(fault.delayMs ?? 0);
      return settle(carryOut(entry, act));
    }
    if (fault.kind === 'hang' || fault.kind === 'reset') {
      log.done(entry, 0, fault.kind);
      if (fault.kind === 'reset') response.socket?.resetAndDestroy();
      return;
    }
    const ready = carryOut(entry, act);
    if (fault.kind === 'lateAnswer') {
      await sleep(fault.delayMs ?? 0);
      return settle(ready);
    }
    log.done(entry, 0, fault.kind);
    if (entry.method === 'file') cut(response, ready);
    else response.socket?.resetAndDestroy();
  }

  async function serveMethod(name: string, query: string, request: IncomingMessage, response: ServerResponse) {
    const body = (await readBody(request)).toString();
    const type = request.headers['content-type'] ?? '';
    let args: Args = {};
    let problem: ApiError | undefined;
    try {
      args = readArgs(type, body, new URLSearchParams(query));
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      problem = error;
    }
    const { token: inBody, ...values } = args;
    // A token in the query is not looked at, and one in a JSON body neither.
    const isForm = type.startsWith('application/x-www-form-urlencoded');
    const token = bearer(request) ?? (isForm && inBody !== undefined ? text(args, 'token') : undefined);
    const entry = log.note(name, { values, files: new Map() });
    await answer(entry, response, () => {
      if (problem) throw problem;
      return call(name, values, token);
    });
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [path = '', query = ''] = (request.url ?? '/').split('?', 2);
    if (outage === 'hang') return;
    if (outage === 'reset' || outage === 'refuse') return void request.socket.resetAndDestroy();
    if (outage !== undefined) {
      request.resume();
      return write(response, broken(outage));
    }
    if (path.startsWith('/api/')) return serveMethod(path.slice('/api/'.length), query, request, response);
    const bytes = await readBody(request);
    if (path.startsWith('/commands/')) {
      const entry = log.note('response_url', { values: { path, body: bytes.toString() }, files: new Map() });
      return answer(entry, response, () => {
        const { status, text: words } = platform.hooks.post(path, bytes.toString());
        return { status, headers: { 'content-type': 'text/html' }, body: words };
      });
    }
    const isUpload = path.startsWith('/upload/v1/');
    if (!isUpload && !path.startsWith('/files-pri/')) return write(response, broken(404));
    const entry = log.note(isUpload ? 'upload' : 'file', { values: { path }, files: new Map() });
    const type = request.headers['content-type'] ?? '';
    const ready = isUpload ? await fileHost.unpack(type, bytes) : undefined;
    const act = ready ? () => fileHost.upload(path, ready) : () => fileHost.download(path, bearer(request));
    return answer(entry, response, act);
  }

  const listener = await listen(port, (request, response) => {
    serve(request, response).catch((error: unknown) => {
      // A body cut off by the client has nobody to answer to.
      if (request.destroyed && !request.complete) return;
      process.stderr.write(`slack emulator: ${error instanceof Error ? error.stack : error}\n`);
      write(response, broken(500));
    });
  });

  return {
    port: listener.port,
    faults,
    rates,
    log,
    errors: () => ({ ...errors }),
    connections: () => listener.connections(),
    setAuth(error) {
      authError = error;
    },
    async outage(kind) {
      outage = kind;
      platform.sockets.refuse(kind !== undefined);
      if (kind === 'refuse') listener.down();
      else await listener.up();
      if (kind === 'reset') listener.breakAll();
      // Clients in this process must see their idle connections break before they use them again.
      if (kind === 'refuse' || kind === 'reset') await sleep(10);
    },
    reset() {
      log.clear();
      faults.clear();
      rates.set(undefined);
      rates.reset();
      errors = {};
      authError = undefined;
    },
    close: () => listener.close(),
  };
}
