/**
 * `notify`: sends a message to a chat, apart from the answer. It goes through the outbox like every answer; within a
 * run the same text is sent to the same chat once, even if a crash repeats it.
 */
import { z } from 'zod';
import { type Address, formatAddress } from '../../channels/channel.ts';
import { exampleOf } from '../../channels/index.ts';
import { DeliveryError, UserError } from '../../errors.ts';
import { hashText } from '../../lib/files.ts';
import { scrub } from '../../log.ts';
import { usesOf } from '../../runtime/context/past-run.ts';
import { defineTool } from '../../runtime/contract/tool.ts';
import { attach } from '../../runtime/reply/attachments.ts';
import { perRun } from '../../runtime/tools/bind.ts';
import { openTask } from '../../workspace/tasks/index.ts';
import type { FeatureRun } from '../gateway.ts';
import { digestFor } from './digest.ts';

const input = z.object({
  to: z
    .string()
    .max(300)
    .describe(`address: ${exampleOf('conversation')}`),
  text: z.string().describe('Markdown'),
  artifacts: z.array(z.string()).max(10).describe('ids of artifacts of this task to attach').exactOptional(),
});

const MAX_TEXT = 16_000;
/**
 * The number of messages per run that may go to the task's own conversations without asking. Further ones need
 * approval, as messages to other chats do.
 */
const MAX_UNASKED = 5;

const NAME = 'notify';

/** What the run has sent: the messages before a question or a restart, and the IDs of those after it. */
const sentBy = perRun(({ order }: FeatureRun) => ({ before: usesOf(order.earlier, NAME), since: new Set<string>() }));

const sentCount = (run: FeatureRun): number => sentBy(run).before + sentBy(run).since.size;

/** Returns the task's own conversations. A job's `deliver` addresses are not among them: they grant nothing. */
const ownPlaces = ({ order: { job, task } }: FeatureRun): readonly string[] => (job ? [] : task.conversations);

/** A job asks nobody before it sends, so features decide. */
async function mayTell({ order, gw }: FeatureRun, address: Address): Promise<boolean> {
  const isDirect = await gw.places.targets.isDirect(formatAddress(address, { account: true }));
  return gw.features.on.every((feature) => feature.mayTell?.(order, { address, isDirect }, gw) ?? true);
}

export const notify = defineTool({
  name: NAME,
  describe: 'Send a message to a chat now, apart from your answer. Only when asked for.',
  doing: 'doing.sending',
  input,
  effect: 'idempotent',
  ownWords: true,
  speaks: true,
  // The author of a job has approved it there.
  consentIn: ({ order }: FeatureRun) => (order.job ? 'never' : undefined),
  isOutside({ to }, run) {
    const isOwn = ownPlaces(run).includes(formatAddress(run.gw.places.targets.read(to), { account: true }));
    return !isOwn || sentCount(run) >= MAX_UNASKED;
  },
  kindOf: ({ to }) => to,
  async shows({ artifacts = [] }, { scope: { home, taskId } }) {
    if (artifacts.length === 0) return [];
    const known = openTask(home, taskId).artifacts.list();
    return artifacts.map((id) => known.find((artifact) => artifact.id === id)?.sha256 ?? '');
  },
  asks({ to, text, artifacts = [] }, _run, { messages, plain, code }) {
    const said = { place: code(to, 100), text: plain(text, 400) };
    const n = artifacts.length;
    const question =
      n > 0 ? messages.text('consent.notifyFiles', { ...said, n }) : messages.text('consent.sendTo', said);
    return { text: question, yes: messages.text('consent.send') };
  },
  async execute({ to, text, artifacts = [] }, run) {
    const {
      scope: { home, taskId, runId },
      order: { principal, task, job },
      gw,
    } = run;
    const { targets, channelOf } = gw.places;
    const words = scrub(text.trim());
    if (words === '' && artifacts.length === 0) throw new UserError('There is nothing to send.');
    if (words.length > MAX_TEXT)
      throw new UserError(`That is too long: at most ${MAX_TEXT} characters; attach an artifact instead.`);
    const address = await targets.find(to, principal, ownPlaces(run)).catch((error: unknown) => {
      if (!(error instanceof DeliveryError)) throw error;
      throw new UserError(`${to} cannot be reached now; try again later.`);
    });
    if (job && !(await mayTell(run, address)))
      throw new UserError(`${to} may not read what this job has seen: an owner can add it to projects.groups.`);
    const known = openTask(home, taskId).artifacts.list();
    const chosen = artifacts.map((id) => {
      const found = known.find((artifact) => artifact.id === id);
      if (!found) throw new UserError(`This task has no artifact ${JSON.stringify(id.slice(0, 60))}.`);
      return found;
    });
    const maxBytes = channelOf(address)?.limits.uploadBytes ?? Number.MAX_SAFE_INTEGER;
    const rules = { mode: 'auto' as const, maxBytes, maxFiles: 10 };
    const { files, onRequest, gone } = await attach(home, taskId, chosen, rules);
    if (gone.length > 0) throw new UserError(`The file of "${gone[0]?.title}" no longer exists.`);
    if (onRequest.length > 0) throw new UserError(`${onRequest[0]?.name} is too large to be sent there.`);
    const id = `${runId}-notify-${hashText(JSON.stringify([formatAddress(address), words, artifacts])).slice(0, 16)}`;
    const source = job && { taskId: task.id, viber: task.viber, job };
    const digest = source && (await digestFor(source, address, { text: words, refs: chosen }, gw));
    await gw.delivery.add({ id, address, text: words, files, ...digest }, runId, true);
    sentBy(run).since.add(id);
    return { status: 'sent', to: formatAddress(address) };
  },
});
