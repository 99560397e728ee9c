/** Finds results for the search: short lists are loaded once and searched here, everything else by the gateway. */
import type {
  Composing,
  FileRow,
  FoundFile,
  FoundMessage,
  FoundTask,
  JobRow,
  MemoryHit,
  TaskPage,
} from '../../../client/shapes.ts';
import type { IconName } from '../parts/icons.tsx';
import { isBeginning, shownActs } from '../parts/keys.ts';
import { go, pageLink, taskLink } from '../router.ts';
import { words } from '../words.ts';
import { api } from './api.ts';
import { handedDraft } from './composing.ts';
import { isOwner } from './session.ts';

type Group = keyof typeof words.find.groups;

export interface Finding {
  group: Group;
  id: string;
  icon: IconName;
  title: string;
  /** Where the sought words stand in the title: offset and length. */
  marks?: readonly (readonly [number, number])[];
  sub?: string | undefined;
  href?: string;
  act?: () => void;
}

export interface Lists {
  recent?: readonly Finding[];
  jobs?: readonly Finding[];
  skills?: readonly Finding[];
  commands?: readonly Finding[];
  files?: readonly Finding[];
  settings?: readonly Finding[];
}

const MAX_PER_GROUP = 6;
const PAGES = [
  'now',
  'tasks',
  'jobs',
  'files',
  'memory',
  'skills',
  'agents',
  'settings',
  'health',
  'usage',
  'logs',
  'people',
] as const;

/** Passes on each list as soon as it is loaded; one that can't be loaded is left out. */
export async function loadLists(give: (part: Lists) => void): Promise<void> {
  const load = <T>(path: string, take: (answer: T) => Lists) =>
    api<T>(path).then((answer) => give(take(answer)), skipSource);
  const all = [
    load<TaskPage>('/api/tasks', ({ tasks }) => ({ recent: tasks.slice(0, MAX_PER_GROUP).map(taskFinding) })),
    load<Composing>('/api/composer', ({ commands = [] }) => ({ commands: commands.map(commandFinding) })),
  ];
  if (isOwner())
    all.push(
      load<{ jobs: readonly JobRow[] }>('/api/jobs', ({ jobs }) => ({
        jobs: jobs.map(
          ({ id, name, words: when }): Finding => ({
            group: 'jobs',
            id,
            icon: 'jobs',
            title: name,
            sub: when,
            href: `${pageLink('jobs')}?job=${encodeURIComponent(id)}`,
          }),
        ),
      })),
      load<{ skills: readonly { name: string; description: string }[] }>('/api/skills', ({ skills }) => ({
        skills: skills.map(
          ({ name, description }): Finding => ({
            group: 'skills',
            id: name,
            icon: 'skills',
            title: name,
            sub: description,
            href: `${pageLink('skills')}?skill=${encodeURIComponent(name)}`,
          }),
        ),
      })),
      load<{ files: readonly FileRow[] }>('/api/files', ({ files }) => ({
        files: files.map(
          ({ name, place }): Finding => ({
            group: 'files',
            id: name,
            icon: 'files',
            title: name,
            sub: place,
            href: `${pageLink('files')}?file=${encodeURIComponent(name)}`,
          }),
        ),
      })),
      load<{ config: object }>('/api/config', ({ config }) => ({ settings: settingFindings(config) })),
    );
  await Promise.all(all);
}

const taskFinding = ({ taskId, title, goal }: Pick<FoundTask, 'taskId' | 'title'> & { goal?: string }): Finding => ({
  group: 'tasks',
  id: taskId,
  icon: 'tasks',
  title: title || goal || words.tasks.untitled,
  sub: goal === title ? undefined : goal,
  href: taskLink(taskId),
});

/** A command is put into the message box of Now when it is chosen. */
const commandFinding = ({ name, description }: NonNullable<Composing['commands']>[number]): Finding => ({
  group: 'commands',
  id: name,
  icon: 'tool',
  title: `/${name}`,
  sub: description,
  act: () => {
    handedDraft.value = { about: 'now', text: `/${name} `, files: [] };
    void go(pageLink(''));
  },
});

/** Returns every key of the configuration in the form `channels.telegram.token`. */
function settingFindings(config: object, before = ''): Finding[] {
  return Object.entries(config).flatMap(([key, value]): Finding[] => {
    const path = before === '' ? key : `${before}.${key}`;
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return settingFindings(value, path);
    const sub = Array.isArray(value) ? value.join(', ') : String(value);
    const href = `${pageLink('settings')}?find=${encodeURIComponent(path)}`;
    return [{ group: 'settings', id: path, icon: 'settings', title: path, sub, href }];
  });
}

