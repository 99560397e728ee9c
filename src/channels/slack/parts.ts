/** Builds the adapter's parts, which receive events, show progress and send, and connects them with each other. */
import { createLru } from '../../lib/lru.ts';
import type { Address, ChannelCallbacks, InboundMessage } from '../channel.ts';
import type { SlackApi } from './connect/api.ts';
import { Backfill } from './connect/backfill.ts';
import type { Hosts } from './connect/hosts.ts';
import { Intake } from './connect/intake.ts';
import { createMissing } from './connect/missing.ts';
import { answeringThere, createOwnChats } from './connect/own-chats.ts';
import { createPeople } from './connect/people.ts';
import { createPreviews } from './connect/previews.ts';
import { Progress } from './connect/read-cursors.ts';
import type { Identity } from './connect/setup.ts';
import type { Transport } from './connect/transport.ts';
import type { Self } from './decode/decode.ts';
import { createAssistant } from './live/assistant.ts';
import { createLive } from './live/live.ts';
import { createMarks } from './live/mark.ts';
import { ShowTask } from './live/show-task.ts';
import { createOpenThread, type OpenThreadOptions, pointTo } from './live/threads.ts';
import { LIMITS, type SlackOptions, TIMING } from './options.ts';
import { createFindPlace } from './send/find-place.ts';
import { createReadBack } from './send/read-back.ts';
import { createRespond } from './send/respond.ts';
import { createSend } from './send/send.ts';
import { createUpload } from './send/upload.ts';

/** The connection as its parts see it; filled in while connecting. */
export interface Session {
  readonly signal: AbortSignal;
  /** The bot's identity, once Slack has reported it. */
  identity?: Identity | undefined;
  self?: Self;
  callbacks?: ChannelCallbacks;
}

export interface PartsOptions {
  options: SlackOptions;
  session: Session;
  api: SlackApi;
  transport: Transport;
  hosts: Hosts;
}

export type Parts = ReturnType<typeof createParts>;

export function createParts({ options, session, api, transport, hosts }: PartsOptions) {
  const { cache, log } = options;
  const { signal } = session;
  const timing = { ...TIMING, ...options.timing };
  const self = () => session.self;
  const identity = () => session.identity;
  const recipients = createLru<string>(2000);
  const progress = new Progress(options.cursors);
  const assistant = createAssistant({ api, log });
  const respond = createRespond({ transport, hosts });
  const people = createPeople({ api, cache, log, saveMs: timing.saveMs });
  const tasks = new ShowTask({ api, assistant, self: identity, log, everyMs: timing.taskMs });
  const intake = new Intake({
    self,
    callbacks: () => session.callbacks,
    progress,
    people,
    ownChats: createOwnChats({ api, waitMs: timing.ownChatMs, log, signal }),
    assistant,
    respond,
    log,
    signal,
    backfill: () => backfill,
    language: options.language,
    previews: createPreviews({ waitMs: timing.previewMs, signal }),
    onAccepted: ({ address, sender, messageId }) => {
      if (!sender.isBot) recipients.set(chatAndThread(address), sender.user);
      if (address.thread === messageId && messageId !== '') tasks.learn(address, { kind: 'theirs' });
    },
  });
  const backfill = new Backfill({
    api,
    self,
    progress,
    log,
    signal,
    holdMs: timing.holdMs,
    accept: (message, raw) => intake.accept(message, raw),
    read: (body, me) => intake.read(body, me),
    onDropped: (kind) => session.callbacks?.onDropped(kind),
  });
  const live = createLive({
    assistant,
    mode: options.live,
    log,
    timing: timing.live,
    api,
    teamId: () => session.identity?.teamId ?? '',
    marks: createMarks({ api, log }),
    recipientOf: (address) => recipients.get(chatAndThread(address)),
  });
  return {
    people,
    intake,
    backfill,
    tasks,
    live,
    ...sendingParts({ options, session, api, transport, hosts }, { respond, progress, tasks }),
    lookUp: createMissing({ api, self, people, log }),
  };
}

interface Receiving {
  respond: ReturnType<typeof createRespond>;
  progress: Progress;
  tasks: ShowTask;
}

function sendingParts(
  { options, session, api, transport, hosts }: PartsOptions,
  { respond, progress, tasks }: Receiving,
) {
  const { log, command } = options;
  const identity = () => session.identity;
  const botOf = () => session.identity ?? { userId: '', botId: '' };
  const readBack = createReadBack({ api, skewMs: transport.skewMs, self: botOf });
  const send = createSend({
    api,
    readBack,
    upload: createUpload({ api, transport, hosts, onShared: readBack.arrived }),
    respond,
    limits: LIMITS,
    command,
    log,
    botName: () => session.identity?.name || 'viber',
    onDigest: (chat, ts) => progress.opened(chat, ts),
  });
  const onOpened: OpenThreadOptions['onOpened'] = (address, root, key) =>
    tasks.learn(address, { kind: 'ours', root, key });
  return {
    send: answeringThere(send),
    openThread: createOpenThread({ api, readBack, respond, progress, identity, log, onOpened }),
    pointTo: (message: InboundMessage, thread: string) => pointTo(message, thread, { identity, respond, log }),
    findPlace: createFindPlace({ api, identity }),
  };
}

function chatAndThread({ chat, thread }: Address): string {
  return `${chat}:${thread ?? ''}`;
}
