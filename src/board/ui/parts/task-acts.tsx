/** Renames, archives and deletes a task, by its buttons and by the search. A deletion can be undone for some minutes; the notice offers it. */
import { type Signal, useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import type { TaskDetail } from '../../../client/shapes.ts';
import { sendCommand } from '../net/live.ts';
import { go, pageLink, taskLink } from '../router.ts';
import { words } from '../words.ts';
import { Button } from './common.tsx';
import { type Act, shownActs } from './keys.ts';
import { showNotice, showProblem } from './notices.tsx';
import { stopTask } from './stop.ts';

interface Change {
  title?: string;
  archived?: boolean;
  deleted?: boolean;
}

const sendChange = (taskId: string, change: Change) => sendCommand({ type: 'task:change', taskId, ...change });

export function TaskActs(props: {
  detail: TaskDetail;
  title: string;
  onChanged: () => void;
  isNaming: Signal<boolean>;
}): JSX.Element {
  const { detail, title, onChanged, isNaming } = props;
  const { taskId, archived = false } = detail;
  const isBusy = useSignal(false);
  const busyWhile = async (work: () => Promise<void>) => {
    isBusy.value = true;
    await work().catch(showProblem);
    isBusy.value = false;
  };
  const toggleArchived = () =>
    busyWhile(async () => {
      await sendChange(taskId, { archived: !archived });
      onChanged();
      const takeBack = () => void sendChange(taskId, { archived }).then(onChanged, showProblem);
      showNotice(archived ? words.task.restored(title) : words.task.archived(title), {
        action: { label: words.undo, act: takeBack },
      });
    });
  const deleteNow = () =>
    busyWhile(async () => {
      // The page is left first, since all that is open on it would load a task that is gone.
      await go(pageLink('tasks'));
      await sendChange(taskId, { deleted: true }).catch(async (error: unknown) => {
        await go(taskLink(taskId));
        throw error;
      });
      const takeBack = async () => {
        await sendChange(taskId, { deleted: false });
        showNotice(words.task.restored(title));
        await go(taskLink(taskId));
      };
      showNotice(words.task.deleted(title), {
        action: { label: words.undo, act: () => void takeBack().catch(showProblem) },
        ms: UNDO_MS,
      });
    });
  const acts: readonly Act[] = [
    { id: 'rename', icon: 'edit', title: words.task.rename, act: () => (isNaming.value = true) },
    {
      id: 'archive',
      icon: 'archive',
      title: archived ? words.task.unarchive : words.task.archive,
      isPressed: archived,
      act: () => void toggleArchived(),
    },
    { id: 'delete', icon: 'trash', title: words.task.delete, act: () => void deleteNow() },
  ];
  useEffect(() => {
    const stop: Act = { id: 'stop', icon: 'stop', title: words.task.stop, act: () => stopTask(taskId) };
    shownActs.value = { of: title, acts: detail.state === 'running' ? [stop, ...acts] : acts };
    return () => {
      shownActs.value = { of: '', acts: [] };
    };
  });
  return (
    <>
      {acts.map(({ id, icon, title: label, isPressed, act }) => (
        <Button
          key={id}
          kind="quiet"
          icon={icon}
          label={label}
          {...(isPressed !== undefined && { pressed: isPressed })}
          disabled={isBusy.value && id !== 'rename'}
          onClick={act}
        />
      ))}
    </>
  );
}

/** Long enough to find one's way to it by keys. */
const UNDO_MS = 20_000;

export function TaskName(props: { detail: TaskDetail; onDone: () => void }): JSX.Element {
  const { detail, onDone } = props;
  const box = useRef<HTMLInputElement>(null);
  // An effect comes after the next frame: a key that is typed before it would be lost.
  useLayoutEffect(() => box.current?.select(), []);
  const storeName = async () => {
    const title = box.current?.value.trim() ?? '';
    if (title !== '' && title !== detail.title) await sendChange(detail.taskId, { title }).catch(showProblem);
    onDone();
  };
  return (
    <form
      class="task-name"
      onSubmit={(event) => {
        event.preventDefault();
        void storeName();
      }}
    >
      <input
        ref={box}
        type="text"
        maxLength={100}
        aria-label={words.task.name}
        defaultValue={detail.title}
        onKeyDown={(event) => {
          if (event.key !== 'Escape') return;
          event.preventDefault();
          onDone();
        }}
      />
      <Button type="submit" kind="main">
        {words.save}
      </Button>
    </form>
  );
}
