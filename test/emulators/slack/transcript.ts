/** A channel as a person sees it, and waiting for what should appear in it. */
import { until } from '../wait.ts';
import type { Stored } from './state.ts';
import type { ChatMessage, Ping, Transcript, Wanted } from './view.ts';
import { buttonsOf, visibleText } from './visible.ts';
import type { World } from './world.ts';

function view(stored: Stored): ChatMessage {
  return {
    ts: stored.ts,
    channel: stored.channel,
    ...(stored.threadTs !== undefined && { threadTs: stored.threadTs }),
    from: stored.byBot ? 'bot' : stored.user,
    text: stored.text,
    blocks: stored.blocks,
    shown: visibleText(stored),
    ...(stored.metadata && { metadata: stored.metadata }),
    files: stored.files.map(({ id, name, mimeType, size, sha256 }) => ({ id, name, mimeType, size, sha256 })),
    buttons: buttonsOf(stored.blocks).map(({ blockId: _block, ...button }) => button),
    edited: stored.edits > 0,
    editedCount: stored.edits,
    deleted: stored.deleted,
    ...(stored.ephemeralFor !== undefined && { ephemeralFor: stored.ephemeralFor }),
    broadcast: stored.broadcast,
    ...(stored.unfurlLinks !== undefined && { unfurlLinks: stored.unfurlLinks }),
    ...(stored.unfurlMedia !== undefined && { unfurlMedia: stored.unfurlMedia }),
    reactions: [...stored.reactions].map(([name, users]) => ({ name, users: [...users] })),
    streaming: stored.streamedAt !== undefined,
    at: stored.at,
    seq: stored.seq,
  };
}

function fitsWanted(message: ChatMessage, wanted: Wanted): boolean {
  const { text } = wanted;
  return (
    !message.deleted &&
    (wanted.channel === undefined || message.channel === wanted.channel) &&
    (wanted.thread === undefined || message.threadTs === wanted.thread) &&
    (wanted.from === undefined || message.from === wanted.from) &&
    (text === undefined || message.shown.includes(text) || message.text.includes(text)) &&
    (wanted.after === undefined || message.ts > wanted.after) &&
    (wanted.since === undefined || message.seq > wanted.since) &&
    (wanted.ephemeralFor === undefined || message.ephemeralFor === wanted.ephemeralFor) &&
    (wanted.file === undefined || message.files.some((file) => file.name === wanted.file))
  );
}

export function createTranscript(world: World, pings: Ping[]): Transcript {
  const messagesOf = (id: string) => [...(world.channels.get(id)?.messages.values() ?? [])];
  const everything = (channel?: string) =>
    channel === undefined ? [...world.channels.keys()].flatMap(messagesOf) : messagesOf(channel);

  const line = ({ from, shown, files, ephemeralFor }: ChatMessage) => {
    const who = ephemeralFor === undefined ? from : `${from} (only ${ephemeralFor})`;
    return `${who}: ${[shown, ...files.map((file) => `[${file.name}]`)].filter(Boolean).join(' ')}`;
  };
  /** Completes the error of a wait that was in vain. */
  const state = () => {
    const newest = everything()
      .sort((a, b) => a.seq - b.seq)
      .slice(-8);
    return `the newest messages are ${JSON.stringify(newest.map((stored) => `${stored.channel} ${line(view(stored))}`))}`;
  };

  function waitFor(fits: (message: ChatMessage) => boolean, timeoutMs = 60_000): Promise<ChatMessage> {
    const known = everything().find((stored) => fits(view(stored)));
    if (known) return Promise.resolve(view(known));
    return until<Stored>(world.changes, 'message', (stored) => fits(view(stored)), timeoutMs, state).then(view);
  }

  return {
    waitFor,
    lines: (id) =>
      messagesOf(id)
        .filter((stored) => !stored.deleted)
        .map((stored) => line(view(stored))),
    channel(id, { all = false } = {}) {
      const channel = world.channel(id);
      return {
        id,
        name: channel.name,
        kind: channel.kind,
        members: [...channel.members],
        archived: channel.archived,
        messages: messagesOf(id)
          .filter((stored) => all || !stored.deleted)
          .map(view),
        assistants: Object.fromEntries(channel.assistants),
      };
    },
    wait(wanted) {
      const count = wanted.count ?? 1;
      const fitting = new Set(everything(wanted.channel).filter((stored) => fitsWanted(view(stored), wanted)));
      const last = [...fitting].at(count - 1);
      if (last) return Promise.resolve(view(last));
      const fits = (stored: Stored) => {
        if (fitsWanted(view(stored), wanted)) fitting.add(stored);
        return fitting.size >= count;
      };
      return until(world.changes, 'message', fits, wanted.timeoutMs ?? 5000, state).then(view);
    },
    async changesSince(since, timeoutMs = 0) {
      const changed = () => everything().filter((stored) => stored.seq > since);
      let found = changed();
      if (found.length === 0 && timeoutMs > 0) {
        await until(world.changes, 'message', () => true, timeoutMs, state).catch(() => 'nothing has changed');
        found = changed();
      }
      return { seq: world.seq(), messages: found.sort((a, b) => a.seq - b.seq).map(view) };
    },
    onMessage(listener) {
      const look = (stored: Stored) => listener(view(stored));
      world.changes.on('message', look);
      return () => void world.changes.off('message', look);
    },
    pings: (channel) => pings.filter((ping) => channel === undefined || ping.channel === channel),
  };
}
