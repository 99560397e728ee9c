/** The person's own conversation: the one they have with their viber in a direct message, so what is begun here goes on there. */
import type { JSX } from 'preact';
import { useEffect, useMemo } from 'preact/hooks';
import { said } from '../net/api.ts';
import { Conversation, conversation } from '../net/conversation.ts';
import { onBehind, onEvent, send } from '../net/live.ts';
import { of, useResource } from '../net/resource.ts';
import { me, whoAmI } from '../net/session.ts';
import type { Approval, Artifact } from '../net/shapes.ts';
import { ApprovalCard } from '../parts/approval.tsx';
import { PageHead, Section, StateDot } from '../parts/common.tsx';
import { Composer } from '../parts/composer.tsx';
import { note } from '../parts/notices.tsx';
import { Talk } from '../parts/talk.tsx';
import { taskLink } from '../router.ts';
import { words } from '../words.ts';
import { isBusy } from './task.tsx';

/** Where a first message stands until its task is known. */
const nobody = new Conversation('');

export function Now(): JSX.Element {
  const taskId = me.value?.taskId;
  const talk = useMemo(() => (taskId === undefined ? nobody : conversation(taskId)), [taskId]);
  useEffect(() => (taskId === undefined ? undefined : talk.open()), [talk, taskId]);
  // A chat may have gone on with another task.
  useEffect(() => {
    const ends = [onEvent((event) => void (event.type === 'task:started' && whoAmI())), onBehind(() => void whoAmI())];
    return () => {
      for (const end of ends) end();
    };
  }, []);
  const approvals = useResource<{ approvals: readonly Approval[] }>(
    '/api/approvals',
    of('approval:asked', 'approval:decided'),
  );
  const waiting = approvals.data.value?.approvals ?? [];
  const here = waiting.filter((one) => one.taskId === taskId);
  const elsewhere = waiting.filter((one) => one.taskId !== taskId);
  const detail = talk.detail.value;
  const say = (text: string, files: readonly Artifact[]) => {
    const frame = (content: string, refs: readonly string[]) => ({
      ...{ type: 'message', content },
      ...(refs.length > 0 ? { attachments: refs } : {}),
    });
    void talk.say(text, files, frame).then(async (kept) => {
      if (kept === undefined || kept.taskId === me.value?.taskId) return;
      if (kept.taskId !== undefined && me.value !== undefined) me.value = { ...me.value, taskId: kept.taskId };
      await findTask();
      nobody.sent.value = me.value?.taskId === undefined ? nobody.sent.value : [];
    });
  };
  const stop = () => {
    if (taskId === undefined) return;
    send({ type: 'task:stop', taskId }).then(
      () => note(words.task.stopped),
      (error: unknown) => note(said(error), { warm: true }),
    );
  };
  const isEmpty = taskId === undefined && nobody.sent.value.length === 0;
  return (
    <div class="now">
      <PageHead
        title={isEmpty ? words.now.hello(me.value?.name ?? '') : (detail?.title ?? words.now.title)}
        intro={
          isEmpty || detail === undefined ? (
            words.now.intro
          ) : (
            <a class="task-head-state" href={taskLink(detail.taskId ?? taskId ?? '')}>
              <StateDot state={detail.state} />
              {words.state[detail.state]}
            </a>
          )
        }
      />
      {elsewhere.length > 0 && (
        <Section title={words.now.waiting}>
          {elsewhere.map((approval) => (
            <ApprovalCard key={approval.id} approval={approval} withLink onDecided={() => void approvals.refresh()} />
          ))}
        </Section>
      )}
      {isEmpty ? (
        <Ideas onChoose={(idea) => say(idea, [])} />
      ) : (
        <Talk of={talk.taskId === '' ? shownEmpty(talk) : talk}>
          {here.map((approval) => (
            <ApprovalCard key={approval.id} approval={approval} onDecided={() => void approvals.refresh()} />
          ))}
        </Talk>
      )}
      <Composer about="now" isBusy={isBusy(detail)} onSend={say} onStop={stop} />
    </div>
  );
}

function Ideas({ onChoose }: { onChoose: (idea: string) => void }): JSX.Element {
  return (
    <ul class="ideas">
      {words.now.ideas.map((idea) => (
        <li key={idea}>
          <button type="button" onClick={() => onChoose(idea)}>
            {idea}
          </button>
        </li>
      ))}
    </ul>
  );
}

/** Milliseconds after which it is looked for once more: a first message becomes a task a moment after it was taken in. */
const LOOKS_MS = [0, 200, 600, 1_500, 4_000];

async function findTask(): Promise<void> {
  for (const wait of LOOKS_MS) {
    await new Promise((resolve) => setTimeout(resolve, wait));
    await whoAmI();
    if (me.value?.taskId !== undefined) return;
  }
}

/** A conversation that has no task yet has nothing to load. */
function shownEmpty(talk: Conversation): Conversation {
  talk.messages.value ??= [];
  return talk;
}
