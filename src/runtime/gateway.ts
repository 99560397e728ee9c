/**
 * The door: every event of every channel enters here (DESIGN section 1). Authorise, decide what it is and which task it
 * belongs to, make it durable; only then may the platform be told. Nothing here waits for a model.
 */
import { type AccessRules, authoriseEntry } from '../access/authorise.ts';
import type { RateLimiter } from '../access/limits.ts';
import type { Pairing } from '../access/pairing.ts';
import type { People } from '../access/people.ts';
import { identityText, type Principal } from '../access/principal.ts';
import {
  type Address,
  conversationKey,
  type InboundMessage,
  type InboundOutcome,
  type Suggestion,
  type SuggestQuery,
} from '../channels/channel.ts';
import type { Queue } from '../engine/engine.ts';
import { spoolKey } from '../engine/local/spool.ts';
import { createChanges } from '../lib/keyed-mutex.ts';
import { createLru } from '../lib/lru.ts';
import type { Logger } from '../log.ts';
import type { Metrics } from '../metrics.ts';
import { newTaskId } from '../workspace/tasks.ts';
import { type InjectionMode, saysStop, spoken } from './commands/injection.ts';
import { findCommand, HELP_HINT } from './commands/table.ts';
import { commandLane, dedupeId, type Entry, shareOf, taskLane, traceOf, type Visit } from './contract/entry.ts';
import { bindingKey, type Conversations, follow } from './conversations/conversations.ts';
import { refuseTooMuch } from './intake/rate-limit.ts';
import type { Buttons } from './reply/buttons.ts';

/** How long an album's parts may be apart. */
const GROUP_SETTLE_MS = 600;

export interface GatewayOptions {
  queue: Queue<Entry>;
  conversations: Conversations;
  people: People;
  pairing: Pairing;
  limiter: RateLimiter;
  buttons: Buttons;
  metrics: Metrics;
  log: Logger;
  /** The viber that serves a channel's conversations. */
  viber: string;
  maxQueue: number;
  rulesOf: (address: Address) => AccessRules;
  /** The words of a message accepted before, by its spool key; undefined when it is not known (any more). */
  textOf: (key: string) => string | undefined;
  /** A short answer to a message outside any task, through the outbox. */
  reply: (message: InboundMessage, text: string, trace: string) => Promise<void>;
  /** A short answer to somebody who was not let in: sent once, nothing stored. */
  sendOnce: (message: InboundMessage, text: string) => void;
  /** An owner wrote in a direct message: where pairing questions may be sent. */
  onOwner: (principal: Principal, address: Address) => void;
  /** A stranger was given a code. */
  onPairing: (code: string, principal: Principal) => void;
  /** The task an id typed by a person means, if it exists and they may see it. */
  resolveTask: (text: string, message: InboundMessage, principal: Principal) => Promise<string | undefined>;
  /** A stranger entered the code of an account that is known: what to tell them, undefined when that is nothing. */
  redeem: (code: string, principal: Principal) => string | undefined;
  suggest: (query: SuggestQuery, principal: Principal, taskId: string | undefined) => Promise<Suggestion[]>;
  /** What becomes of a message that finds its task at work. */
  modeOf: (address: Address) => InjectionMode;
  /** One of the task's people, or an owner (T4); undefined while the task has no record. */
  mayJoin: (taskId: string, principal: Principal) => boolean | undefined;
}

export interface Gateway {
  /** Resolves when the message is durable, refused or a duplicate. Rejects when it could not be stored, or with what went wrong. */
  accept(message: InboundMessage, raw: unknown, visit?: Visit): Promise<InboundOutcome>;
  /** What fits an argument that is being typed; [] for people who may not ask. Never rejects. */
  suggest(query: SuggestQuery): Promise<Suggestion[]>;
}

