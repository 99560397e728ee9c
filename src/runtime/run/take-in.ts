/** Turns a person's words and files into a session line. Files are fetched here, after the sender was authorised. */
import { authoriseAction } from '../../access/authorise.ts';
import { principalText } from '../../access/principal.ts';
import { type Address, filesAround, type QuotedText } from '../../channels/channel.ts';
import { crashPoint } from '../../crash-points.ts';
import type { QueueItem } from '../../engine/engine.ts';
import { addressesIn } from '../../lib/web-addresses.ts';
import { scrub } from '../../log.ts';
import { openTask, titleOf } from '../../workspace/tasks/index.ts';
import type { SessionEntry } from '../../workspace/types.ts';
import { formatUserTurn } from '../context/context.ts';
import { abortReason } from '../contract/abort.ts';
import type { Entry } from '../contract/entry.ts';
import type { Unreadable } from '../contract/reading.ts';
import type { SaidDigest } from '../conversations/digests.ts';
import type { Gateway } from './gateway.ts';
import { hearFiles, type Transcripts } from './hear.ts';
import { type FetchedFiles, fetchFiles, type Intake } from './inbox-files.ts';
import { epochOf } from './journal.ts';
import { type LookedAround, lookAround } from './look-around.ts';
import { type ReadDocuments, readDocuments } from './read-documents.ts';

type MessageLine = Extract<SessionEntry, { type: 'message' }>;

const SPOKEN = 'Spoken in a voice message and written down by a machine: names and numbers may be misheard';

export interface TakenIn {
  line: MessageLine;
  /**
   * Set if the message has nothing but a voice message that couldn't be transcribed: there is nothing to ask a model.
   */
  unheard?: Unreadable;
}

export async function takeIn(sent: Intake, gw: Gateway): Promise<TakenIn> {
  const around = isWithin(sent, gw) ? await lookAround(sent, gw) : undefined;
  const given = around?.given ?? sent;
  const hasFiles = given.items.some(({ message: { message } }) => filesAround(message).length > 0);
  const fetched = hasFiles ? await receiveFiles(given, gw) : NO_FILES;
  const heard = hasFiles ? await heardIn(given, fetched.files, gw) : NOTHING_HEARD;
  const read = hasFiles ? await readIn(given, fetched.files, gw) : NOTHING_READ;
  crashPoint('run:files-read');
  const said = digestsFor(given, gw);
  const line = messageLine(given, { fetched, heard, read, said, around });
  // Only what people have typed: a name isn't their words.
  const typed = sent.items.map((item) => item.message.message.text).join('\n');
  addAddresses(line, given, typed);
  await nameTask(given, sent, heard, gw);
  await takePlan(given, gw);
  given.owner?.check();
  await openTask(gw.home, given.task).session.append([{ ...line, ...epochOf(given.owner) }]);
  // After a crash before this they are shown once more.
  if (said.digests.length > 0) await gw.tasks.digests.shown(said.address, given.task.id);
  await around?.settle();
  crashPoint('run:message-written');
  const isAll = heard.unheard !== undefined && isNothingElse(given, fetched);
  return { line, ...(isAll && heard.unheard ? { unheard: heard.unheard } : {}) };
}

const NO_FILES: FetchedFiles = { files: [], problems: [] };
const NOTHING_HEARD: Transcripts = { words: new Map(), spoken: [], recordings: [], problems: [], unheard: undefined };
const NOTHING_READ: ReadDocuments = { documents: [], problems: [] };

/** Whether a platform knows more about one of the messages than its event says, or names its thread. */
const isWithin = ({ items }: Intake, { places }: Gateway): boolean =>
  items.some(
    ({ message: { message, job } }) =>
      !job && (message.threadName !== undefined || places.channelOf(message.address)?.lookUp !== undefined),
  );

interface PastDigests {
  address: Address;
  digests: SaidDigest[];
}

/**
 * Returns what jobs have posted here since the task was last worked on: people may be referring to it. A reply to one
 * of these posts names it itself.
 */
function digestsFor({ task, items }: Intake, { tasks: { digests } }: Gateway): PastDigests {
  const { message, job } = (items[0] as QueueItem<Entry>).message;
  const isPlain = job === undefined && digests.of(message) === undefined;
  return { address: message.address, digests: isPlain ? digests.unseen(message.address, task.id) : [] };
}

const toldOf = ({ name, at, files }: SaidDigest): string => {
  const made = files.length > 0 ? `, with the files ${files.join(', ')}` : '';
  return `Quoted above: what you sent here yourself as the scheduled job ${JSON.stringify(name)} at ${new Date(at).toISOString()}${made}`;
};

