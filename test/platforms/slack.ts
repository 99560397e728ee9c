/** Slack as its people use it. */
import { type ChatMessage, type SlackOptions, startSlack } from '../emulators/slack.ts';
import { slackFetches } from './fetches.ts';
import { bytesOf, type GivenFile, type Place, type Platform, type Seen, until } from './platform.ts';

/** A clip as Slack's apps record it. Its own words of it come later, as a rule. */
function clip({ seconds, transcript }: NonNullable<GivenFile['voice']>) {
  const preview = { content: transcript, has_more: false };
  const transcription =
    transcript === undefined ? { status: 'processing' } : { status: 'complete', locale: 'en-US', preview };
  return {
    subtype: 'slack_audio',
    media_display_type: 'audio',
    duration_ms: Math.round(seconds * 1000),
    transcription,
  };
}

const fileOf = (file: GivenFile) => ({
  ...{ name: file.voice ? 'audio_message.m4a' : file.name, bytes: bytesOf(file) },
  ...(file.voice ? { mimeType: 'audio/mp4', extra: clip(file.voice) } : {}),
  ...(file.type === undefined || file.voice ? {} : { mimeType: file.type }),
});

const seen = (message: ChatMessage): Seen => ({
  id: message.ts,
  text: message.shown,
  files: message.files.map(({ id, name, size, sha256 }) => ({ id, name, size, sha256 })),
  buttons: message.buttons.map((button) => button.label),
});

export async function slackPlatform(
  options: SlackOptions = {},
): Promise<Platform & { emulator: Awaited<ReturnType<typeof startSlack>> }> {
  const emulator = await startSlack(options);
  const ids = { alex: emulator.users.alex.id, sam: emulator.users.sam.id, kim: 'U0KIM0000' };
  emulator.addUser({ id: ids.kim, name: 'kim', realName: 'Kim' });
  emulator.join(emulator.general, ids.kim);
  const room: Place = { chat: emulator.general };
  const isIn = (place: Place) => (message: ChatMessage) =>
    place.thread === undefined
      ? message.threadTs === undefined || message.threadTs === message.ts || message.broadcast
      : message.threadTs === place.thread && message.ts !== place.thread;
  const answers = (place: Place) =>
    emulator
      .channel(place.chat)
      .messages.filter((message) => message.from === 'bot' && !message.streaming)
      .filter(isIn(place));

  const platform: Platform & { emulator: typeof emulator } = {
    emulator,
    name: 'slack',
    section: { botToken: emulator.botToken, appToken: emulator.appToken, mode: 'socket', apiRoot: emulator.url },
    account: emulator.bot.userId,
    identity: (person) => `slack:${emulator.team.id}:${ids[person]}`,
    dm: (person) => ({ chat: emulator.dmChannel(ids[person]) }),
    room,
    hasThreads: true,
    say(place, text, { by = 'alex', mention, files } = {}) {
      const said = emulator.say(place.chat, text, {
        from: ids[by],
        ...(mention ? { mention } : {}),
        ...(place.thread === undefined ? {} : { thread: place.thread }),
        ...(files ? { files: files.map(fileOf) } : {}),
      });
      return said.ts;
    },
    edit: (place, id, text) => void emulator.edit(place.chat, id, text),
    botSays: (place, text) =>
      void emulator.botSays(
        place.chat,
        `<@${emulator.bot.userId}> ${text}`,
        place.thread === undefined ? {} : { thread: place.thread },
      ),
    answerPlace: (said) => ({ ...room, thread: said }),
    async command(place, name, args = '', by = 'alex') {
      const before = new Set(answers(place).map((message) => message.ts));
      const given = { user: ids[by], channel: place.chat, text: `${name} ${args}`.trim() };
      const { id, failed } = await emulator.slash(given);
      if (failed) throw new Error(`/viber ${name} was not acknowledged`);
      const answered = async (): Promise<Seen | undefined> => {
        const shown = answers(place).find((message) => !before.has(message.ts));
        if (shown) return seen(shown);
        const [post] = await emulator.responses(id, 0);
        return post?.result === 'ok' ? { id, text: String(post.body.text), files: [], buttons: [] } : undefined;
      };
      return until(answered, () => `/viber ${name} was not answered`);
    },
    async begin(goal, by = 'alex') {
      const known = new Set(platform.threads().map((place) => place.thread));
      await emulator.slash({ user: ids[by], channel: room.chat, text: goal });
      const opened = () => platform.threads().find((place) => !known.has(place.thread));
      return until(opened, () => 'no thread was opened');
    },
    threads: () =>
      emulator
        .channel(room.chat)
        .messages.filter((message) => message.from === 'bot' && !message.ephemeralFor)
        .filter(isIn(room))
        .map((message) => ({ ...room, thread: message.ts })),
    async press(place, label, by = 'alex', stale = false) {
      await emulator.press({ channel: place.chat, label, user: ids[by], stale });
    },
    answers: (place) => answers(place).map(seen),
    bytes: (file) => emulator.bytes(file.id),
    pings: () => emulator.pings().map((ping) => ping.who),
    fetched: () => emulator.requests().flatMap(slackFetches),
    fault(fault) {
      const { times } = fault;
      const method = 'chat.postMessage';
      if (fault.kind === 'lost-answer') emulator.fault({ method, times, kind: 'lostAnswer' });
      else if (fault.kind === 'server-error') emulator.fault({ method, times, kind: 'status', status: 502 });
      else emulator.fault({ method, times, kind: '429', retryAfter: fault.seconds });
    },
    withholdFiles: () => emulator.withholdFiles('file_uploads_disabled'),
    outage: (isAway) => emulator.outage(isAway ? 'refuse' : undefined),
    drop: () => emulator.dropSockets(),
    redeliver: () => emulator.redeliver(),
    close: () => emulator.close(),
  };
  return platform;
}