/** Returns results that need no request: what can be done here, pages, and the loaded lists. */
export function findHere(query: string, lists: Lists): Finding[] {
  const pages = PAGES.filter((name) => isOwner() || name === 'now' || name === 'tasks').map(
    (name): Finding => ({
      group: 'pages',
      id: name,
      icon: name,
      title: words.nav[name],
      href: pageLink(name === 'now' ? '' : name),
    }),
  );
  const newTask: Finding = {
    group: 'pages',
    id: 'begin',
    icon: 'plus',
    title: words.begin.title,
    sub: 'N',
    act: () => (isBeginning.value = true),
  };
  const { of, acts: doable } = shownActs.value;
  const acts = doable.map((act): Finding => ({ ...act, group: 'acts', sub: of }));
  if (query === '') return [...(lists.recent ?? []), ...acts, newTask, ...pages];
  const sought = query.toLowerCase().split(/\s+/);
  const isFound = ({ title, sub = '' }: Finding) => {
    const text = `${title} ${sub}`.toLowerCase();
    return sought.every((word) => text.includes(word));
  };
  const { jobs = [], skills = [], commands = [], files = [], settings = [] } = lists;
  const isCommand = query.startsWith('/');
  const all = [
    isCommand ? commands : [],
    acts,
    [newTask, ...pages],
    jobs,
    skills,
    files,
    isCommand ? [] : commands,
    settings,
  ];
  return all.flatMap((list) => list.filter(isFound).slice(0, MAX_PER_GROUP));
}

/** Asks the gateway to search the long lists; passes on each answer as it arrives. */
export async function findThere(
  query: string,
  signal: AbortSignal,
  give: (found: readonly Finding[]) => void,
): Promise<void> {
  const q = encodeURIComponent(query);
  const ask = <T>(path: string, take: (answer: T) => readonly Finding[]) =>
    api<T>(path, { signal }).then((answer) => {
      if (!signal.aborted) give(take(answer));
    }, skipSource);
  await Promise.all([
    ask<{ tasks: readonly FoundTask[]; files: readonly FoundFile[] }>(`/api/find?q=${q}`, ({ tasks, files }) => [
      ...tasks.map(taskFinding),
      ...files.map(
        (file): Finding => ({
          group: 'files',
          id: file.ref,
          icon: 'files',
          title: file.title,
          href: `${taskLink(file.taskId)}?open=${encodeURIComponent(file.ref)}`,
        }),
      ),
    ]),
    ask<{ messages: readonly FoundMessage[] }>(`/api/find/messages?q=${q}`, ({ messages }) =>
      messages.map(
        ({ taskId, title, id, text, who, marks = [] }): Finding => ({
          ...excerpt(text, marks),
          group: 'messages',
          id: `${taskId} ${id}`,
          icon: 'now',
          sub: who === undefined ? title : `${who}, ${title}`,
          href: `${taskLink(taskId)}?message=${encodeURIComponent(id)}`,
        }),
      ),
    ),
    isOwner()
      ? ask<{ results: readonly MemoryHit[] }>(`/api/memory/search?q=${q}`, ({ results }) =>
          results.slice(0, MAX_PER_GROUP).map(
            ({ content, source_file, section }, index): Finding => ({
              group: 'memory',
              id: `${index} ${content}`,
              icon: 'memory',
              title: content,
              sub: section ?? source_file,
              href: pageLink('memory'),
            }),
          ),
        )
      : undefined,
  ]);
}

interface Excerpt {
  title: string;
  marks: readonly (readonly [number, number])[];
}

/** How far the first of the sought words is from the beginning of a line that may be cut on a phone. */
const LEAD = 24;

/** Cuts the beginning, so that the first of the words can be seen. */
function excerpt(text: string, marks: Excerpt['marks']): Excerpt {
  const [first = 0] = marks[0] ?? [];
  if (first <= LEAD) return { title: text, marks };
  const space = text.indexOf(' ', first - LEAD);
  const from = space < 0 || space >= first ? first : space + 1;
  const begin = '… ';
  const moved = marks.map(([at, length]) => [at - from + begin.length, length] as const);
  return { title: begin + text.slice(from), marks: moved };
}

/** Shows the other sources if one fails. */
const skipSource = (): void => undefined;
