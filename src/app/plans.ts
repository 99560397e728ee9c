/** What people hear of plans that they have edited in a file: where an edit went, and what it took the place of. */
import { existsSync } from 'node:fs';
import path from 'node:path';
import type { Languages } from '../access/languages.ts';
import { type Address, parseAddress } from '../channels/channel.ts';
import { hashText } from '../lib/files.ts';
import type { Logger } from '../log.ts';
import type { Conversations } from '../runtime/conversations/conversations.ts';
import { escaped } from '../runtime/conversations/places.ts';
import type { Delivery } from '../runtime/delivery.ts';
import { getButton } from '../runtime/reply/attachments.ts';
import type { Buttons } from '../runtime/reply/buttons.ts';
import { adoptArtifact } from '../workspace/artifacts.ts';
import type { Home } from '../workspace/home.ts';
import { hearAdoptions, type ToldAdoption } from '../workspace/plan/edits.ts';
import { readTask } from '../workspace/tasks.ts';
import type { TaskRecord } from '../workspace/types.ts';

export interface PlanEditsOptions {
  home: Home;
  conversations: Pick<Conversations, 'bound'>;
  delivery: Pick<Delivery, 'add'>;
  buttons: Pick<Buttons, 'offer'>;
  languages: Pick<Languages, 'at'>;
  log: Logger;
}

/** What it gives back ends it. */
export function tellPlanEdits(options: PlanEditsOptions): () => void {
  const listener = (adoption: ToldAdoption) => {
    tell(adoption, options).catch((error: unknown) =>
      options.log.error({ err: error, task: adoption.taskId }, 'an edited plan could not be told of'),
    );
  };
  return hearAdoptions(options.home, listener);
}

async function tell({ taskId, kept, aside, isMerged }: ToldAdoption, options: PlanEditsOptions): Promise<void> {
  const { home, delivery, buttons, languages, log } = options;
  log.info({ task: taskId, kept, aside, isMerged }, 'a plan was edited in a file');
  const task = await readTask(home, taskId);
  const file = path.join(home.taskDir(taskId), kept ?? '');
  const meta =
    kept !== undefined && existsSync(file)
      ? await adoptArtifact(home, taskId, {
          title: kept,
          type: 'text/markdown',
          name: kept,
          origin: 'agent',
          path: file,
        })
      : undefined;
  const bound = options.conversations.bound(taskId)[0]?.address;
  const address = bound ?? (task && lastPlace(task));
  if (!task || !address) return;
  const messages = languages.at(address);
  const key = keyOf({ kept: meta?.name, aside, isMerged });
  const text = messages.text(key, { title: escaped(task.title), file: meta?.name ?? aside ?? '' });
  // A button is for the very conversation it is offered in.
  const rows = meta && bound ? { buttons: await buttons.offer(address, [[getButton(meta, messages, taskId)]]) } : {};
  const id = `plan-edit-${hashText(`${taskId} ${kept ?? aside ?? ''} ${Date.now()}`).slice(0, 16)}`;
  await delivery.add({ id, address, text, files: [], ...rows }, id);
}

function keyOf({ kept, aside, isMerged }: { [K in 'kept' | 'aside' | 'isMerged']: ToldAdoption[K] | undefined }) {
  if (kept !== undefined) return 'plans.editTook';
  if (aside !== undefined) return 'plans.editAside';
  return isMerged ? 'plans.editMerged' : 'plans.edited';
}

function lastPlace({ conversations }: TaskRecord): Address | undefined {
  const written = parseAddress(conversations.at(-1) ?? '');
  return written?.account === undefined ? undefined : { ...written, account: written.account };
}
