/** The person's own conversation: the one that they have with their viber in direct messages, so it continues there. */
import type { JSX } from 'preact';
import { useEffect, useMemo } from 'preact/hooks';
import type { Artifact, Me } from '../../../client/shapes.ts';

import { Conversation, conversation } from '../net/conversation.ts';
import { onBehind, onEvent } from '../net/live.ts';
import { me, whoAmI } from '../net/session.ts';
import { readFileNames } from '../net/talk-lines.ts';
import { ApprovalCard } from '../parts/approval.tsx';
import { PageHead, Section, StateDot } from '../parts/common.tsx';
import { Composer } from '../parts/composer.tsx';
import { Icon } from '../parts/icons.tsx';
import { stopTask } from '../parts/stop.ts';
import { Talk } from '../parts/talk.tsx';
import { talkActs } from '../parts/talk-acts.ts';
import { useWaiting } from '../parts/waiting.ts';
import { taskLink } from '../router.ts';
import { words } from '../words.ts';

/** Shows a first message until its task is known. */
const nobody = new Conversation('');

/** Returns the name to greet; an owner who logs in without an account has none. */
function greeted(who: Me | undefined): string {
  const name = who?.principal === 'api:owner' ? '' : (who?.name ?? '');
  return name.charAt(0).toUpperCase() + name.slice(1);
}

export function Now(): JSX.Element {
  const taskId = me.value?.taskId;
  const talk = useMemo(() => (taskId === undefined ? nobody : conversation(taskId)), [taskId]);
  useEffect(() => (taskId === undefined ? undefined : talk.open()), [talk, taskId]);
  useTaskInChats();
  useAsides(talk);
  const acts = useMemo(() => talkActs(talk, 'now'), [talk]);
  const approvals = useWaiting();
  const waiting = approvals.all;
  const here = waiting.filter((one) => one.taskId === taskId);
  const elsewhere = waiting.filter((one) => one.taskId !== taskId);
  const detail = talk.detail.value;
  const say = (text: string, files: readonly Artifact[], isSpoken = false) => {
    const frame = (content: string, refs: readonly string[]) => ({
      type: 'message',
      content,
      ...(refs.length > 0 ? { attachments: refs } : {}),
      ...(isSpoken ? { spoken: true } : {}),
    });
    void talk.say(text, files, frame).then(async (kept) => {
      if (kept === undefined || kept.taskId === me.value?.taskId) return;
      if (kept.taskId === undefined) await findTask();
      else if (me.value !== undefined) me.value = { ...me.value, taskId: kept.taskId };
      const begun = me.value?.taskId;
      if (begun !== undefined && begun !== talk.taskId) conversation(begun).adopt(talk);
    });
  };
  const state = talk.shownState;
  const isEmpty = taskId === undefined && nobody.sent.value.length + nobody.asides.value.length === 0;
  const connectModel = me.value?.connectModel;
  return (
    <div class="now">
      <PageHead
        title={isEmpty ? words.now.hello(greeted(me.value)) : (detail?.title ?? words.now.title)}
        intro={
          isEmpty || detail === undefined || state === undefined ? (
            words.now.intro
          ) : (
            <a class="task-head-state" href={taskLink(detail.taskId ?? taskId ?? '')}>
              <StateDot state={state} />
              {words.state[state]}
            </a>
          )
        }
      />
      {connectModel !== undefined && <NoModel command={connectModel} />}
      {elsewhere.length > 0 && (
        <Section title={words.now.waiting}>
          {elsewhere.map((approval) => (
            <ApprovalCard key={approval.id} approval={approval} withLink onDecided={() => void approvals.refresh()} />
          ))}
        </Section>
      )}
      {isEmpty ? (
        <Ideas
          of={connectModel !== undefined ? words.now.noModelIdeas : words.now.ideas}
          onChoose={(idea) => say(idea, [])}
        />
      ) : (
        <Talk of={talk.taskId === '' ? shownEmpty(talk) : talk} acts={acts}>
          {here.map((approval) => (
            <ApprovalCard key={approval.id} approval={approval} onDecided={() => void approvals.refresh()} />
          ))}
        </Talk>
      )}
      <Composer
        about="now"
        isBusy={talk.isBusy}
        onSend={(text, files, _mode, isSpoken) => say(text, files, isSpoken)}
        onStop={() => taskId !== undefined && stopTask(taskId)}
      />
    </div>
  );
}

/** Follows the person's conversation when a chat continues with another task. */
function useTaskInChats(): void {
  useEffect(() => {
    const ends = [onEvent((event) => void (event.type === 'task:started' && whoAmI())), onBehind(() => void whoAmI())];
    return () => {
      for (const end of ends) end();
    };
  }, []);
}

function useAsides(talk: Conversation): void {
  useEffect(
    () =>
      onEvent((event) => {
        if (event.type !== 'notice' || ('taskId' in event && event.taskId !== undefined)) return;
        talk.aside('text' in event ? String(event.text) : '', readFileNames('files' in event ? event.files : []));
      }),
    [talk],
  );
}

/** Says that no model is configured, and what works without one. */
function NoModel({ command }: { command: string }): JSX.Element {
  return (
    <div class="problem plain" role="note">
      <Icon name="alert" />
      <div>
        <p class="problem-title">{words.now.noModel}</p>
        <p>
          {words.now.noModelHint} <code>{command}</code>
        </p>
      </div>
    </div>
  );
}

function Ideas(props: { of: readonly string[]; onChoose: (idea: string) => void }): JSX.Element {
  const { of: ideas, onChoose } = props;
  return (
    <ul class="ideas">
      {ideas.map((idea) => (
        <li key={idea}>
          <button type="button" onClick={() => onChoose(idea)}>
            {idea}
          </button>
        </li>
      ))}
    </ul>
  );
}

/** Delays of the looks, in ms: a first message becomes a task a moment after it is accepted. */
const LOOKS_MS = [0, 200, 600, 1_500, 4_000];

async function findTask(): Promise<void> {
  for (const wait of LOOKS_MS) {
    await new Promise((resolve) => setTimeout(resolve, wait));
    await whoAmI();
    if (me.value?.taskId !== undefined) return;
  }
}

/** Shows a conversation without a task as empty instead of loading. */
function shownEmpty(talk: Conversation): Conversation {
  talk.messages.value ??= [];
  return talk;
}
