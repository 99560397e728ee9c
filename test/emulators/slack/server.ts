/**
 * The HTTP server: `/api/<method>`, uploads, downloads and response URLs. A call passes through outage, body, fault,
 * token, limits, method and answer, in this order.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { createDowntime, type Outage } from '../base/faults.ts';
import { listen, readBody } from '../base/http.ts';
import { createRequestLog, type Logged, type RequestLog } from '../base/request-log.ts';
import { type Answer, bearer, broken, cut, faultAnswer, jsonAnswer, refusal, write } from './answer.ts';
import { type Args, readArgs, text } from './args.ts';
import { ApiError } from './errors.ts';
import { type CallFaults, createCallFaults } from './faults.ts';
import { createFileHost } from './file-host.ts';
import { authorise, METHODS } from './methods.ts';
import type { Platform } from './platform.ts';
import { createRates, type Rates } from './rates.ts';

export interface LoggedRequest extends Logged {
  /** The name of a method; `file`, `upload` or `response_url`. */
  method: string;
  params: Record<string, unknown>;
  /** The refusal, if it was one. */
  description?: string;
}

export interface ApiServer {
  port: number;
  faults: CallFaults;
  rates: Rates;
  log: RequestLog<LoggedRequest>;
  errors(): Record<string, number>;
  connections(): number;
  outage(kind?: Outage): Promise<void>;
  /** The refusal for every call with the bot token. */
  setAuth(error: string | undefined): void;
  reset(): void;
  close(): Promise<void>;
}

/** Starts listening on the loopback interface. */
export async function startServer(platform: Platform, port: number, keepRequests: number): Promise<ApiServer> {
  const faults = createCallFaults();
  const rates = createRates();
  const log = createRequestLog<LoggedRequest>(keepRequests, 'method');
  const fileHost = createFileHost(platform);
  let errors: Record<string, number> = {};
  const downtime = createDowntime((response, status) => write(response, broken(status)));
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

  /** Carries out a call and returns its answer, including refusals. */
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

  /** Applies the fault, if there is one, around the call. */
  async function answer(entry: LoggedRequest, response: ServerResponse, act: () => Answer): Promise<void> {
    const fault = faults.take(entry.method, entry.params.channel ?? entry.params.channel_id);
    const settle = (ready: Answer) => {
      log.done(entry, ready.status);
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
      log.done(entry, 0, { description: fault.kind });
      if (fault.kind === 'reset') response.socket?.resetAndDestroy();
      return;
    }
    const ready = carryOut(entry, act);
    if (fault.kind === 'lateAnswer') {
      await sleep(fault.delayMs ?? 0);
      return settle(ready);
    }
    log.done(entry, 0, { description: fault.kind });
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
    // Neither a token in the query nor one in a JSON body is accepted.
    const isForm = type.startsWith('application/x-www-form-urlencoded');
    const token = bearer(request) ?? (isForm && inBody !== undefined ? text(args, 'token') : undefined);
    const entry = log.note({ method: name, params: values });
    await answer(entry, response, () => {
      if (problem) throw problem;
      return call(name, values, token);
    });
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [path = '', query = ''] = (request.url ?? '/').split('?', 2);
    if (downtime.meets(request, response)) return;
    if (path.startsWith('/api/')) return serveMethod(path.slice('/api/'.length), query, request, response);
    const bytes = await readBody(request);
    if (path.startsWith('/commands/')) {
      const entry = log.note({ method: 'response_url', params: { path, body: bytes.toString() } });
      return answer(entry, response, () => {
        const { status, text: words } = platform.hooks.post(path, bytes.toString());
        return { status, headers: { 'content-type': 'text/html' }, body: words };
      });
    }
    const isUpload = path.startsWith('/upload/v1/');
    if (!isUpload && !path.startsWith('/files-pri/')) return write(response, broken(404));
    const entry = log.note({ method: isUpload ? 'upload' : 'file', params: { path } });
    const type = request.headers['content-type'] ?? '';
    const ready = isUpload ? await fileHost.unpack(type, bytes) : undefined;
    const act = ready ? () => fileHost.upload(path, ready) : () => fileHost.download(path, bearer(request));
    return answer(entry, response, act);
  }

  const listener = await listen(serve, {
    port,
    failed(error, response) {
      process.stderr.write(`slack emulator: ${error instanceof Error ? error.stack : error}\n`);
      write(response, broken(500));
    },
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
    outage(kind) {
      platform.sockets.refuse(kind !== undefined);
      return downtime.set(kind, [listener]);
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
