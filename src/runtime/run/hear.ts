/**
 * Transcribes the recordings of a message. A person's own voice message is their message; forwarded messages and sound
 * files may contain other voices, so their words are data. Nothing said in a recording is a command, since words may be
 * misheard.
 */
import { principalText } from '../../access/principal.ts';
import type { InboundMessage, QuotedText } from '../../channels/channel.ts';
import type { QueueItem } from '../../engine/engine.ts';
import { clip } from '../../lib/text.ts';
import { openTask } from '../../workspace/tasks/index.ts';
import { type Entry, isReply } from '../contract/entry.ts';
import { Unreadable } from '../contract/reading.ts';
import { fileKind } from '../reading/kinds.ts';
import type { Gateway } from './gateway.ts';
import type { FetchedFile, Intake } from './inbox-files.ts';
import { readFile } from './read-file.ts';

export interface Transcripts {
  words: ReadonlyMap<InboundMessage, string>;
  /** IDs of the files that these words come from. */
  spoken: string[];
  recordings: { name: string; text: string; quote?: QuotedText }[];
  /** One sentence for the model for each recording that couldn't be transcribed. */
  problems: string[];
  /** The first of the senders' own recordings that couldn't be transcribed. */
  unheard: Unreadable | undefined;
}

const MAX_ECHO = 1_500;
const SPOKEN_KINDS = ['voice', 'audio'];

export async function hearFiles(given: Intake, files: readonly FetchedFile[], gw: Gateway): Promise<Transcripts> {
  const words = new Map<InboundMessage, string>();
  const heard: Transcripts = { words, spoken: [], recordings: [], problems: [], unheard: undefined };
  const sounds = files.filter(({ remote, meta }) => isRecording(remote.kind, meta));
  for (const sound of sounds) {
    const { meta, remote, message, quote } = sound;
    const isOwn = remote.kind === 'voice' && !quote && !message.quotes.some(({ kind }) => kind === 'forward');
    try {
      const text = await transcribe(given, sound, gw);
      if (isOwn) {
        words.set(message, [words.get(message), text].filter(Boolean).join('\n'));
        heard.spoken.push(meta.id);
      } else heard.recordings.push({ name: meta.name, text, ...(quote && { quote }) });
      await echo(given, message, meta.id, text, gw);
    } catch (error) {
      if (!(error instanceof Unreadable)) throw error;
      heard.problems.push(hearingProblem(meta.id, meta.name, error));
      if (isOwn) heard.unheard ??= error;
    }
  }
  return heard;
}

/** Whether a file was sent to be listened to; other sound files are read on request. */
const isRecording = (kind: string, file: FetchedFile['meta']): boolean =>
  kind === 'voice' || (SPOKEN_KINDS.includes(kind) && fileKind(file) === 'sound');

async function transcribe(
  { task, run, principal, intake }: Intake,
  { meta, remote }: FetchedFile,
  gw: Gateway,
): Promise<string> {
  const { name, type, size, sha256 } = meta;
  const path = openTask(gw.home, task).artifacts.pathOf(meta);
  const about = { seconds: remote.seconds, transcript: remote.transcript };
  const by = { run, task: task.id, person: principalText(principal), signal: intake };
  const { text } = await readFile({ path, name, type, size, sha256, ...about }, by, gw);
  return text;
}

const hearingProblem = (id: string, name: string, { message, reason }: Unreadable): string => {
  const again = reason === 'busy' || reason === 'key' ? ` read_file with path "${id}" tries it again.` : '';
  return `The recording ${JSON.stringify(name)} (${id}) was not transcribed: ${message}${again}`;
};

/** Shows the transcript, so that people can correct a wrong word before it does harm. */
async function echo(
  { run, items }: Intake,
  message: InboundMessage,
  file: string,
  text: string,
  { delivery, config }: Gateway,
): Promise<void> {
  const item = items.find((one: QueueItem<Entry>) => one.message.message === message);
  if (config.voice.echo === 'off' || !item || item.message.job) return;
  const quote = clip(text, MAX_ECHO)
    .split('\n')
    .map((line) => `> ${line}`);
  await delivery.add(
    {
      id: `${item.id}-heard-${file}`,
      address: message.address,
      text: quote.join('\n'),
      files: [],
      ...(isReply(message) ? { replyTo: message.messageId } : {}),
    },
    run,
    true,
  );
}
