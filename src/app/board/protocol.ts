/** Connects the protocol for programs to the gateway. Opened at the first request for it. */
import type { Principal } from '../../access/principal.ts';
import { openArtifact } from '../../board/api/artifacts.ts';
import { Exchange } from '../../board/protocol/exchange.ts';
import type { ProtocolParts, StopReceipt } from '../../board/protocol/parts.ts';
import { createPieces } from '../../board/protocol/pieces.ts';
import { createSockets } from '../../board/protocol/socket.ts';
import { ownersOnly, RequestError } from '../../board/respond.ts';
import type { Address, AgentStreamEvent, RemoteFile } from '../../channels/channel.ts';
import { versionOf } from '../../cli/version.ts';
import { scrub } from '../../log.ts';
import { say } from '../../messages/messages.ts';
import { deleteTask, restoreTask } from '../../runtime/commands/tasks/deletions.ts';
import { stillComes, stopTask } from '../../runtime/commands/tasks/stop-task.ts';
import type { Caller } from '../../runtime/contract/board.ts';
import { taskLane } from '../../runtime/contract/entry.ts';
import type { JobService } from '../../runtime/contract/job-service.ts';
import { maySee as maySeeFrom, type SeenBy } from '../../runtime/conversations/visibility.ts';
import { DEFAULT_VIBER, isId } from '../../workspace/home.ts';
import { deletedTask, openTask, PlanWatch } from '../../workspace/tasks/index.ts';
import type { AppGateway, OpenGateway, Protocol } from '../contract.ts';
import { callerChat, createSubmissions } from './submissions.ts';

/** The caller is alone, as in direct messages, and may use any viber. */
const maySee = (principal: Principal, task: SeenBy): boolean =>
  maySeeFrom({ principal, address: NOWHERE, isDirect: true, viber: task.viber }, task);
const NOWHERE: Address = { channel: 'api', account: 'api', chat: '' };

const ANSWERED_MS = 7 * 86_400_000;

export function openProtocol(open: OpenGateway): Protocol {
  const { gw, host, uploads } = open;
  const { home, config, engine, tasks, consent, log } = gw;
  const { state } = engine;
  const { news, seen } = tasks;
  const { live } = gw.places;
  const { approvals } = consent;
  const viber = config.viber ?? DEFAULT_VIBER;
  const submissions = createSubmissions({ open, fileOf: (caller, ref) => resolveFile(caller, ref, open) });
  const plans = new PlanWatch(home, (error) => log.warn({ err: error }, "plans can't be watched"));
  const parts: ProtocolParts = {
    home,
    epoch: engine.epoch,
    about: { id: viber, version: versionOf() },
    submissions,
    maySee,
    stopping: {
      task: (taskId, caller) => stop([taskId], caller, gw),
      agent: (target, reason, caller) => stopAgents(target, reason, caller),
    },
    approvals,
    deleting: deletingOf(gw),
    changed(change) {
      news.emit({ type: 'task:changed', ...change });
      if (change.title !== undefined) tasks.threads.show(change.taskId);
    },
    jobs: () => jobService(gw),
    plans,
    uploads,
    pieces: createPieces(uploads, config.limits.downloadBytes),
    runningTasks: () => [...new Set(live.runs().map(({ taskId }) => taskId))],
    decideMemory: (caller, decision) => decideMemory(caller, decision, submissions.chatOf(caller), gw),
    answered: {
      get: (key) => state.get(`answered.${key}`),
      set: (key, answer) => state.set(`answered.${key}`, answer, ANSWERED_MS),
    },
    onNews: (listener) => news.subscribe(listener),
    onProgress(listener) {
      const ends = [seen.subscribe((event) => listener(scrubEvent(event))), host.elsewhere?.watch()];
      return () => {
        for (const end of ends) end?.();
      };
    },
    soFar: (taskId) => seen.soFar(taskId).map(scrubEvent),
    onError: (error) => log.error({ err: error }, 'a part of the protocol failed'),
  };

  async function stopAgents(target: string, reason: string, caller: Caller): Promise<StopReceipt> {
    const { principal, direct } = caller;
    const waiting = approvals.all().map((request) => ({ taskId: request.taskId, agentId: request.viber }));
    const meant = [...live.runs(), ...waiting].filter(({ agentId }) => target === '*' || agentId === target);
    const here = direct ? live.runs(direct).map(({ taskId }) => taskId) : [];
    const ids = [...new Set(meant.map(({ taskId }) => taskId))].filter((id) => {
      const task = openTask(home, id).record();
      return task && (here.includes(id) || submissions.isOwn(caller, task)) && maySee(principal, task);
    });
    const ended = await stop(ids, caller, gw);
    log.info({ tasks: ended.taskIds, target, reason: reason.slice(0, 200) }, 'interrupted');
    return ended;
  }

  // A change written by a store, in any process, must not be reported to watchers again.
  const unheard = news.subscribe((item) => {
    if (item.type === 'plan:changed') plans.heard(item);
  });
  const exchange = new Exchange(parts);
  const sockets = createSockets({ parts, exchange });
  return {
    parts,
    exchange,
    sockets,
    close() {
      unheard();
      sockets.close();
      exchange.close(1012, 'the gateway restarts');
    },
  };
}

