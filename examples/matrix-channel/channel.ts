/**
 * A channel for Matrix, over the client-server API. Invariants: the position in the stream of events never passes one
 * that isn't durable (`sync.ts`); an event is sent once, under the ledger's key (`send.ts`); encrypted rooms are refused
 * in a sentence (`invitations.ts`).
 */
import {
  type Channel,
  type ChannelCallbacks,
  type ChannelHost,
  type ChannelLimits,
  createBackoff,
  createChannelState,
  createDownload,
  createStatus,
  type Place,
  sleep,
} from 'openviber-gateway/plugin';
import { CLIENT, createApi, MatrixError } from './api.ts';
import { CHANNEL } from './decode.ts';
import { createIntake } from './intake.ts';
import { createLiveCalls, TYPING_MS } from './live.ts';
import { lookUp } from './look-up.ts';
import { MAX_TEXT } from './render.ts';
import { createSender, toDeliveryError } from './send.ts';
import { aroundIn, beginSession, type Session, wrongSetting } from './session.ts';
import { beginSync, runSync } from './sync.ts';

const MEGABYTE = 1024 * 1024;
/** Until the homeserver has said how much it takes. */
const UPLOAD_BYTES = 50 * MEGABYTE;
const DOWNLOAD_BYTES = 100 * MEGABYTE;

export interface Timing {
  /** How long the homeserver holds a poll without events. */
  pollMs: number;
  backoffMs: { min: number; max: number };
}

const TIMING: Timing = { pollMs: 30_000, backoffMs: { min: 1_000, max: 60_000 } };
const LIVE = {
  ...{ typingAfter: 400, typingEvery: TYPING_MS, statusAfter: 3_000, statusEvery: 5_000, textEvery: 3_000 },
  ...{ longRun: 30_000, late: 1_500 },
};

export interface MatrixOptions {
  /** The homeserver's base URL without a slash at the end. */
  homeserver: string;
  token: string;
  /** Returns whether the bot follows this person's invitation to a room. */
  mayInvite(user: string, room: string): boolean;
  host: Pick<ChannelHost, 'cache' | 'lead' | 'live' | 'log' | 'nameOf'> & { language?: string };
  timing?: Partial<Timing>;
}

const ENCRYPTED: Readonly<Record<string, string>> = {
  en: "I can't read encrypted messages: please make a room without encryption and invite me there.",
  es: 'No puedo leer mensajes cifrados: crea una sala sin cifrado e invítame allí.',
  de: 'Verschlüsselte Nachrichten kann ich nicht lesen: Bitte leg einen Raum ohne Verschlüsselung an und lade mich dorthin ein.',
};

