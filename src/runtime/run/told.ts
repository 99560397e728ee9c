/** What people, files and tools have said in a task: a block of an answer that repeats it is not the model's own. */
import { isRecord } from '../../lib/json.ts';
import type { Home } from '../../workspace/home.ts';
import { openTask } from '../../workspace/tasks/index.ts';
import type { Json, SessionEntry } from '../../workspace/types.ts';
import { textsIn, toldIn } from '../reply/told.ts';

const NAMED = /memory_suggestion|decision/i;
const HAS_TAG = /<\/(?:memory_suggestion|decision)\b/i;

/** Whether others have written a text of the answer; the session is read for an answer with such a block alone. */
export async function toldBefore(
  answer: string,
  { home, viber, taskId }: { home: Home; viber: string; taskId: string },
): Promise<(text: string) => boolean> {
  if (!HAS_TAG.test(answer)) return () => false;
  const entries = openTask(home, taskId, viber).session.tail();
  return toldIn(entries.flatMap(textsOf).filter((text) => NAMED.test(text)));
}

function textsOf(entry: SessionEntry): string[] {
  if (entry.type === 'message') return [entry.text, ...(entry.before ?? []).map(({ text }) => text)];
  return entry.type === 'step' ? textsIn(entry.messages.flatMap(resultsOf)) : [];
}

/** What tools gave; what the model itself has said is its own. */
function resultsOf(message: Json): Json[] {
  if (!isRecord(message) || !Array.isArray(message.content)) return [];
  return message.content.flatMap((part) =>
    isRecord(part) && part.type === 'tool-result' ? [part.output as Json] : [],
  );
}
