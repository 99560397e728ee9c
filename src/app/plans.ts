/** Tells people about plans that they edited in a file: where the edit went, and what it replaced. */
import { existsSync } from 'node:fs';
import { type Address, parseAddress } from '../channels/channel.ts';
import { hashText } from '../lib/files.ts';
import { escapeMarkdown } from '../runtime/conversations/places.ts';
import { getButton } from '../runtime/reply/attachments.ts';
import { openTask, type PlanEdit } from '../workspace/tasks/index.ts';
import type { TaskRecord } from '../workspace/types.ts';
import type { AppGateway } from './contract.ts';

export function tellPlanEdit(edit: PlanEdit, gw: AppGateway): void {
  tell(edit, gw).catch((error: unknown) =>
    gw.log.error({ err: error, task: edit.taskId }, 'people could not be told about an edited plan'),
  );
}

async function tell(edit: PlanEdit, gw: AppGateway): Promise<void> {
  const { taskId, kept, aside, isMerged } = edit;
  const { home, delivery, consent, log } = gw;
  log.info({ task: taskId, kept, aside, isMerged }, 'a plan was edited in a file');
  const task = openTask(home, taskId).record();
  const file = openTask(home, taskId).fileAt(kept ?? '');
  const meta =
    kept !== undefined && existsSync(file)
      ? await openTask(home, taskId).artifacts.adopt({
          title: kept,
          type: 'text/markdown',
          name: kept,
          origin: 'agent',
          path: file,
        })
      : undefined;
  const bound = gw.tasks.conversations.bound(taskId)[0]?.address;
  const address = bound ?? (task && lastPlace(task));
  if (!task || !address) return;
  const messages = gw.say(address);
  const key = editMessage(edit, meta?.name);
  const text = messages.text(key, { title: escapeMarkdown(task.title), file: meta?.name ?? aside ?? '' });
  // A button works only in the conversation where it is offered.
  const rows =
    meta && bound ? { buttons: await consent.buttons.offer(address, [[getButton(meta, messages, taskId)]]) } : {};
  const id = `plan-edit-${hashText(`${taskId} ${kept ?? aside ?? ''} ${Date.now()}`).slice(0, 16)}`;
  await delivery.add({ id, address, text, files: [], ...rows }, id);
}

function editMessage({ aside, isMerged }: PlanEdit, kept: string | undefined) {
  if (kept !== undefined) return 'plans.editTook';
  if (aside !== undefined) return 'plans.editAside';
  return isMerged ? 'plans.editMerged' : 'plans.edited';
}

function lastPlace({ conversations }: TaskRecord): Address | undefined {
  const written = parseAddress(conversations.at(-1) ?? '');
  return written?.account === undefined ? undefined : { ...written, account: written.account };
}