/** While the homeserver is away, `connect` keeps trying. It throws ConfigError for a token that isn't accepted. */
export function createMatrixChannel(options: MatrixOptions): Channel {
  const { host } = options;
  const { log } = host;
  const timing = { ...TIMING, ...options.timing };
  const api = createApi(options);
  const stopping = new AbortController();
  const limits: ChannelLimits = { text: MAX_TEXT, uploadBytes: UPLOAD_BYTES, downloadBytes: DOWNLOAD_BYTES };
  let session: Session | undefined;
  let callbacks: ChannelCallbacks | undefined;
  let stopSync: (() => Promise<void>) | undefined;
  const self = () => session?.self ?? '';
  const state = createChannelState(CHANNEL, log, () => callbacks?.onStatus());
  const sender = createSender({ api, self, uploadBytes: () => limits.uploadBytes, log });
  const live = createStatus({
    calls: createLiveCalls(api, self, sender.put, log),
    ...{ mode: host.live, timing: LIVE, maxText: 4_000 },
    pace: ({ chat }) => ({ key: chat, gapMs: 3_000 }),
  });
  const intake = createIntake(api, host);

  /** Repeats the call until it succeeds or the token proves wrong; undefined when stopped before. */
  async function persist<T>(call: () => Promise<T>): Promise<T | undefined> {
    const backoff = createBackoff(timing.backoffMs.min, timing.backoffMs.max);
    while (!stopping.signal.aborted) {
      try {
        return await call();
      } catch (error) {
        if (!(error instanceof MatrixError)) throw error;
        if (stopping.signal.aborted) break;
        const problem = wrongSetting(error);
        if (problem) {
          state.set({ state: 'failed', detail: problem.message });
          throw problem;
        }
        state.set({ state: 'reconnecting', detail: error.message });
        await sleep(error.retryAfterMs ?? backoff.next(), stopping.signal);
      }
    }
    return undefined;
  }

  const begin = () =>
    beginSession(api, {
      ...{ put: sender.put, log, mayInvite: options.mayInvite, signal: stopping.signal, backoffMs: timing.backoffMs },
      encrypted: ENCRYPTED[host.language ?? 'en'] ?? ENCRYPTED.en ?? '',
    });

  async function findPlace({ chat, thread }: { chat: string; thread?: string }): Promise<Place | undefined> {
    if (!session || !chat.startsWith('!')) return undefined;
    try {
      const { joined_rooms } = await api.call('GET', [...CLIENT, 'joined_rooms']);
      if (!Array.isArray(joined_rooms) || !joined_rooms.includes(chat)) return undefined;
      const address = { channel: CHANNEL, account: session.self, chat, ...(thread !== undefined && { thread }) };
      const user = session.rooms.personOf(chat);
      const isOne = await session.rooms.isDirect(chat);
      return isOne && user !== undefined ? { address, isDirect: true, user } : { address, isDirect: false };
    } catch (error) {
      throw error instanceof MatrixError ? toDeliveryError(error) : error;
    }
  }

  return {
    id: CHANNEL,
    limits,
    isExact: true,
    get account() {
      return self();
    },
    status: state.get,
    async connect(given, { sendOnly = false } = {}) {
      callbacks = given;
      state.set({ state: 'connecting' });
      const begun = await persist(begin);
      if (!begun) return;
      session = begun;
      limits.uploadBytes = begun.uploadBytes ?? UPLOAD_BYTES;
      if (!sendOnly) {
        const isBegun = await persist(async () => {
          await beginSync({ api, self: begun.self, cache: host.cache }, stopping.signal);
          return true;
        });
        if (!isBegun) return;
        stopSync = host.lead(`${CHANNEL}:${begun.self}`, (turn) =>
          runSync({
            api,
            ...begun,
            cache: host.cache,
            log,
            turn,
            timing,
            onStatus: state.set,
            take: intake(begun, given),
          }),
        );
      }
      state.set({ state: 'connected' });
    },
    async disconnect() {
      stopping.abort();
      live.close();
      await stopSync?.();
      await session?.invitations.ended();
      state.set({ state: 'off' });
    },
    send: sender.send,
    download: createDownload({
      platform: 'Matrix',
      maxBytes: DOWNLOAD_BYTES,
      async begin(transfer) {
        const [, server = '', media = ''] = /^mxc:\/\/([^/]+)\/([^/]+)$/.exec(transfer.file.id) ?? [];
        const response = await api
          .bytes(['_matrix', 'client', 'v1', 'media', 'download', server, media], transfer.signal)
          .catch((error: unknown) => {
            throw transfer.broken(error);
          });
        if (response.status === 404) throw transfer.gone();
        if (response.status === 502 && (await response.text()).includes('M_TOO_LARGE')) throw transfer.tooLarge();
        if (!response.ok) throw transfer.broken(`status ${response.status}`);
        return transfer.body(response);
      },
    }),
    async lookUp(message, { thread }, signal) {
      if (!session) return { message, problems: [] };
      const around = aroundIn(session, host, message.address.chat, message.isDirect);
      return lookUp(api, { message, thread, around }, signal);
    },
    stream: async (event, address, view) => live.event(event, address, view),
    livePace: live.pace,
    endStream: (runId, address, isAnswered) => live.end(runId, address, isAnswered),
    // The message is the root of its thread: there is nothing to open.
    openThread: async ({ address, messageId }) => ({ ...address, thread: messageId }),
    async directTo(user, { channel, account }) {
      const chat = session?.rooms.directRoomOf(user);
      return chat === undefined ? undefined : { channel, account, chat };
    },
    findPlace,
  };
}
