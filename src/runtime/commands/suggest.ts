/** Suggests values to a person who types a command's argument, at every keystroke. */
import type { Suggestion, SuggestQuery } from '../../channels/channel.ts';
import { cutText } from '../../lib/text.ts';
import type { Home } from '../../workspace/home.ts';
import { listTasks, openTask } from '../../workspace/tasks/index.ts';
import type { TaskRecord } from '../../workspace/types.ts';
import { choosable, type ViberRules } from '../conversations/conversations.ts';
import { isOwnTask, mayOpen, maySee, type Viewpoint } from '../conversations/visibility.ts';
import type { Gateway } from '../run/gateway.ts';
import { findCommand } from './table.ts';
import { fileSize } from './tasks/artifacts.ts';
import { markOf } from './tasks/tasks.ts';

export interface SuggestDeps {
  home: Home;
  view: Viewpoint;
  taskId: string | undefined;
  vibers: ViberRules;
  commands: Gateway['features']['commands'];
}

const MAX_SUGGESTIONS = 25;
const MAX_LENGTH = 100;
/** Records read per keystroke, about 5 µs each. */
const MAX_READ = 500;

/**
 * Returns at most 25 that contain every typed word: files for `/get`, by name or ID; for the others tasks, by title
 * or ID.
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
  // Owners may see all tasks, but before they type anything only their own are offered; the runs of jobs belong to
  // nobody.
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
