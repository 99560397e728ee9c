/** One task: the conversation, plan, files and approvals; tabs show its context, trace and cost. */
import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect, useMemo } from 'preact/hooks';
import type { Artifact, TaskDetail } from '../../../client/shapes.ts';

import { type Conversation, conversation, type Mode } from '../net/conversation.ts';
import type { ShownState } from '../net/states.ts';
import { ApprovalCard } from '../parts/approval.tsx';
import { Files } from '../parts/artifacts.tsx';
import { PageHead, Problem, StateDot } from '../parts/common.tsx';
import { Composer } from '../parts/composer.tsx';
import { Icon } from '../parts/icons.tsx';
import { lazy } from '../parts/lazy.tsx';
import { PlanView } from '../parts/plan.tsx';
import { stepsIn } from '../parts/plan-text.ts';
import { stopTask } from '../parts/stop.ts';
import { Talk } from '../parts/talk.tsx';
import { talkActs } from '../parts/talk-acts.ts';
import { TaskActs, TaskName } from '../parts/task-acts.tsx';
import { pageTitle } from '../parts/title.ts';
import { useWaiting } from '../parts/waiting.ts';
import { isWide } from '../parts/wide.ts';
import { pageLink, place, taskLink } from '../router.ts';
import { words } from '../words.ts';

const Context = lazy(() => import('./task-tabs.tsx').then(({ Context }) => Context));
const Trace = lazy(() => import('./task-tabs.tsx').then(({ Trace }) => Trace));
const Cost = lazy(() => import('./task-tabs.tsx').then(({ Cost }) => Cost));
const PlanEditor = lazy(() => import('./plan-editor.tsx').then(({ PlanEditor }) => PlanEditor));

const TABS = ['talk', 'context', 'trace', 'cost'] as const;
type Tab = (typeof TABS)[number];

export function Task({ taskId }: { taskId: string }): JSX.Element {
  const talk = useMemo(() => conversation(taskId), [taskId]);
  useEffect(() => talk.open(), [talk]);
  const detail = talk.detail.value;
  const asked = place.value.query.get('tab') ?? 'talk';
  const tab: Tab = (TABS as readonly string[]).includes(asked) ? (asked as Tab) : 'talk';
  const isNaming = useSignal(false);
  const title = detail?.title.trim() || detail?.goal.trim() || words.tasks.untitled;
  useEffect(() => {
    if (detail !== undefined) pageTitle.value = `${title} – ${words.product}`;
  }, [title, detail]);
  if (detail === undefined && talk.error.value !== undefined)
    return (
      <>
        <PageHead title={words.tasks.untitled} above={<Back />} />
        <Problem error={talk.error.value} retry={() => void talk.refresh()} />
      </>
    );
  return (
    <>
      {detail !== undefined && isNaming.value ? (
        <TaskName
          detail={detail}
          onDone={() => {
            isNaming.value = false;
            void talk.refresh();
          }}
        />
      ) : (
        <PageHead
          above={<Back />}
          title={detail === undefined ? <span class="bone title" /> : title}
          intro={
            detail === undefined ? undefined : <TaskState detail={detail} state={talk.shownState ?? detail.state} />
          }
        >
          {detail !== undefined && (
            <TaskActs detail={detail} title={title} isNaming={isNaming} onChanged={() => void talk.refresh()} />
          )}
        </PageHead>
      )}
      <nav class="tabs" aria-label={title}>
        {TABS.map((name) => (
          <a
            key={name}
            href={taskLink(taskId) + (name === 'talk' ? '' : `?tab=${name}`)}
            aria-current={name === tab ? 'page' : undefined}
          >
            {words.task.tabs[name]}
          </a>
        ))}
      </nav>
      {tab === 'talk' && <TalkTab talk={talk} />}
      {tab === 'context' && <Context taskId={taskId} />}
      {tab === 'trace' && <Trace taskId={taskId} />}
      {tab === 'cost' && <Cost taskId={taskId} />}
    </>
  );
}

const Back = (): JSX.Element => (
  <a class="back" href={pageLink('tasks')}>
    <Icon name="left" size={14} />
    {words.task.back}
  </a>
);

function TaskState({ detail, state }: { detail: TaskDetail; state: ShownState }): JSX.Element {
  const where = [detail.channel, detail.person?.replace(/^person:/, ''), detail.project].filter(
    (part) => part !== undefined && part !== '',
  );
  return (
    <span class="task-head-state">
      <StateDot state={state} />
      {words.state[state]}
      {where.length > 0 && <span class="task-where">{where.join(', ')}</span>}
    </span>
  );
}

function TalkTab({ talk }: { talk: Conversation }): JSX.Element {
  const { taskId } = talk;
  const approvals = useWaiting();
  const mine = approvals.all.filter((one) => one.taskId === taskId);
  const say = (text: string, files: readonly Artifact[], mode: Mode, isSpoken = false) => {
    const busy = talk.isBusy;
    void talk.say(text, files, (message, refs) => ({
      type: 'task:message',
      taskId,
      message,
      ...(busy ? { injectionMode: mode } : {}),
      ...(refs.length > 0 ? { files: refs } : {}),
      ...(isSpoken ? { spoken: true } : {}),
    }));
  };
  const acts = useMemo(() => talkActs(talk, taskId), [talk, taskId]);
  return (
    <div class="task">
      <div class="task-talk">
        <Talk of={talk} acts={acts}>
          {mine.map((approval) => (
            <ApprovalCard key={approval.id} approval={approval} onDecided={() => void approvals.refresh()} />
          ))}
        </Talk>
        <Composer
          about={taskId}
          taskId={taskId}
          isBusy={talk.isBusy}
          modes
          onSend={say}
          onStop={() => stopTask(taskId)}
        />
      </div>
      <Aside talk={talk} />
    </div>
  );
}

function Aside({ talk }: { talk: Conversation }): JSX.Element {
  const detail = talk.detail.value;
  const isEditing = useSignal(false);
  const plan = detail?.plan;
  const steps = plan === undefined ? [] : stepsIn(plan.text);
  const counted = steps.filter(({ status }) => status !== 'skipped');
  const done = counted.filter(({ status }) => status === 'done').length;
  const files = detail?.artifacts ?? [];
  const close = () => {
    isEditing.value = false;
    void talk.refresh();
  };
  return (
    <aside class="task-aside">
      {isEditing.value && plan !== undefined && <PlanEditor taskId={talk.taskId} onClose={close} />}
      <details open={isWide.value}>
        <summary>
          <h2>{words.task.plan}</h2>
          {counted.length > 0 && <span class="count">{words.task.steps(done, counted.length)}</span>}
        </summary>
        {counted.length > 0 && (
          <progress
            class="progress"
            value={done}
            max={counted.length}
            aria-label={words.task.steps(done, counted.length)}
          />
        )}
        {steps.length === 0 && <p class="hint">{words.task.noPlan}</p>}
        {plan !== undefined && (
          <>
            <PlanView taskId={talk.taskId} plan={plan} onWritten={() => void talk.refresh()} />
            <button type="button" class="text-button" onClick={() => (isEditing.value = true)}>
              {words.task.editPlan}
            </button>
          </>
        )}
      </details>
      <details open={isWide.value}>
        <summary>
          <h2>{words.task.files}</h2>
          {files.length > 0 && <span class="count">{files.length}</span>}
        </summary>
        {files.length === 0 ? <p class="hint">{words.task.noFiles}</p> : <Files files={files} />}
      </details>
    </aside>
  );
}
