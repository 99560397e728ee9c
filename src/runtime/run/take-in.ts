/** Turns a person's words and files into a session line. Files are fetched here, after the sender was authorised. */
import { authoriseAction } from '../../access/authorise.ts';
import { principalText } from '../../access/principal.ts';
import { filesAround, type InboundMessage, type QuotedText } from '../../channels/channel.ts';
import { crashPoint } from '../../crash-points.ts';
import type { QueueItem } from '../../engine/engine.ts';
import { addressesIn } from '../../lib/web-addresses.ts';
import { scrub } from '../../log.ts';
import { openTask, titleOf } from '../../workspace/tasks/index.ts';
import type { SessionEntry } from '../../workspace/types.ts';
import { formatUserTurn } from '../context/turn.ts';
import { abortReason } from '../contract/abort.ts';
import type { Entry } from '../contract/entry.ts';
import type { Unreadable } from '../contract/reading.ts';
import type { SaidDigest } from '../conversations/digests.ts';
import type { Gateway } from './gateway.ts';
import { hearFiles, type Transcripts } from './hear.ts';
import { type FetchedFiles, fetchFiles, type Intake } from './inbox-files.ts';
import { epochOf } from './journal.ts';
import { lookAround } from './look-around.ts';
import { type ReadDocuments, readDocuments } from './read-documents.ts';

type MessageLine = Extract<SessionEntry, { type: 'message' }>;

const SPOKEN = 'Spoken in a voice message and written down by a machine: names and numbers may be misheard';

/**
 * Returns the line with its `unheard` if the message has nothing but a voice message that couldn't be transcribed:
 * there is nothing to ask a model.
 */
export async function takeIn(sent: Intake, gw: Gateway): Promise<{ line: MessageLine; unheard?: Unreadable }> {
  const around = isWithin(sent, gw) ? await lookAround(sent, gw) : undefined;
  const given = around?.given ?? sent;
  const messages = given.items.map((item) => item.message.message);
  const files = messages.some((message) => filesAround(message).length > 0)
    ? await takeFiles(given, messages, gw)
    : NO_FILES;
  crashPoint('run:files-read');
  const { address } = messages[0] as InboundMessage;
  const digests = digestsFor(given, gw);
  const line = messageLine(given, messages, { ...files, digests, around: around?.facts ?? [] });
  addAddresses(line, given, sent);
  await nameTask(given, sent, files.heard, gw);
  // Repeating this after a crash changes nothing: the message isn't in the session yet.
  const plan = messages.findLast(({ given }) => given?.plan)?.given?.plan;
  if (plan !== undefined) await openTask(gw.home, given.task).plan.write(plan);
  given.owner?.check();
  await openTask(gw.home, given.task).session.append([{ ...line, ...epochOf(given.owner) }]);
  // After a crash before this they are shown once more.
  if (digests.length > 0) await gw.tasks.digests.shown(address, given.task.id);
  await around?.settle();
  crashPoint('run:message-written');
  const { unheard } = files.heard;
  return { line, ...(unheard && isNothingElse(messages, files.fetched) && { unheard }) };
}

interface TakenFiles {
  fetched: FetchedFiles;
  heard: Transcripts;
  read: ReadDocuments;
}

const NO_FILES: TakenFiles = {
  fetched: { files: [], problems: [] },
  heard: { words: new Map(), spoken: [], recordings: [], problems: [], unheard: undefined },
  read: { documents: [], problems: [] },
};

/** Fetches and reads the files; if the person stops the run, those that weren't are only named. */
async function takeFiles(given: Intake, messages: readonly InboundMessage[], gw: Gateway): Promise<TakenFiles> {
  const { task, intake: signal, principal } = given;
  const { home, config, places } = gw;
  async function unlessStopped<Result extends object>(work: Promise<Result>, nothing: Result, what: string) {
    try {
      return await work;
    } catch (error) {
      if (abortReason(signal) !== 'stop') throw error;
      return { ...nothing, problems: [`${what}: it was stopped.`] };
    }
  }
  const limits = { home, taskId: task.id, people: [principalText(principal)], limits: config.limits, signal };
  const fetching = fetchFiles(messages, { ...limits, channelOf: ({ address }) => places.channelOf(address) });
  const fetched = await unlessStopped(fetching, NO_FILES.fetched, 'The files were not fetched');
  const hearing = hearFiles(given, fetched.files, gw);
  const heard = await unlessStopped(hearing, NO_FILES.heard, 'The recording was not transcribed');
  const reading = readDocuments(given, fetched.files, gw);
  return { fetched, heard, read: await unlessStopped(reading, NO_FILES.read, 'The documents were not read') };
}

/** Whether a platform knows more about one of the messages than its event says, or names its thread. */
const isWithin = ({ items }: Intake, { places }: Gateway): boolean =>
  items.some(
    ({ message: { message, job } }) =>
      !job && (message.threadName !== undefined || places.channelOf(message.address)?.lookUp !== undefined),
  );

/**
 * Returns what jobs have posted here since the task was last worked on: people may be referring to it. A reply to one
 * of these posts names it itself.
 */
function digestsFor({ task, items }: Intake, { tasks: { digests } }: Gateway): SaidDigest[] {
  const { message, job } = (items[0] as QueueItem<Entry>).message;
  return job || digests.of(message) ? [] : digests.unseen(message.address, task.id);
}