const deletingOf = (gw: AppGateway): ProtocolParts['deleting'] => ({
  async remove(taskId, caller) {
    await stop([taskId], caller, gw);
    return deleteTask(taskId, caller.principal, gw);
  },
  peopleOf: (taskId) =>
    isId(taskId) && !openTask(gw.home, taskId).record() ? deletedTask(gw.home, taskId)?.people : undefined,
  restore: (taskId) => restoreTask(taskId, gw),
});

/** @throws RequestError */
async function jobService(gw: AppGateway): Promise<JobService> {
  const feature = gw.features.on.find(({ jobs }) => jobs);
  if (!feature?.jobs) throw new RequestError(404, 'not_found', say('requests.jobsOff'));
  const service = await feature.jobs(gw);
  if (!service) throw new RequestError(503, 'busy', say('requests.jobsReading'));
  return service;
}

/** @throws RequestError */
async function decideMemory(
  { principal }: Caller,
  { suggestion, verdict, text = '' }: Parameters<ProtocolParts['decideMemory']>[1],
  chat: string,
  gw: AppGateway,
): ReturnType<ProtocolParts['decideMemory']> {
  if (principal.role !== 'owner') throw ownersOnly();
  const address = { channel: 'api', account: 'api', chat };
  const verb = verdict === 'accept' && text.trim() !== '' ? 'edit' : verdict;
  const { decide } = gw.features.on.find((feature) => feature.decide) ?? {};
  const by = { viber: gw.config.viber ?? DEFAULT_VIBER, principal, address, messages: gw.say(address) };
  const reply = await decide?.({ name: suggestion, verb, text }, by, gw);
  if (!reply) throw new RequestError(404, 'not_found', say('requests.memoryOff'), 'suggestion');
  if (!reply.decided) throw new RequestError(409, 'decided', String(reply.text), 'suggestion');
  await gw.consent.questions.decided(reply.decided.question, reply.decided.outcome);
  return { suggestion, verdict, text: String(reply.text) };
}

/** Stops these tasks, and describes, once per tool, effects that may still happen. */
async function stop(ids: readonly string[], caller: Caller, gw: AppGateway): Promise<StopReceipt> {
  const end = (id: string) => gw.engine.queue.signal(taskLane(id), 'stop');
  const ended = await Promise.all(ids.map(async (id) => ({ id, ...(await stopTask(id, caller.principal, gw, end)) })));
  const messages = gw.say(caller.direct ?? { channel: 'api', account: 'api', chat: callerChat(caller) });
  const still = new Set(ended.map(({ begun }) => String(stillComes(begun, messages))).filter(Boolean));
  const taskIds = ended.flatMap(({ id, isStopped }) => (isStopped ? [id] : []));
  return { taskIds, ...(still.size > 0 && { notice: [...still].join(' ') }) };
}

/**
 * Resolves a message's reference to a file: an upload by its sender, or a file of a task that they may see.
 * @throws RequestError
 */
async function resolveFile(caller: Caller, ref: string, { gw: { home }, uploads }: OpenGateway): Promise<RemoteFile> {
  const upload = uploads.find(caller.id, ref);
  if (upload) {
    uploads.keep(ref);
    const { name, type, size } = upload;
    return { id: `${ref} ${caller.id}`, name, mimeType: type, size, kind: 'document' };
  }
  const found = await openArtifact({ home, maySee }, caller, ref);
  if (!found) throw new RequestError(404, 'not_found', say('requests.noFileNamed', { ref }), 'files');
  await found.file.close();
  const { name, type } = found.meta;
  return { id: ref, name, mimeType: type, size: found.size, kind: 'document' };
}

/** The limit on tools' arguments and results that are shown, in characters. */
const MAX_TOLD = 32 * 1024;

/** Removes secrets from tools' arguments and results, and limits their length. */
function scrubEvent(event: AgentStreamEvent): AgentStreamEvent {
  if (event.type === 'tool-call') return { ...event, args: scrubValue(event.args) };
  return event.type === 'tool-result' ? { ...event, result: scrubValue(event.result) } : event;
}

function scrubValue(value: unknown): unknown {
  const text = JSON.stringify(value) ?? 'null';
  if (text.length > MAX_TOLD) return { cut: scrub(text.slice(0, MAX_TOLD)) };
  return JSON.parse(scrub(text));
}