/** Only the task's own people, and no guests, can allow addresses. */
function addAddresses(line: MessageLine, { task, principal }: Intake, typed: string): void {
  // Every address has a dot, but for those of hosts in the same network, which have a scheme.
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

/** Returns without the words of recordings if the person stops the run. */
async function heardIn(given: Intake, files: FetchedFiles['files'], gw: Gateway): Promise<Transcripts> {
  try {
    return await hearFiles(given, files, gw);
  } catch (error) {
    if (abortReason(given.intake) !== 'stop') throw error;
    const problems = ['The recording was not heard: it was stopped.'];
    return { words: new Map(), spoken: [], recordings: [], problems, unheard: undefined };
  }
}

async function readIn(given: Intake, files: FetchedFiles['files'], gw: Gateway): Promise<ReadDocuments> {
  try {
    return await readDocuments(given, files, gw);
  } catch (error) {
    if (abortReason(given.intake) !== 'stop') throw error;
    return { documents: [], problems: ['The documents were not read: it was stopped.'] };
  }
}

const isNothingElse = ({ items }: Intake, { files, problems }: FetchedFiles): boolean =>
  problems.length === 0 &&
  files.every(({ remote }) => remote.kind === 'voice') &&
  items.every(({ message: { message } }) => message.text.trim() === '' && message.quotes.length === 0);

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

/** Repeating this after a crash changes nothing: the message isn't in the session yet. */
async function takePlan({ task, items }: Intake, { home }: Gateway): Promise<void> {
  const plan = items.findLast(({ message }) => message.message.given?.plan)?.message.message.given?.plan;
  if (plan !== undefined) await openTask(home, task).plan.write(plan);
}

async function receiveFiles(
  { task, items, intake, principal }: Intake,
  { home, config, places }: Gateway,
): Promise<FetchedFiles> {
  const channelOf: Parameters<typeof fetchFiles>[1]['channelOf'] = ({ address }) => places.channelOf(address);
  const messages = items.map((item) => item.message.message);
  try {
    return await fetchFiles(messages, {
      home,
      taskId: task.id,
      people: [principalText(principal)],
      limits: config.limits,
      signal: intake,
      channelOf,
    });
  } catch (error) {
    if (abortReason(intake) !== 'stop') throw error;
    return { files: [], problems: ['The files were not fetched: it was stopped.'] };
  }
}

interface Parts {
  fetched: FetchedFiles;
  heard: Transcripts;
  read: ReadDocuments;
  said: PastDigests;
  around: LookedAround | undefined;
}

function messageLine(
  { run, items, principal }: Intake,
  { fetched, heard, read, said: { digests }, around }: Parts,
): MessageLine {
  const first = items[0] as QueueItem<Entry>;
  const { principal: author, job } = first.message;
  const { sender, isDirect } = first.message.message;
  const messages = items.map((item) => item.message.message);
  const isEdit = messages.some((message) => message.kind === 'edit');
  const facts = messages.flatMap((message) => message.facts);
  const words = messages.flatMap((message) => [message.text, heard.words.get(message) ?? '']).filter(Boolean);
  const files = distinctBy(
    fetched.files.map(({ meta, quote }) => ({ ...meta, ...(quote && { quote }) })),
    ({ id }) => id,
  );
  const added = [
    ...(isEdit ? ['This is the new text of a message sent before.'] : []),
    ...(heard.spoken.length > 0 ? [SPOKEN] : []),
  ];
  const text = formatUserTurn({
    text: words.join('\n\n'),
    facts: [
      ...added,
      ...digests.map(toldOf),
      ...(around?.facts ?? []),
      ...facts,
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
  const own = text === words.join('\n\n') ? line.text : scrub(formatUserTurn({ text: words.join('\n\n') }));
  if (own !== line.text) line.said = own;
  if (heard.spoken.length > 0) line.spoken = heard.spoken;
  if (principal.role === 'guest') line.isGuest = true;
  if (first.message.message.via !== undefined) line.via = first.message.message.via;
  if (job && job.deliver.length > 0) line.isJob = true;
  if (!job && messages.every((message) => !message.isDirect)) line.isGroup = true;
  const before = messages.flatMap((message) => message.given?.messages ?? []);
  if (before.length > 0) line.before = before.map(({ role, text: said }) => ({ role, text: scrub(said) }));
  if (items.length > 1) line.also = items.slice(1).map((item) => item.id);
  return line;
}
