/** What was being done with a tool, for sentences that people read: `while writing a file`. The names of tools are the model's alone. */
import { type MessageKey, type Said, say, words } from '../../messages/messages.ts';

type Doing = Extract<MessageKey, `doing.${string}`>;

const DOING: Readonly<Record<string, Exclude<Doing, 'doing.using'>>> = {
  update_plan: 'doing.plan',
  create_artifact: 'doing.writing',
  write_file: 'doing.writing',
  attach_artifact: 'doing.attaching',
  read_file: 'doing.reading',
  list_files: 'doing.files',
  remember: 'doing.memory',
  forget: 'doing.memory',
  memory_search: 'doing.recalling',
  ask_agent: 'doing.agent',
  notify: 'doing.sending',
  create_scheduled_job: 'doing.jobs',
  change_scheduled_job: 'doing.jobs',
  delete_scheduled_job: 'doing.jobs',
  list_scheduled_jobs: 'doing.jobs',
  list_tasks: 'doing.tasks',
  open_task: 'doing.tasks',
  new_task: 'doing.tasks',
  what_was_done: 'doing.tasks',
  set_model: 'doing.model',
  set_timezone: 'doing.clock',
  web_search: 'doing.searching',
  'web-fetch': 'doing.page',
  shell: 'doing.command',
};

export function doingWith(tool: string): Said {
  const known = Object.hasOwn(DOING, tool) ? DOING[tool] : undefined;
  return known
    ? say(known)
    : say('doing.using', {
        what: words(
          tool
            .replace(/[\p{Cc}\p{Cf}@_-]+/gu, ' ')
            .trim()
            .slice(0, 60),
        ),
      });
}
