/**
 * Decides whether a task's facts may be kept without asking (promise 40): only if nothing in its conversation came from
 * outside. A quotation, a file, a page or a tool's result may contain words that were planted to be remembered.
 */
import { isRecord } from '../../../lib/json.ts';
import { withoutCode } from '../../../runtime/reply/marks.ts';
import { toolNamed } from '../../../runtime/tools/table.ts';
import type { Home } from '../../../workspace/home.ts';
import { openTask } from '../../../workspace/tasks/index.ts';
import type { Json, SessionEntry } from '../../../workspace/types.ts';
import type { OwnWords } from '../store/stated.ts';

/**
 * Returns the words of the only speaker in the conversation, with their name. Returns undefined if the model may have
 * seen anything else, such as a compaction's summary, or what another person wrote or answered.
 */
export async function ownWords(home: Home, viber: string, taskId: string): Promise<OwnWords | undefined> {
  // A summary may repeat text from any source.
  if (openTask(home, taskId, viber).session.compaction()) return undefined;
  const entries = openTask(home, taskId, viber).session.tail();
  const speaker = entries.findLast((entry) => entry.type === 'message')?.from.user;
  if (!entries.every((entry) => isClean(entry, speaker))) return undefined;
  const messages = entries.filter((entry) => entry.type === 'message');
  return { names: messages.map(({ from }) => from.name), messages: messages.map(({ text }) => unquoted(text)) };
}

/**
 * Removes what the person only shows: quotations, code, and a platform's description of a message (a contact, a place,
 * a poll).
 */
const unquoted = (text: string): string => withoutCode(text).replace(/^[ \t]*\[[^\n]*\]$/gm, '');

function isClean(entry: SessionEntry, speaker: string | undefined): boolean {
  switch (entry.type) {
    case 'message':
      return (
        entry.from.user === speaker &&
        entry.files.every(({ id }) => entry.spoken?.includes(id)) &&
        !/<quoted\b|^Attached files \(/m.test(entry.text)
      );
    case 'decision':
      return entry.by === '' || entry.by === speaker;
    case 'step':
      return entry.messages.every((message) => resultsOf(message).every((tool) => toolNamed(tool)?.ownWords === true));
    case 'compaction':
      return false;
    default:
      return true;
  }
}

function resultsOf(message: Json): string[] {
  if (!isRecord(message) || !Array.isArray(message.content)) return [];
  return message.content.flatMap((part) =>
    isRecord(part) && part.type === 'tool-result' ? [typeof part.toolName === 'string' ? part.toolName : ''] : [],
  );
}