export function createGateway(options: GatewayOptions): Gateway {
  const { queue, conversations, metrics, log } = options;
  const changes = createChanges();
  /** Who has begun the newest tasks: known here before their records tell. */
  const beginners = createLru<string>(1_000);

  function principalOf(message: Pick<InboundMessage, 'address' | 'sender'>, via: string) {
    const { channel, account, workspace } = message.address;
    const { user, name } = message.sender;
    return options.people.resolve({
      ...{ channel, account, user, name, via },
      ...(workspace === undefined ? {} : { workspace }),
    });
  }

  /** Tells a stranger what there is to tell, if anything. */
  function refuse(message: InboundMessage, principal: Principal, reason: string, pair: boolean): InboundOutcome {
    metrics.count('viber_inbound_total', { channel: message.address.channel, outcome: reason });
    log.debug({ channel: message.address.channel, reason }, 'event refused');
    // The second account of somebody who is known comes in with a code of the first.
    if (reason === 'stranger' && message.command?.name === 'link' && message.command.args !== '') {
      const answer = options.redeem(message.command.args, principal);
      if (answer !== undefined) {
        options.sendOnce(message, answer);
        return 'answered';
      }
    }
    if (!pair || message.kind === 'edit' || message.kind === 'membership') return 'refused';
    const who = { identity: identityText(principal), channel: principal.channel, name: principal.name };
    const code = options.pairing.request({ ...who, address: message.address }, Date.now());
    if (code === undefined) return 'refused';
    const text =
      `Hello! I work for somebody else. If you know them, give them this code: ${code}\n` +
      'They let you in with `viber pair approve` and the code. It is valid for 1 hour.';
    options.sendOnce(message, text);
    options.onPairing(code, principal);
    return 'answered';
  }

  /** A short answer outside any task. */
  function notice(message: InboundMessage, text: string): Promise<void> {
    return options.reply(message, text, traceOf(spoolKey(dedupeId(message))));
  }

  /** Binds the conversation to a task; in force at once. */
  function bind(key: string, { address, isDirect }: InboundMessage, taskId: string): Promise<void> {
    return conversations.bind({ key, taskId, viber: options.viber, address, isDirect });
  }

  async function store(message: InboundMessage, entry: Entry, raw: unknown): Promise<InboundOutcome> {
    const lane = entry.command ? commandLane(message.address) : taskLane(entry.taskId);
    const trace = traceOf(spoolKey(dedupeId(message)));
    if (queue.depth(lane) >= options.maxQueue) {
      metrics.count('viber_inbound_total', { channel: message.address.channel, outcome: 'queue-full' });
      const text = `I did not take this message: ${options.maxQueue} are waiting already. Send it again later, or /stop first.`;
      await options.reply(message, text, trace);
      return 'answered';
    }
    const group = message.group === undefined ? {} : { group: message.group, notBefore: Date.now() + GROUP_SETTLE_MS };
    const outcome = await queue.enqueue(lane, entry, {
      dedupeId: dedupeId(message),
      by: shareOf(entry),
      raw,
      ...group,
    });
    const steer = () => queue.signal(lane, 'steer');
    // An album steers once it is whole.
    if (entry.mode === 'steer' && message.group !== undefined) setTimeout(steer, GROUP_SETTLE_MS + 20).unref();
    else if (entry.mode === 'steer') steer();
    metrics.count('viber_inbound_total', { channel: message.address.channel, outcome });
    log.info({ trace, channel: message.address.channel, task: entry.taskId, kind: message.kind }, outcome);
    return outcome === 'duplicate' ? 'duplicate' : 'accepted';
  }

  /**
   * For plain messages the queue finds out by itself; others have effects of their own before they get there, and what is counted
   * is not counted twice.
   */
  function again(message: InboundMessage, isCounted: boolean): Promise<InboundOutcome> | undefined {
    if (!isCounted && !message.command && !message.button && !message.opensThread) return undefined;
    return queue.seen(dedupeId(message))?.then(() => {
      metrics.count('viber_inbound_total', { channel: message.address.channel, outcome: 'duplicate' });
      return 'duplicate';
    });
  }

  /**
   * Commands that move the conversation to another task take effect here, before anything that follows them is looked at:
   * the new binding is durable first, then the command itself.
   */
  async function acceptBinding(
    key: string,
    message: InboundMessage,
    entry: Entry,
    raw: unknown,
  ): Promise<InboundOutcome> {
    const args = entry.command?.args.trim() ?? '';
    const isNew = entry.command?.name === 'new';
    // Where every task has its thread, only a goal begins one.
    if (isNew && args === '' && message.opensThread) return await store(message, entry, raw);
    const taskId = isNew ? newTaskId(new Date()) : await options.resolveTask(args, message, entry.principal);
    // Where every task has a thread of its own, that thread is bound once it is there.
    if (taskId !== undefined && !message.opensThread) await bind(key, message, taskId);
    const bound: Entry = { ...entry, taskId: taskId ?? entry.taskId };
    if (taskId !== undefined) bound.moves = true;
    // `/new GOAL` is the first message of the new task.
    if (isNew && args !== '') delete bound.command;
    return await store(message, bound.command ? bound : { ...bound, message: { ...message, text: args } }, raw);
  }

  return {
    async accept(original, raw, visit = {}) {
      let message = original;
      const { principal, isKnown } = principalOf(message, message.kind);
      const key = bindingKey(principal, message.address, message.isDirect);
      const decision = authoriseEntry(principal, {
        rules: options.rulesOf(message.address),
        isKnown,
        isDirect: message.isDirect,
        // The platform's own news of a listed group needs nobody to address us; nor does a thread in which a task lives.
        isMention:
          message.isMention ||
          message.kind === 'migration' ||
          (message.isThread === true && conversations.get(key) !== undefined),
        isCommand: message.command !== undefined,
        isButton: message.button !== undefined,
        isBot: message.sender.isBot,
        chat: message.address.chat,
      });
      visit.sender = decision.allow ? principal : 'refused';
      if (!decision.allow) return refuse(message, principal, decision.reason, decision.pair);
      if (message.kind === 'membership') return 'accepted';
      const isCounted = principal.role !== 'owner';
      const before = again(original, isCounted);
      if (before) return before;
      // Platforms tell of an edit also when only a link's preview has come.
      if (message.editOf !== undefined && options.textOf(spoolKey(dedupeId(message, message.editOf))) === message.text)
        return 'duplicate';
      if (message.kind === 'migration') {
        await follow(conversations, message, log);
        return 'accepted';
      }
      if (!isCounted && message.isDirect) options.onOwner(principal, message.address);
      // Owners could change the limit; everybody else meets it.
      const tooMuch =
        isCounted && !visit.isCounted ? await refuseTooMuch(message, principal, options, notice) : undefined;
      visit.isCounted = true;
      if (tooMuch) return tooMuch;
      if (message.button) {
        const action = await options.buttons.press(message.button.id, message.address);
        if (!action) {
          await notice(message, `That button is no longer valid. ${HELP_HINT}`);
          return 'answered';
        }
        message =
          'say' in action
            ? { ...message, text: action.say }
            : { ...message, command: { name: action.command, args: action.args } };
      }
      const spec = message.command && findCommand(message.command.name);
      const said = spoken(message, spec);
      if (said) message = said.message;
      let command = message.command;
      // A bare command that is not ours belongs to another bot of the group.
      if (command && !spec && !message.isDirect && !message.isMention) return 'refused';
      for (let change = changes.of(key); change; change = changes.of(key)) await change;
      // What was being changed may have been the same event's.
      const meanwhile = again(original, false);
      if (meanwhile) return meanwhile;
      // A message that begins a thread begins a task; commands look at what is here.
      const begins = message.opensThread === true && (!command || spec?.begins === true);
      const current = begins ? undefined : conversations.get(key);
      const taskId = current?.taskId ?? newTaskId(new Date());
      if (!current) beginners.set(taskId, identityText(principal));
      const hasBegun = message.isDirect || beginners.get(taskId) === identityText(principal);
      const mayJoin = options.mayJoin(taskId, principal) ?? hasBegun;
      if (!command && mayJoin && saysStop(message) && queue.isBusy(taskLane(taskId)))
        command = { name: 'stop', args: '' };
      const entry: Entry = { message, principal, viber: options.viber, taskId };
      const mode = said?.mode ?? options.modeOf(message.address);
      if (!command && mayJoin && mode !== 'followup') entry.mode = mode;
      if (command) entry.command = { name: spec?.name ?? command.name, args: command.args };
      // A thread is its task's: leading it to another is for those who may steer it (T4).
      if (spec?.binds && message.isThread && !message.isDirect && options.mayJoin(taskId, principal) === false) {
        await notice(message, 'This thread belongs to a task of others; only its people may lead it elsewhere.');
        return 'answered';
      }
      if (spec?.binds) return changes.make(key, () => acceptBinding(key, message, entry, raw));
      // A command alone begins nothing; a thread that is still to come is bound when it is there.
      const isElsewhere = message.opensThread && message.address.thread === undefined;
      if (!current && !command && !isElsewhere) {
        // Bound before it is stored: a crash in between must not leave two tasks to one conversation.
        return changes.make(key, async () => {
          await bind(key, message, taskId);
          return store(message, entry, raw);
        });
      }
      // Several chats may share a binding: it tells where the person was last.
      if (current && conversationKey(current.address) !== conversationKey(message.address)) {
        bind(key, message, taskId).catch((error: unknown) =>
          log.warn({ err: error }, 'a binding could not be written'),
        );
      }
      return store(message, entry, raw);
    },
    async suggest(query) {
      const { address, isDirect, sender } = query;
      const { principal, isKnown } = principalOf(query, 'command');
      const decision = authoriseEntry(principal, {
        ...{ rules: options.rulesOf(address), isKnown, isDirect, isBot: sender.isBot, chat: address.chat },
        ...{ isMention: false, isCommand: true, isButton: false },
      });
      if (!decision.allow) return [];
      try {
        const here = conversations.get(bindingKey(principal, address, isDirect));
        return await options.suggest(query, principal, here?.taskId);
      } catch (error) {
        log.warn({ err: error }, 'nothing could be suggested');
        return [];
      }
    },
  };
}
