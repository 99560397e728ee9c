/** Telegram as its people use it. */
import { type ChatMessage, startTelegram, type TelegramOptions } from '../emulators/telegram.ts';
import { telegramFetches } from './fetches.ts';
import { ask, bytesOf, type GivenFile, type Place, type Platform, type Seen } from './platform.ts';

const IDS = { alex: 1001, sam: 1002, kim: 6666 };
const OTHER_BOT = 1_900_000_001;
const ROOM = -100_500;

const fileOf = (file: GivenFile) => ({
  ...{ name: file.voice ? '' : file.name, bytes: bytesOf(file) },
  ...(file.voice ? { kind: 'voice' as const } : {}),
  ...(file.type === undefined ? {} : { mimeType: file.type }),
});

const seen = (message: ChatMessage): Seen => ({
  id: String(message.id),
  text: message.text,
  files: message.files.map(({ fileId, name, size, sha256 }) => ({ id: fileId, name, size, sha256 })),
  buttons: message.buttons.flat().map((button) => button.text),
  ...(message.replyTo === undefined ? {} : { replyTo: String(message.replyTo) }),
});

export async function telegramPlatform(
  options: TelegramOptions = {},
): Promise<Platform & { emulator: Awaited<ReturnType<typeof startTelegram>> }> {
  const emulator = await startTelegram(options);
  emulator.addUser({ id: IDS.alex, first_name: 'Alex' });
  emulator.addUser({ id: IDS.sam, first_name: 'Sam' });
  emulator.addUser({ id: IDS.kim, first_name: 'Kim' });
  emulator.addUser({ id: OTHER_BOT, first_name: 'Other', is_bot: true, username: 'other_bot' });
  emulator.addChat({ id: ROOM, type: 'supergroup', title: 'Team' }, { members: [...Object.values(IDS), OTHER_BOT] });
  const username = emulator.bot.username;
  const chatOf = (place: Place) => Number(place.chat);

  const platform: Platform & { emulator: typeof emulator } = {
    emulator,
    name: 'telegram',
    section: { token: emulator.token, apiRoot: emulator.url, pollSeconds: 5 },
    account: String(emulator.bot.id),
    identity: (person) => `telegram:${IDS[person]}`,
    dm: (person) => ({ chat: String(IDS[person]) }),
    room: { chat: String(ROOM) },
    hasThreads: false,
    say(place, words, { by = 'alex', mention, files = [], replyTo } = {}) {
      const text = mention ? `@${username} ${words}` : words;
      const common = { from: IDS[by], ...(replyTo === undefined ? {} : { replyTo: Number(replyTo) }) };
      const chat = chatOf(place);
      if (files.length === 0) return String(emulator.say(chat, { ...common, text }).message_id);
      const [first] =
        files.length > 1
          ? emulator.sendAlbum(chat, files.map(fileOf), { ...common, caption: text })
          : [emulator.sendFile(chat, { ...common, ...files.map(fileOf)[0], caption: text })];
      return String(first?.message_id);
    },
    edit: (place, id, text) => void emulator.edit(chatOf(place), Number(id), text),
    botSays: (place, text) => void emulator.say(chatOf(place), { from: OTHER_BOT, text: `@${username} ${text}` }),
    answerPlace: () => platform.room,
    command(place, name, args = '', by = 'alex') {
      const command = place.chat === platform.room.chat ? `/${name}@${username}` : `/${name}`;
      return ask(platform, place, `${command} ${args}`.trim(), { by });
    },
    begin: () => Promise.reject(new Error('Telegram groups have no thread for each task')),
    threads: () => [],
    async press(place, label, by = 'alex', stale = false) {
      emulator.press(chatOf(place), label, { from: IDS[by], stale });
    },
    answers: (place) =>
      emulator
        .chat(chatOf(place))
        .messages.filter((message) => message.from === 'bot')
        .map(seen),
    bytes: (file) => emulator.bytes(file.id),
    pings: () => [],
    fetched: () => emulator.requests().flatMap(telegramFetches),
    fault(fault) {
      const { times } = fault;
      for (const method of ['sendMessage', 'sendRichMessage', 'sendDocument']) {
        if (fault.kind === 'lost-answer') emulator.fault({ method, times, kind: 'reset-after' });
        else if (fault.kind === 'server-error') emulator.fault({ method, times, kind: 'status', status: 502 });
        else emulator.fault({ method, times, kind: 'status', retryAfter: fault.seconds });
      }
    },
    withholdFiles: () => emulator.withhold(ROOM, ['photo', 'document']),
    outage: (isAway) => emulator.outage(isAway ? 'refuse' : undefined),
    drop: () => emulator.fault({ method: 'getUpdates', kind: 'reset-before' }),
    redeliver() {
      throw new Error('Telegram repeats what was not confirmed by itself');
    },
    close: () => emulator.close(),
  };
  return platform;
}
