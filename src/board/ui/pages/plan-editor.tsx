/** Edits a task's plan as text. */
import type { JSX } from 'preact';
import type { TaskDetail } from '../../../client/shapes.ts';
import { TextEditor } from '../editor/text-editor.tsx';
import { api } from '../net/api.ts';
import { Button } from '../parts/common.tsx';
import { words } from '../words.ts';

export function PlanEditor({ taskId, onClose }: { taskId: string; onClose: () => void }): JSX.Element {
  const path = `/api/tasks/${encodeURIComponent(taskId)}`;
  return (
    <div class="plan-editor">
      <TextEditor
        name={words.task.plan}
        language="text"
        load={async () => (await api<TaskDetail>(path)).plan ?? { text: '', hash: '' }}
        save={(text, baseHash) => api(`${path}/plan`, { method: 'PUT', body: { text, baseHash } })}
        onSaved={onClose}
      />
      <Button onClick={onClose}>{words.close}</Button>
    </div>
  );
}
