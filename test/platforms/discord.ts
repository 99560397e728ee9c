/** Discord as its people use it. */
import { type ChatMessage, type DiscordOptions, startDiscord, TEST_PEOPLE } from '../emulators/discord.ts';
import { discordFetches } from './fetches.ts';
import { bytesOf, type GivenFile, type Person, type Place, type Platform, type Seen, until } from './platform.ts';

const IDS: Record<Person, string> = { alex: TEST_PEOPLE.alex, sam: TEST_PEOPLE.bea, kim: TEST_PEOPLE.carl };
const LOADING = 128;

const fileOf = (file: GivenFile) => ({
  ...{ name: file.voice ? 'voice-message.ogg' : file.name, base64: bytesOf(file).toString('base64') },
  ...(file.voice ? { contentType: 'audio/ogg', duration: file.voice.seconds, waveform: 'AAAAAAAAAAAA' } : {}),
  ...(file.type === undefined || file.voice ? {} : { contentType: file.type }),
});

const seen = (message: ChatMessage): Seen => ({
  id: message.id,
  text: message.text,
  files: message.files.map(({ id, name, size, sha256 }) => ({ id, name, size, sha256 })),
  buttons: message.buttons.flat().map((button) => button.label),
  ...(message.replyTo === null ? {} : { replyTo: message.replyTo }),
});

interface Option {
  type: number;
  name: string;
  options?: Option[];
}

export async function discordPlatform(
  options: DiscordOptions = {},
): Promise<Platform & { emulator: Awaited<ReturnType<typeof startDiscord>> }> {
  const emulator = await startDiscord(options);
  const room: Place = { chat: emulator.rooms.general };
  const dms = new Map((['alex', 'sam', 'kim'] as const).map((person) => [person, emulator.openDm(IDS[person])]));
  const channelOf = (place: Place) => place.thread ?? place.chat;

  const isThere = (place: Place) => emulator.channels().some((channel) => channel.id === channelOf(place));

  /** Commands are offered once the bot has registered them. */
  const offered = () =>
    until(
      () => emulator.commands()[0],
      () => 'no command was registered',
    );

  /** Where a person finds a command in the menu, and the option that it takes there. */
  function entryOf(name: string, args: string) {
    const [viber] = emulator.commands() as { options?: Option[] }[];
    const top = viber?.options ?? [];
    const alone = top.find((each) => each.type === 1 && each.name === name);
    if (alone) return { subcommand: name, option: alone.options?.[0]?.name, args };
    const verb = args.split(' ')[0] ?? '';
    for (const group of top.filter(({ type }) => type === 2)) {
      const isGroup = group.name === name;
      const wanted = isGroup ? ['new', verb, 'search'] : [name];
      const found = wanted.map((each) => group.options?.find((option) => option.name === each)).find(Boolean);
      if (!found) continue;
      const rest = isGroup && found.name === verb ? args.slice(verb.length).trim() : args;
      return { subcommandGroup: group.name, subcommand: found.name, option: found.options?.[0]?.name, args: rest };
    }
    return { subcommand: name, option: undefined, args };
  }

  const platform: Platform & { emulator: typeof emulator } = {
    emulator,
    name: 'discord',
    section: { token: emulator.token, apiRoot: emulator.url, cdnRoot: emulator.cdn, guilds: [emulator.guildId] },
    account: emulator.bot.id,
    identity: (person) => `discord:${IDS[person]}`,
    dm: (person) => ({ chat: dms.get(person) ?? '' }),
    room,
    hasThreads: true,
    say(place, text, { by = 'alex', mention, files, replyTo } = {}) {
      const said = emulator.say(channelOf(place), text, {
        from: IDS[by],
        ...(mention ? { mention } : {}),
        ...(files ? { attachments: files.map(fileOf) } : {}),
        ...(files?.some(({ voice }) => voice) ? { flags: 8192 } : {}),
        ...(replyTo === undefined ? {} : { replyTo }),
      });
      return said.id;
    },
    edit: (place, id, text) => void emulator.edit(channelOf(place), id, text),
    botSays(place, text) {
      const other = emulator.person({ username: 'other', isBot: true });
      emulator.say(channelOf(place), text, { from: other.id, mention: true });
    },
    answerPlace: (said) => ({ ...room, thread: said }),
    async command(place, name, args = '', by = 'alex') {
      await offered();
      const { option = 'value', args: words, ...entry } = entryOf(name, args);
      const given = words === '' ? {} : { options: { [option]: words } };
      const { id } = await emulator.slash({ channel: channelOf(place), user: IDS[by], ...entry, ...given });
      const { response } = await emulator.answered(id);
      if (!response) throw new Error(`/viber ${name} was not answered`);
      return seen(response);
    },
    async begin(goal, by = 'alex') {
      await offered();
      const known = new Set(emulator.threads(room.chat).map((thread) => thread.id));
      await emulator.slash({
        channel: room.chat,
        user: IDS[by],
        subcommandGroup: 'task',
        subcommand: 'new',
        options: { goal },
      });
      const opened = () => emulator.threads(room.chat).find((each) => !known.has(each.id));
      return { ...room, thread: (await until(opened, () => 'no thread was opened')).id };
    },
    threads: () => emulator.threads(room.chat).map((thread) => ({ ...room, thread: thread.id })),
    async press(place, label, by = 'alex', stale = false) {
      await emulator.press({ channel: channelOf(place), label, user: IDS[by], stale });
    },
    answers: (place) =>
      // A thread may still be to come.
      (isThere(place) ? emulator.channel(channelOf(place)).messages : [])
        .filter((message) => message.from === 'bot' && !message.isSystem && (message.flags & LOADING) === 0)
        .map(seen),
    bytes: (file) => emulator.bytes(file.id),
    pings: () =>
      emulator.pings().flatMap((ping) => [...(ping.everyone ? ['everyone'] : []), ...ping.users, ...ping.roles]),
    fetched: () => emulator.requests().flatMap(discordFetches),
    fault(fault) {
      const common = { method: 'POST', path: '/channels/:id/messages', times: fault.times };
      if (fault.kind === 'lost-answer') emulator.fault({ ...common, kind: 'lostAnswer' });
      else if (fault.kind === 'server-error') emulator.fault({ ...common, kind: 'status', status: 502 });
      else emulator.fault({ ...common, kind: 'status', status: 429, retryAfter: fault.seconds });
    },
    withholdFiles: () => emulator.deny(room.chat, ['AttachFiles']),
    outage: (isAway) => emulator.outage(isAway ? 'refuse' : undefined),
    drop: () => emulator.dropGateway(),
    redeliver: (id) => emulator.redeliver(id),
    close: () => emulator.close(),
  };
  return platform;
}
