/** The person's words and files as a session line; files are fetched here, after the sender was let in. */
import { authoriseAction } from '../../access/authorise.ts';
import { type Principal, principalText } from '../../access/principal.ts';
import { crashPoint } from '../../crash-points.ts';
import type { QueueItem } from '../../engine/engine.ts';
import { addressesIn } from '../../lib/web-addresses.ts';
import { scrub } from '../../log.ts';
import { appendSession } from '../../workspace/sessions.ts';
import type { SessionEntry, TaskRecord } from '../../workspace/types.ts';
import { formatUserTurn } from '../context/context.ts';
import { reasonOf } from '../contract/abort.ts';
import type { Entry } from '../contract/entry.ts';
import { type FetchedFiles, fetchFiles } from './inbox-files.ts';
import type { RunServices } from './services.ts';

export interface Intake {
  task: TaskRecord;
  run: string;
  items: readonly QueueItem<Entry>[];
  /** On whose word it runs. */
  principal: Principal;
  /** Ends the fetching of files: a newer message does not, since what was said before it stays said. */
  intake: AbortSignal;
}

type MessageLine = Extract<SessionEntry, { type: 'message' }>;
type IntakeServices = Pick<RunServices, 'home' | 'settings' | 'channelOf'>;

export async function takeIn(given: Intake, to: IntakeServices): Promise<void> {
  const line = messageLine(given, await filesOf(given, to));
  await appendSession(to.home, given.task.viber, given.task.id, [line]);
  crashPoint('run:message-written');
}

async function filesOf({ task, items, intake }: Intake, to: IntakeServices): Promise<FetchedFiles> {
  const { home, settings } = to;
  const channelOf: Parameters<typeof fetchFiles>[1]['channelOf'] = ({ address }) => to.channelOf(address);
  const messages = items.map((item) => item.message.message);
  try {
    return await fetchFiles(messages, {
      ...{ home, taskId: task.id, limits: settings.limits, signal: intake, channelOf },
    });
  } catch (error) {
    if (reasonOf(intake) !== 'stop') throw error;
    return { files: [], problems: ['The files were not fetched: it was stopped.'] };
  }
}

function messageLine({ task, run, items, principal }: Intake, { files, problems }: FetchedFiles): MessageLine {
  const first = items[0] as QueueItem<Entry>;
  const { principal: author, job } = first.message;
  const { sender, isDirect } = first.message.message;
  const messages = items.map((item) => item.message.message);
  const isEdit = messages.some((message) => message.kind === 'edit');
  const facts = messages.flatMap((message) => message.facts);
  const words = messages.map((message) => message.text).filter(Boolean);
  const text = formatUserTurn({
    text: words.join('\n\n'),
    facts: [...(isEdit ? ['This is the new text of a message sent before.'] : []), ...facts, ...problems],
    quotes: messages.flatMap((message) => message.quotes),
    files,
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
  const addresses = addressesIn(messages.map((message) => message.text).join('\n'));
  // Only the task's own people say where it may go, and no guest.
  if (addresses.length > 0 && principal.role !== 'guest' && authoriseAction(principal, 'steer', task.people))
    line.addresses = addresses.map((address) => scrub(address));
  if (principal.role === 'guest') line.isGuest = true;
  if (!job && messages.every((message) => !message.isDirect)) line.isGroup = true;
  if (items.length > 1) line.also = items.slice(1).map((item) => item.id);
  return line;
}