const digestFact = ({ name, at, files }: SaidDigest): string => {
  const made = files.length > 0 ? `, with the files ${files.join(', ')}` : '';
  return `Quoted above: what you sent here yourself as the scheduled job ${JSON.stringify(name)} at ${new Date(at).toISOString()}${made}`;
};

/** Only the task's own people, and no guests, can allow addresses, and only those that they have typed. */
function addAddresses(line: MessageLine, { task, principal }: Intake, sent: Intake): void {
  const typed = sent.items.map((item) => item.message.message.text).join('\n');
  // Every address has a dot, except those of hosts in the same network, which have a scheme.
  const addresses = /[.:]/.test(typed) ? addressesIn(typed) : [];
  if (addresses.length > 0 && principal.role !== 'guest' && authoriseAction(principal, 'steer', task.people))
    line.addresses = addresses.map((address) => scrub(address));
}

/** An album that answers a message quotes it with each of its parts. */
const sameWords = ({ kind, from, text }: QuotedText): string => JSON.stringify([kind, from, text]);

function distinctBy<T>(all: readonly T[], keyOf: (one: T) => string): T[] {
  const seen = new Set<string>();
  return all.filter((one) => !seen.has(keyOf(one)) && seen.add(keyOf(one)));
}

const quoted = ({ name, text }: SaidDigest): QuotedText => ({ kind: 'quote', from: name, text, fromSelf: true });

const isNothingElse = (messages: readonly InboundMessage[], { files, problems }: FetchedFiles): boolean =>
  problems.length === 0 &&
  files.every(({ remote }) => remote.kind === 'voice') &&
  messages.every(({ text, quotes }) => text.trim() === '' && quotes.length === 0);

/** Names a task after the words of its first voice message rather than the file's name, and without IDs of people. */
async function nameTask(
  { task, items }: Intake,
  sent: Intake,
  { words }: Transcripts,
  { home }: Gateway,
): Promise<void> {
  const [first] = items;
  const written = sent.items[0]?.message.message.text.trim() ?? '';
  const isNamed =
    written !== '' && task.goal === written.slice(0, 4000) && first?.message.message.text.trim() !== written;
  const heard = task.goal === first?.message.message.files[0]?.name ? words.get(first.message.message) : undefined;
  const said = isNamed ? first?.message.message.text.trim() : heard;
  if (!said) return;
  await openTask(home, task).update((record) => ({ ...record, goal: said.slice(0, 4000), title: titleOf(said) }));
}

interface Parts extends TakenFiles {
  digests: readonly SaidDigest[];
  /** Facts from the platform about where the messages were written. */
  around: readonly string[];
}

function messageLine(
  { run, items, principal }: Intake,
  messages: readonly InboundMessage[],
  { fetched, heard, read, digests, around }: Parts,
): MessageLine {
  const first = items[0] as QueueItem<Entry>;
  const { principal: author, job } = first.message;
  const { sender, isDirect } = first.message.message;
  const isEdit = messages.some((message) => message.kind === 'edit');
  const words = messages
    .flatMap((message) => [message.text, heard.words.get(message) ?? ''])
    .filter(Boolean)
    .join('\n\n');
  const files = distinctBy(
    fetched.files.map(({ meta, quote }) => ({ ...meta, ...(quote && { quote }) })),
    ({ id }) => id,
  );
  const text = formatUserTurn({
    text: words,
    facts: [
      ...(isEdit ? ['This is the new text of a message sent before.'] : []),
      ...(heard.spoken.length > 0 ? [SPOKEN] : []),
      ...digests.map(digestFact),
      ...around,
      ...messages.flatMap((message) => message.facts),
      ...fetched.problems,
      ...heard.problems,
      ...read.problems,
    ],
    quotes: distinctBy([...digests.map(quoted), ...messages.flatMap((message) => message.quotes)], sameWords),
    recordings: heard.recordings,
    documents: read.documents,
    files: files.filter(({ id }) => !heard.spoken.includes(id)),
    ...(isDirect ? {} : { speaker: sender.name }),
  });
  const line: MessageLine = {
    type: 'message',
    id: first.id,
    run,
    at: first.acceptedAt,
    takenAt: new Date().toISOString(),
    text: scrub(text),
    from: { channel: author.channel, user: principalText(author), name: sender.name },
    files: files.map(({ id, title, type, ref }) => ({ id, title, type, ref })),
  };
  const own = text === words ? line.text : scrub(formatUserTurn({ text: words }));
  if (own !== line.text) line.said = own;
  if (heard.spoken.length > 0) line.spoken = heard.spoken;
  if (principal.role === 'guest') line.isGuest = true;
  if (first.message.message.via !== undefined) line.via = first.message.message.via;
  if (job && job.deliver.length > 0) line.isJob = true;
  if (!job && messages.every((message) => !message.isDirect)) line.isGroup = true;
  const before = messages.flatMap((message) => message.given?.messages ?? []);
  if (before.length > 0) line.before = before.map(({ role, text: said }) => ({ role, text: scrub(said) }));
  const again = messages.length === 1 ? messages[0]?.given?.again : undefined;
  if (again !== undefined) line.again = again;
  if (items.length > 1) line.also = items.slice(1).map((item) => item.id);
  return line;
}
