/** A new task, begun from wherever one is. */
import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { Artifact } from '../../../client/shapes.ts';
import { handedDraft } from '../net/composing.ts';
import { conversation } from '../net/conversation.ts';
import { Composer } from '../parts/composer.tsx';
import { writeTypedAhead } from '../parts/keys.ts';
import { showNotice } from '../parts/notices.tsx';
import { go, taskLink } from '../router.ts';
import { words } from '../words.ts';

export function NewTask({ onClose }: { onClose: () => void }): JSX.Element {
  const box = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    box.current?.showModal();
    const field = box.current?.querySelector('textarea');
    field?.focus();
    if (field) writeTypedAhead(field);
  }, []);
  const submitTask = async (text: string, files: readonly Artifact[]) => {
    const unknown = conversation('');
    const submission = (goal: string, refs: readonly string[]) => ({
      type: 'task:submit',
      goal,
      ...(refs.length > 0 ? { files: refs } : {}),
    });
    const begun = await unknown.say(text || files.map(({ title }) => title).join(', '), files, submission);
    const sent = unknown.sent.value.at(-1);
    unknown.sent.value = [];
    if (begun?.taskId === undefined) return sent?.problem;
    const talk = conversation(begun.taskId);
    if (sent !== undefined) talk.expect(sent);
    onClose();
    await go(taskLink(begun.taskId));
    return undefined;
  };
  return (
    <dialog ref={box} class="dialog new-task" aria-labelledby="new-task" onClose={onClose}>
      <h2 id="new-task">{words.begin.title}</h2>
      <p>{words.begin.hint}</p>
      <Composer
        about="new"
        bare
        isBusy={false}
        placeholder={words.begin.placeholder}
        onSend={(text, files) =>
          void submitTask(text, files).then((problem) => {
            if (problem === undefined) return;
            handedDraft.value = { about: 'new', text, files };
            showNotice(problem, { warm: true });
          })
        }
      />
    </dialog>
  );
}
