/** All tasks of all channels, updated live. */
import type { JSX } from 'preact';
import { useEffect, useMemo } from 'preact/hooks';
import type { Health, TaskRow } from '../../../client/shapes.ts';
import { of, useResource } from '../net/resource.ts';
import { shownState } from '../net/states.ts';
import { type Filter, taskList } from '../net/tasks.ts';
import { Button, Choice, Empty, Loading, PageHead, Problem, StateDot } from '../parts/common.tsx';
import { isBeginning } from '../parts/keys.ts';
import { groupOf, now, Time } from '../parts/time.tsx';
import { Virtual } from '../parts/virtual.tsx';
import { go, pageLink, place, taskLink } from '../router.ts';
import { channelName, words } from '../words.ts';

type Row = { kind: 'day'; label: string } | { kind: 'task'; task: TaskRow };

const ROW = 68;
const DAY = 48;
const STATES = ['', 'waiting', 'running', 'pending', 'completed', 'error', 'stopped', 'archived'] as const;
/** These have tasks whatever is configured. */
const OWN_CHANNELS = ['terminal', 'local', 'api', 'job'];

const heightOf = (row: Row): number => (row.kind === 'day' ? DAY : ROW);
const taskRowKey = (row: Row): string => (row.kind === 'day' ? row.label : row.task.taskId);

function rowsByDay(tasks: readonly TaskRow[], at: number): Row[] {
  let label = '';
  return tasks.flatMap((task): Row[] => {
    const group = shownState(task) === 'waiting' ? words.state.waiting : groupOf(task.updatedAt, at);
    const row: Row = { kind: 'task', task };
    if (group === label) return [row];
    label = group;
    return [{ kind: 'day', label }, row];
  });
}

function chooseFilter(change: Partial<Filter>): void {
  const query = new URLSearchParams(place.value.query);
  for (const [name, value] of Object.entries(change)) {
    if (value === '') query.delete(name);
    else query.set(name, value);
  }
  void go(pageLink('tasks') + (query.size === 0 ? '' : `?${query}`), { replace: true });
}

export function Tasks(): JSX.Element {
  const { query } = place.value;
  const state = (STATES as readonly string[]).includes(query.get('state') ?? '')
    ? ((query.get('state') ?? '') as Filter['state'])
    : '';
  const channel = query.get('channel') ?? '';
  const project = query.get('project') ?? '';
  const list = useMemo(() => taskList({ state, channel, project }), [state, channel, project]);
  useEffect(() => list.open(), [list]);
  // Created per list: another filter is another list.
  const rows = rowsByDay(list.tasks.value ?? [], now.value);
  const health = useResource<Health>('/api/health', of('channel:status'));
  const seen = (list.tasks.value ?? []).flatMap((task) => task.channel ?? []);
  const on = Object.keys(health.data.value?.channels ?? {});
  const channels = [...new Set([...on, ...OWN_CHANNELS, ...seen, channel].filter((name) => name !== ''))];
  const projects = [...new Set([...(list.tasks.value ?? []).flatMap((task) => task.project ?? []), project])].filter(
    Boolean,
  );
  const isFiltered = state !== '' || channel !== '' || project !== '';
  return (
    <>
      <PageHead title={words.tasks.title}>
        <Button kind="main" icon="plus" onClick={() => (isBeginning.value = true)}>
          {words.begin.title}
        </Button>
        <Choice
          label={words.tasks.filter}
          value={state}
          options={STATES.map((one) => [one, one === '' ? words.tasks.all : words.state[one]] as const)}
          onChange={(value) => chooseFilter({ state: value })}
        />
        <Narrow
          label={words.tasks.channel}
          every={words.tasks.everyChannel}
          value={channel}
          options={channels.map((name) => [name, channelName(name)] as const)}
          onChange={(value) => chooseFilter({ channel: value })}
        />
        {projects.length > 0 && (
          <Narrow
            label={words.tasks.project}
            every={words.tasks.everyProject}
            value={project}
            options={projects.map((name) => [name, name] as const)}
            onChange={(value) => chooseFilter({ project: value })}
          />
        )}
      </PageHead>
      {list.error.value !== undefined && <Problem error={list.error.value} retry={() => void list.refresh()} />}
      {list.tasks.value === undefined && list.error.value === undefined && <Loading rows={8} />}
      {list.tasks.value?.length === 0 &&
        (isFiltered ? (
          <Empty icon="tasks" title={words.tasks.none} hint={words.tasks.noneHint} />
        ) : (
          <Empty icon="tasks" title={words.tasks.empty} hint={words.tasks.emptyHint} />
        ))}
      {rows.length > 0 && (
        <Virtual
          key={`${state}|${channel}|${project}`}
          items={rows}
          keyOf={taskRowKey}
          heightOf={heightOf}
          label={words.tasks.list}
          onEnd={() => void list.more()}
          render={(row) => (row.kind === 'day' ? <h2 class="day">{row.label}</h2> : <TaskLine task={row.task} />)}
        />
      )}
      {list.next.value !== undefined && list.tasks.value !== undefined && <p class="more">{words.tasks.loadingMore}</p>}
    </>
  );
}

function Narrow(props: {
  label: string;
  every: string;
  value: string;
  options: readonly (readonly [string, string])[];
  onChange: (value: string) => void;
}): JSX.Element {
  const { label, every, value, options, onChange } = props;
  return (
    <select aria-label={label} value={value} onChange={(event) => onChange(event.currentTarget.value)}>
      <option value="">{every}</option>
      {options.map(([name, shown]) => (
        <option key={name} value={name}>
          {shown}
        </option>
      ))}
    </select>
  );
}

export function TaskLine({ task }: { task: TaskRow }): JSX.Element {
  const { title, goal = '', channel, person, project = '' } = task;
  const state = shownState(task);
  const name = title.trim() || goal.trim() || words.tasks.untitled;
  const rest = goal.trim() !== '' && goal.trim() !== name ? goal.trim() : '';
  // A task started by a program shows the program's name.
  const isHere = channel === 'api' && person !== undefined && !person.startsWith('api:');
  const begun = isHere ? words.tasks.here : channelName(channel ?? '');
  const where = [begun, person?.replace(/^person:/, '') ?? '', project].filter((part) => part !== '');
  return (
    <a href={taskLink(task.taskId)} class={`task-row ${state}`}>
      <StateDot state={state} />
      <span class="task-text">
        <span class="task-title">{name}</span>
        <span class="task-sub">
          {state !== 'completed' && <span class={`task-state ${state}`}>{words.state[state]}</span>}
          {where.length > 0 && <span class="task-where">{where.join(', ')}</span>}
          {rest !== '' && <span class="task-goal">{rest}</span>}
        </span>
      </span>
      <span class="task-time">
        <Time at={task.updatedAt} />
      </span>
    </a>
  );
}
