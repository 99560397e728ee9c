/**
 * The steps of a plan, ticked in place. Writes the text that was shown with one mark changed, and only if that text is
 * still current.
 */
import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import type { PlanText } from '../../../client/shapes.ts';
import { ApiError, api, said } from '../net/api.ts';
import { words } from '../words.ts';
import { showNotice } from './notices.tsx';
import { type Line, stepsIn, ticked } from './plan-text.ts';

const savePlan = (taskId: string, text: string, baseHash: string) =>
  api(`/api/tasks/${encodeURIComponent(taskId)}/plan`, { method: 'PUT', body: { text, baseHash } });

/** Retries after the plan was changed: ticks the step with the same title if there is exactly one. */
async function again(taskId: string, step: Line, isDone: boolean, error: unknown): Promise<void> {
  const current = error instanceof ApiError && error.status === 409 ? error.body.current : undefined;
  if (typeof current !== 'object' || current === null) throw error;
  const { text = '', hash = '' } = current as { text?: string; hash?: string };
  const same = stepsIn(text).filter(({ title }) => title === step.title);
  if (same.length !== 1 || same[0] === undefined) throw error;
  await savePlan(taskId, ticked(text, same[0].line, isDone), hash);
}

export function PlanView(props: { taskId: string; plan: PlanText; onWritten: () => void }): JSX.Element {
  const { taskId, plan, onWritten } = props;
  const isBusy = useSignal(false);
  const steps = stepsIn(plan.text);
  const tick = async (step: Line, isDone: boolean) => {
    isBusy.value = true;
    try {
      await savePlan(taskId, ticked(plan.text, step.line, isDone), plan.hash).catch((error: unknown) =>
        again(taskId, step, isDone, error),
      );
    } catch (error) {
      const isConflict = error instanceof ApiError && error.status === 409;
      showNotice(isConflict ? words.task.changed : said(error), { warm: true });
    } finally {
      isBusy.value = false;
      onWritten();
    }
  };
  return (
    <ol class="steps">
      {steps.map((step) => (
        <li key={step.line} class={step.status}>
          <label>
            <input
              type="checkbox"
              checked={step.status === 'done'}
              disabled={isBusy.value}
              onChange={(event) => void tick(step, event.currentTarget.checked)}
            />
            <span>{step.title}</span>
          </label>
        </li>
      ))}
    </ol>
  );
}
