/** What fits where a person is typing a command's argument. Shown to that person alone; asked at every keystroke. */
import type { Suggestion, SuggestQuery } from '../../channels/channel.ts';
import { cutText } from '../../lib/text.ts';
import type { Home } from '../../workspace/home.ts';
import { listTasks, openTask } from '../../workspace/tasks/index.ts';
import type { TaskRecord } from '../../workspace/types.ts';
import { choosable, type ViberRules } from '../conversations/vibers.ts';
import { isOwnTask, mayOpen, maySee, type Viewpoint } from '../conversations/visibility.ts';
import type { Gateway } from '../run/gateway.ts';
import { findCommand } from './table.ts';
import { fileSize } from './tasks/artifacts.ts';
import { markOf } from './tasks/tasks.ts';

export interface SuggestDeps {
  home: Home;
  view: Viewpoint;
  /** The task the conversation is bound to; undefined when there is none. */
  taskId: string | undefined;
  vibers: ViberRules;
  commands: Gateway['features']['commands'];
}

const MAX_SUGGESTIONS = 25;
const MAX_LENGTH = 100;
/** Records looked at for one keystroke, about 5 µs each when they are known. */
const MAX_READ = 500;

/**
 * At most 25: for `/get` the files of the conversation's task, for the others tasks, the newest first, whose title or id (or
 * name) holds every word typed. Commands without suggestions give [].
 */
export async function suggest(
  query: SuggestQuery,
  { home, view, taskId, vibers, commands }: SuggestDeps,
): Promise<Suggestion[]> {
  const command = findCommand(commands, query.command);
  if (!command?.argument?.suggests) return [];
  const words = query.text.slice(0, 200).toLowerCase().split(/\s+/).filter(Boolean);
  const fits = (...texts: string[]) => {
    const text = texts.join(' ').toLowerCase();
    return words.every((word) => text.includes(word));
  };
  if (command.name === 'get') {
    const files = taskId === undefined ? [] : openTask(home, taskId).artifacts.list().reverse();
    return files
      .filter((file) => fits(file.id, file.name, file.title))
      .slice(0, MAX_SUGGESTIONS)
      .map((file) => ({ value: file.id, label: cutText(`${file.name} (${fileSize(file.size)})`, MAX_LENGTH) }));
  }
  if (command.name === 'use')
    return choosable(view, vibers)
      .filter((id) => fits(id))
      .slice(0, MAX_SUGGESTIONS)
      .map((id) => ({ value: id, label: id }));
  const may = command.name === 'open' ? mayOpen : maySee;
  // Owners may see all tasks; what they are offered unasked is theirs, and the runs of jobs are nobody's.
  const isUnasked = (task: TaskRecord) => task.job === undefined && (!view.isDirect || isOwnTask(view, task));
  const isOffered = (task: TaskRecord) => words.length > 0 || isUnasked(task);
  const match = (task: TaskRecord) => may(view, task) && isOffered(task) && fits(task.id, task.title);
  const found = await listTasks(home, { limit: MAX_SUGGESTIONS, maxRead: MAX_READ, match });
  return Promise.all(
    found.map(async (task) => ({
      value: task.id,
      label: cutText(`${await markOf(home, task)} ${task.title} (${task.id})`, MAX_LENGTH),
    })),
  );
}
