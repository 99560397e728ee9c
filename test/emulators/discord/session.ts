/** One gateway session: its events in order, kept until the client confirms that it has them. */
import { randomBytes } from 'node:crypto';
import type { WebSocket } from 'ws';
import { MESSAGE_CONTENT } from './intents.ts';

export interface GatewayEvent {
  name: string;
  /** The intents of which a session needs one; 0 means everybody gets it. */
  intents: number;
  /** JSON text. */
  data: string;
  /** The version for a session without MESSAGE_CONTENT. */
  redacted?: (() => string) | undefined;
}

export interface Session {
  id: string;
  seq(): number;
  take(event: GatewayEvent): void;
  /** Uses this socket from now on, and sends the events after `since` again. */
  attach(socket: WebSocket, since?: number): void;
  /** Returns false if the session has another socket by now. */
  detach(socket: WebSocket): boolean;
  isAttached(): boolean;
  /** The client has everything up to this number. */
  received(seq: number): void;
  canReplay(since: number): boolean;
  /** Events of an open socket that the client hasn't confirmed yet; a call asks it for its confirmation. */
  unconfirmed(): number;
  /** Events that no client has received. */
  waiting(): number;
  /** Holds events back although the socket is open. */
  stall(isStalled: boolean): void;
  end(): void;
}

/** The number of events that a session keeps for a resume. */
const KEEP = 10_000;
const FIRST_PAUSE_MS = 20;

/** `over` is called if nobody resumed within `resumeMs`, `dispatched` for every event that is sent. */
export function createSession(
  intents: number,
  resumeMs: number,
  over: (session: Session) => void,
  dispatched: (name: string) => void,
): Session {
  let seq = 0;
  let kept: { seq: number; name: string; text: string }[] = [];
  /** The highest number that was dropped. */
  let dropped = 0;
  let socket: WebSocket | undefined;
  let sentTo = 0;
  let isStalled = false;
  let confirmed = 0;
  /** The newest number whose confirmation was asked for, when, and when to ask again. */
  let asked = { seq: 0, at: 0, pauseMs: 0 };
  let timer: NodeJS.Timeout | undefined;

  function flush(): void {
    if (!socket || isStalled) return;
    const from = kept.findIndex((each) => each.seq > sentTo);
    if (from === -1) return;
    for (const each of kept.slice(from)) {
      socket.send(each.text);
      dispatched(each.name);
    }
    sentTo = seq;
  }

  const session: Session = {
    id: randomBytes(16).toString('hex'),
    seq: () => seq,
    take({ name, intents: needed, data, redacted }) {
      if (needed !== 0 && (intents & needed) === 0) return;
      seq += 1;
      const shown = redacted !== undefined && (intents & MESSAGE_CONTENT) === 0 ? redacted() : data;
      const text = `{"t":"${name}","s":${seq},"op":0,"d":${shown}}`;
      kept.push({ seq, name, text });
      if (kept.length > KEEP * 1.2) {
        kept = kept.slice(-KEEP);
        dropped = (kept[0]?.seq ?? 1) - 1;
      }
      if (!socket || isStalled) return;
      if (sentTo === seq - 1) {
        socket.send(text);
        dispatched(name);
        sentTo = seq;
      } else flush();
    },
    attach(next, since = 0) {
      clearTimeout(timer);
      socket?.terminate();
      socket = next;
      isStalled = false;
      sentTo = since;
      confirmed = Math.max(confirmed, since);
      asked = { seq: 0, at: 0, pauseMs: 0 };
      flush();
    },
    detach(gone) {
      if (socket !== gone) return false;
      socket = undefined;
      timer = setTimeout(() => over(session), resumeMs).unref();
      return true;
    },
    isAttached: () => socket !== undefined,
    received(upTo) {
      confirmed = Math.max(confirmed, upTo);
      const from = kept.findIndex((each) => each.seq > upTo);
      kept = from === -1 ? [] : kept.slice(from);
      dropped = Math.max(dropped, upTo);
    },
    unconfirmed() {
      if (!socket || isStalled || confirmed >= seq) return 0;
      // A client answers a request for a heartbeat at once, with the number of the newest event that it has dealt with.
      // So it is asked again, with growing pauses: it may send no more than 120 frames a minute.
      const at = performance.now();
      const isNew = asked.seq < seq;
      if (isNew || at - asked.at > asked.pauseMs) {
        asked = { seq, at, pauseMs: isNew ? FIRST_PAUSE_MS : asked.pauseMs * 2 };
        socket.send('{"op":1,"d":null,"s":null,"t":null}');
      }
      return seq - confirmed;
    },
    canReplay: (since) => since >= dropped,
    waiting: () => kept.filter((each) => each.seq > sentTo).length,
    stall(next) {
      isStalled = next;
      flush();
    },
    end() {
      clearTimeout(timer);
      socket = undefined;
    },
  };
  return session;
}
