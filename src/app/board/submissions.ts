/**
 * Passes messages from programs and the Board to the intake: authorised by the guard, deduplicated by sender and ID,
 * durable when they resolve. A submitted task has its own conversation; a person's other messages go to their direct
 * messages.
 */
import { type Principal, principalText } from '../../access/principal.ts';
import type { Receipt, Submissions } from '../../board/protocol/parts.ts';
import { noTask } from '../../board/protocol/refusals.ts';
import { RequestError, wrongField } from '../../board/respond.ts';
import { apiAddress, apiPlaces, commandIn, messageOf, type Saying } from '../../channels/api/decode.ts';
import { type Address, API, conversationKey, type RemoteFile, type SuppliedContext } from '../../channels/channel.ts';
import { spoolKey } from '../../engine/engine.ts';
import { say } from '../../messages/messages.ts';
import { isOwnQuestion } from '../../runtime/contract/attempts.ts';
import type { Caller } from '../../runtime/contract/board.ts';
import { dedupeId, traceOf, type Visit } from '../../runtime/contract/entry.ts';
import { bindingKey, mayChoose } from '../../runtime/conversations/conversations.ts';
import { accept } from '../../runtime/intake/accept.ts';
import { openTask } from '../../workspace/tasks/index.ts';
import type { OpenGateway } from '../contract.ts';

export interface SubmissionParts {
  open: OpenGateway;
  /**
   * Resolves a reference to a file in a client's message.
   * @throws RequestError
   */
  fileOf(caller: Caller, ref: string): Promise<RemoteFile>;
}

/** Returns the name of a conversation: one per client, and one per person. */
export const callerChat = ({ id, kind, principal, channel = API }: Caller): string => {
  if (principal.channel === channel && kind === 'client') return id;
  return principalText(principal)
    .replace(/[^\w.-]/g, '-')
    .slice(0, 64);
};

/** Returns a conversation of the caller or, with `thread`, the one about a task. */
const callerAddress = (caller: Caller, thread?: string): Address =>
  apiAddress(callerChat(caller), thread, caller.channel);

const MAX_GOAL_FACT = 400;

/** Passes messages to the intake, and knows in which conversation a client takes part in a task. */
class Speech {
  readonly #parts: SubmissionParts;

  constructor(parts: SubmissionParts) {
    this.#parts = parts;
  }

  /** Resolves to the task to which the message belongs, once it is durable. */
  async accept(
    caller: Caller,
    saying: Omit<Saying, 'sender' | 'sentAt' | 'via'>,
    raw: unknown,
  ): Promise<string | undefined> {
    const { gw, host } = this.#parts.open;
    const { principal, channel = API } = caller;
    const isNew = caller.language !== undefined && gw.people.languages.of(principal) === undefined;
    const message = messageOf({
      ...saying,
      via: principal.channel === channel ? undefined : channel,
      sender: { user: principal.user, name: principal.name, ...(isNew && { language: caller.language }) },
      sentAt: Date.now(),
    });
    const visit: Visit = { as: principal };
    const outcome = await accept(message, raw, gw, visit).catch((error: unknown) => {
      host.handles.note(error);
      throw new RequestError(503, 'busy', say('requests.busy'));
    });
    if (visit.rate?.ok === false) throw new RequestError(429, 'too_many', say('requests.tooManyMessages'));
    if (outcome === 'answered' || outcome === 'refused')
      throw new RequestError(429, 'refused', say('requests.notAccepted'));
    return gw.tasks.conversations.get(bindingKey(principal, message.address, true))?.taskId;
  }

