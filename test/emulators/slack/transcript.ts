/** Shows a channel as a person sees it, and waits for what should appear in it. */
import { createWatching } from '../base/transcript.ts';
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
  const line = ({ from, shown, files, ephemeralFor }: ChatMessage) => {
    const who = ephemeralFor === undefined ? from : `${from} (only ${ephemeralFor})`;
    return `${who}: ${[shown, ...files.map((file) => `[${file.name}]`)].filter(Boolean).join(' ')}`;
  };
  const { waitForAll, ...watching } = createWatching<Stored, ChatMessage>({
    changes: world.changes,
    all: () => [...world.channels.keys()].flatMap(messagesOf),
    view,
    line: (message) => `${message.channel} ${line(message)}`,
    seq: () => world.seq(),
  });
  const shown = (id: string, all = false) =>
    messagesOf(id)
      .filter((stored) => all || !stored.deleted)
      .map(view);

  return {
    ...watching,
    lines: (id) => shown(id).map(line),
    channel(id, { all } = {}) {
      const { name, kind, members, archived, assistants } = world.channel(id);
      const about = { id, name, kind, members: [...members], archived };
      return { ...about, messages: shown(id, all), assistants: Object.fromEntries(assistants) };
    },
    wait: (wanted) => waitForAll((message) => fitsWanted(message, wanted), wanted.count, wanted.timeoutMs),
    pings: (channel) => pings.filter((ping) => channel === undefined || ping.channel === channel),
  };
}
