/**
 * Whether what a task wants to remember may be kept without a question (promise 40): only while nothing in its conversation came from
 * outside. A quotation, a file, a page or a tool's finding may hold words that were written to be remembered.
 */
import { isRecord } from '../../../lib/json.ts';
import { withoutCode } from '../../../runtime/reply/written-calls.ts';
import { toolNamed } from '../../../runtime/tools/table.ts';
import type { Home } from '../../../workspace/home.ts';
import type { OwnWords } from '../../../workspace/memory/stated.ts';
import { openTask } from '../../../workspace/tasks/index.ts';
import type { Json, SessionEntry } from '../../../workspace/types.ts';

/**
 * The words of the one person who has spoken in the conversation, with their name. Undefined as soon as anything the model may have
 * seen of it is not their own: also what a compaction has told again, and what another person wrote or answered.
 */
export async function ownWords(home: Home, viber: string, taskId: string): Promise<OwnWords | undefined> {
  // A summary is told again from wherever it stands.
  if (openTask(home, taskId, viber).session.compaction()) return undefined;
  const entries = openTask(home, taskId, viber).session.tail();
  const speaker = entries.findLast((entry) => entry.type === 'message')?.from.user;
  if (!entries.every((entry) => isClean(entry, speaker))) return undefined;
  const messages = entries.filter((entry) => entry.type === 'message');
  return { names: messages.map(({ from }) => from.name), messages: messages.map(({ text }) => unquoted(text)) };
}

/** Without what the person only shows: quotations by hand, code, and what a platform tells of a message (a contact, a place, a poll). */
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

/** The tools whose results a model's message holds. */
function resultsOf(message: Json): string[] {
  if (!isRecord(message) || !Array.isArray(message.content)) return [];
  return message.content.flatMap((part) =>
    isRecord(part) && part.type === 'tool-result' ? [typeof part.toolName === 'string' ? part.toolName : ''] : [],
  );
}