  filesOf(caller: Caller, refs: readonly string[]): Promise<RemoteFile[]> {
    return Promise.all(refs.map((ref) => this.#parts.fileOf(caller, ref)));
  }

  /**
   * Returns the conversation in which the client takes part in a task: its person's direct messages if these are about
   * the task, otherwise a separate one.
   */
  async placeIn(taskId: string, viber: string, caller: Caller): Promise<Address> {
    const { conversations } = this.#parts.open.gw.tasks;
    const { principal, direct, channel = API } = caller;
    const bound = conversations.bound(taskId);
    if (direct && bound.some(({ key }) => key === bindingKey(principal, direct, true))) return direct;
    const chat = callerChat(caller);
    const own = bound.find(
      ({ address }) => address.channel === channel && address.chat === chat && address.thread !== undefined,
    );
    if (own) return own.address;
    const address = callerAddress(caller, taskId);
    await conversations.bind({ key: conversationKey(address), taskId, viber, address, isDirect: true, isChosen: true });
    return address;
  }
}

export function createSubmissions(parts: SubmissionParts): Submissions {
  const { home, tasks, places } = parts.open.gw;
  const { conversations } = tasks;
  const speech = new Speech(parts);
  const checkViber = (viber: string | undefined, principal: Principal, address: Address) => {
    if (viber !== undefined && !mayChoose({ principal, address, isDirect: true }, viber, places.vibers))
      throw new RequestError(404, 'not_found', say('requests.noViberNamed', { viber }), 'viberId');
  };

  return {
    chatOf: callerChat,
    isOwn(caller, { conversations: places }) {
      const own = apiPlaces(callerChat(caller), caller.channel);
      return places.some((place) => place === own || place.startsWith(`${own}:`));
    },
    async submit(caller, id, task) {
      const { goal, context, viberId, files = [] } = task;
      const event = `${caller.id}:${id}`;
      const thread = traceOf(spoolKey(dedupeId({ id: event, address: callerAddress(caller) })));
      const address = callerAddress(caller, thread);
      checkViber(viberId, caller.principal, address);
      const { said, given } = sayingOf(task);
      const isSame = said === undefined || said.trim() === goal.trim();
      const remote = await speech.filesOf(caller, files);
      const saying = { id: event, address, text: said ?? goal, given, context, viber: viberId, files: remote };
      const facts = isSame ? [] : [`This task is about: ${goal.slice(0, MAX_GOAL_FACT)}`];
      await speech.accept(caller, { ...saying, facts }, { type: 'task:submit', id });
      const taskId = conversations.get(conversationKey(address))?.taskId;
      if (taskId === undefined) throw new RequestError(503, 'busy', say('requests.busy'));
      return { taskId, message: spoolKey(dedupeId(saying)) };
    },
    async tell(caller, id, said) {
      const { taskId, message, injectionMode, instructions, again, files = [], spoken = false } = said;
      const task = openTask(home, taskId);
      const viber = task.record()?.viber;
      if (viber === undefined) throw noTask();
      if (again !== undefined && !isOwnQuestion(task.session.run(again), message, caller.principal))
        throw wrongField('again', say('requests.notYourQuestion'));
      const remote = asSpoken(await speech.filesOf(caller, files), spoken);
      const place = await speech.placeIn(taskId, viber, caller);
      // The conversation's channel provides the files.
      const address =
        remote.length > 0 && place.channel !== (caller.channel ?? API)
          ? await speech.placeIn(taskId, viber, withoutDirect(caller))
          : place;
      const given: SuppliedContext = {
        ...(injectionMode !== undefined && { mode: injectionMode }),
        ...(instructions !== undefined && { instructions }),
        ...(again !== undefined && { again }),
      };
      // People who type on a page may use commands as in a chat, whereas programs may send any text.
      const commandsAt = caller.kind === 'session' ? callerAddress(caller, taskId) : undefined;
      const saying = { id: `${caller.id}:${id}`, address, text: message, given, files: remote, viber, commandsAt };
      await speech.accept(caller, saying, { type: 'task:message', id });
      return { taskId, ...toldOf(saying) };
    },
    async say(caller, id, { content, attachments, context, spoken = false }) {
      const refs = attachments.map((given) => (typeof given === 'string' ? given : given.ref));
      const files = asSpoken(await speech.filesOf(caller, refs), spoken);
      const address = caller.direct && files.length === 0 ? caller.direct : callerAddress(caller);
      const saying = {
        id: `${caller.id}:${id}`,
        address,
        text: content,
        context,
        files,
        commandsAt: callerAddress(caller),
      };
      const taskId = await speech.accept(caller, saying, { type: 'message', id });
      return { ...(taskId !== undefined && { taskId }), ...toldOf(saying) };
    },
  };
}

/** Recordings of a spoken message count as voice messages. */
const asSpoken = (files: readonly RemoteFile[], isSpoken: boolean): RemoteFile[] =>
  files.map((file) => (isSpoken && /^audio\//.test(file.mimeType ?? '') ? { ...file, kind: 'voice' } : file));

/** Returns the message's ID in the task, or the name of a command, which doesn't become a message there. */
function toldOf({ id, address, text, commandsAt }: Pick<Saying, 'id' | 'address' | 'text' | 'commandsAt'>): Receipt {
  const [, command] = (commandsAt && commandIn(text)) ?? [];
  return command === undefined ? { message: spoolKey(dedupeId({ id, address })) } : { command: command.toLowerCase() };
}

function sayingOf(task: Parameters<Submissions['submit']>[2]) {
  const { goal, messages, plan, artifacts, memory, instructions, project } = task;
  const last = messages.at(-1);
  const said = last?.role === 'user' ? last.text : undefined;
  const before = said === undefined ? messages : messages.slice(0, -1);
  const given: SuppliedContext = {
    goal,
    ...(before.length > 0 && { messages: before }),
    ...(plan !== undefined && { plan }),
    ...(memory !== undefined && { memory }),
    ...(instructions !== undefined && { instructions }),
    ...(project !== undefined && { project }),
    ...(artifacts && { artifacts }),
  };
  return { said, given };
}

function withoutDirect({ direct: _direct, ...caller }: Caller): Caller {
  return caller;
}
