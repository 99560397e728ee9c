/**
 * One way to drive every emulated platform, so that the same dialogue can be held on each: what people do there, what they
 * see, and what goes wrong. Behind it are the emulators; what is said here is said as that platform's people say it.
 */

/** Kim is nobody the gateway knows. */
export type Person = 'alex' | 'sam' | 'kim';

/** A private chat, a shared channel, or a thread in one. Ids as text. */
export interface Place {
  chat: string;
  thread?: string;
}

export interface SeenFile {
  id: string;
  name: string;
  size: number;
  sha256: string;
}

/** A message of the bot as a person sees it now. */
export interface Seen {
  id: string;
  text: string;
  files: SeenFile[];
  /** Labels, row by row flattened. */
  buttons: string[];
  replyTo?: string;
}

export interface GivenFile {
  name: string;
  text?: string;
  bytes?: Uint8Array;
  /** MIME type, where the platform is told one. */
  type?: string;
  /** Recorded in the app, as a voice message is; Slack may have written it down by itself. */
  voice?: { seconds: number; transcript?: string };
}

export const bytesOf = ({ bytes, text = '' }: GivenFile): Buffer => Buffer.from(bytes ?? Buffer.from(text));

export interface SayOptions {
  /** `alex` unless told. */
  by?: Person;
  mention?: boolean;
  files?: GivenFile[];
  /** The id of the message it answers. */
  replyTo?: string;
}

/** What the next sends of messages meet. */
export type SendFault =
  /** Carried out; the answer never comes. */
  | { kind: 'lost-answer'; times: number }
  | { kind: 'rate-limit'; times: number; seconds: number }
  /** Nothing is done. */
  | { kind: 'server-error'; times: number };

export interface Platform {
  /** The channel's name, as in the configuration. */
  readonly name: string;
  /** Its section under `channels:`. */
  readonly section: Record<string, unknown>;
  /** Told where the gateway's home is, before it starts. */
  startsAt?(home: string): void;
  /** The bot's own id. */
  readonly account: string;
  /** The person as `people:` names them. */
  identity(person: Person): string;
  /** The private chat of a person with the bot. */
  dm(person: Person): Place;
  /** A channel (a group) with both people and the bot. */
  readonly room: Place;
  /** Whether a mention in the room is answered in a thread of its own. */
  readonly hasThreads: boolean;
  /** Says something and gives the message's id. */
  say(place: Place, text: string, options?: SayOptions): string;
  edit(place: Place, id: string, text: string): void;
  /** Another bot says something. */
  botSays(place: Place, text: string): void;
  /** Where the answer to a mention in the room comes. */
  answerPlace(said: string): Place;
  /** Gives a command as people do there and resolves with what the person is answered first. */
  command(place: Place, name: string, args?: string, by?: Person): Promise<Seen>;
  /** Gives a goal by slash command in the room; resolves with the thread that opens. Only where `hasThreads`. */
  begin(goal: string, by?: Person): Promise<Place>;
  /** Threads of the room, oldest first. */
  threads(): Place[];
  /** Presses the newest button with this label; `stale`: on a client that has not seen an edit yet. */
  press(place: Place, label: string, by?: Person, stale?: boolean): Promise<void>;
  /** Messages of the bot, oldest first; those for one person's eyes too. */
  answers(place: Place): Seen[];
  bytes(file: SeenFile): Buffer;
  /** Everybody and everything notified by the bot's messages. */
  pings(): string[];
  /** Addresses that the platform's own servers would ask for because of what the bot has sent: previews, pictures. */
  fetched(): string[];
  fault(fault: SendFault): void;
  /** From now on the bot may send words in the room, and no files. */
  withholdFiles(): void;
  /** The whole platform is away until `false`. */
  outage(isAway: boolean): Promise<void>;
  /** Breaks the connection over which events come. */
  drop(): void;
  /** The platform delivers an event once more. */
  redeliver(id: string, place: Place): void;
  close(): Promise<void>;
}

export interface Wait {
  /** Only what comes after so many answers. */
  after?: number;
  /** Part of the text. */
  text?: string | RegExp;
  /** A name of a file in it. */
  file?: string;
  /** How many must fit; the last is given. */
  count?: number;
  timeoutMs?: number;
}

/** What is found, once it is there; the limit only guards against hanging. */
export async function until<T>(
  find: () => T | undefined | Promise<T | undefined>,
  missing: () => string,
  limitMs = 60_000,
): Promise<T> {
  const start = Date.now();
  for (;;) {
    const found = await find();
    if (found !== undefined) return found;
    const waited = Date.now() - start;
    if (waited > limitMs) throw new Error(missing());
    // It looks now and then, less often the longer it takes.
    await new Promise((resolve) => setTimeout(resolve, Math.min(10 + waited / 20, 100)));
  }
}

/** The next answer that fits, there already or to come. */
export function waitFor(platform: Platform, place: Place, wait: Wait = {}): Promise<Seen> {
  const { after = 0, count = 1, timeoutMs } = wait;
  const fits = (seen: Seen) =>
    (wait.text === undefined ||
      (typeof wait.text === 'string' ? seen.text.includes(wait.text) : wait.text.test(seen.text))) &&
    (wait.file === undefined || seen.files.some((file) => file.name === wait.file));
  const missing = () => {
    const seen = platform.answers(place).map(({ text, files }) => [text, ...files.map(({ name }) => name)].join(' | '));
    return `${platform.name}: no answer that fits ${JSON.stringify(wait)} among:\n${seen.join('\n---\n')}`;
  };
  return until(() => platform.answers(place).slice(after).filter(fits)[count - 1], missing, timeoutMs);
}

/** Says something and gives the next answer in that place. */
export async function ask(
  platform: Platform,
  place: Place,
  text: string,
  options: SayOptions & Wait = {},
): Promise<Seen> {
  const after = platform.answers(place).length;
  platform.say(place, text, options);
  return waitFor(platform, place, { after, ...options });
}

/** All that a person can learn of a question before they answer it: what is folded, or stands behind a button, as well. */
export async function wholeQuestion(platform: Platform, place: Place, asked: Seen): Promise<string> {
  if (!asked.buttons.includes('Details')) return asked.text;
  const after = platform.answers(place).length;
  await platform.press(place, 'Details');
  return `${asked.text}\n${(await waitFor(platform, place, { after, text: /expires in/ })).text}`;
}
