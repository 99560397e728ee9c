/**
 * `notify`: a message to a chat of its own, beside the answer. It goes through the outbox like every answer; the same words
 * to the same place are sent once in a run, however often a crash has them said again.
 */
import { z } from 'zod';
import type { OutboundTargets } from '../../access/outbound-targets.ts';
import type { Principal } from '../../access/principal.ts';
import { type Address, formatAddress, type OutboundMessage } from '../../channels/channel.ts';
import { DeliveryError, UserError } from '../../errors.ts';
import { hashText } from '../../lib/files.ts';
import { scrub } from '../../log.ts';
import { listArtifacts } from '../../workspace/artifacts.ts';
import type { RuntimeTool } from '../contract/task.ts';
import { defineTool, type ToolScope } from '../contract/tool-scope.ts';
import type { Digest } from '../conversations/digest-task.ts';
import type { Delivery } from '../delivery.ts';
import { attach } from '../reply/attachments.ts';

const input = z.object({
  to: z.string().max(300).describe('address: telegram:1001, discord:99887, slack:C024BE91L'),
  text: z.string().describe('Markdown'),
  artifacts: z.array(z.string()).max(10).describe('ids of artifacts of this task to attach').exactOptional(),
});

const MAX_TEXT = 16_000;
/** Messages to the task's own conversations that a run sends unasked; after that they are asked about like those to any other place. */
const MAX_UNASKED = 5;

export interface NotifyDeps {
  targets: OutboundTargets;
  delivery: Pick<Delivery, 'add'>;
  principal: Principal;
  /** The task's own conversations, as text with account. */
  own: readonly string[];
  /** A job: whoever wrote it has said so. Gives what its digest is sent with. */
  job?: (address: Address, digest: Digest) => Promise<Pick<OutboundMessage, 'digest' | 'buttons'>>;
  maxBytes: (channel: string) => number;
}

/** The name by which a run's transcript tells that it has sent something by itself. */
export const NOTIFY = 'notify';

export function notify({ home, taskId, runId }: ToolScope, deps: NotifyDeps): RuntimeTool {
  const { targets, own, principal } = deps;
  const sent = new Set<string>();
  const isOwn = (to: string) => own.includes(formatAddress(targets.read(to), { account: true }));
  return defineTool({
    name: NOTIFY,
    description: 'Send a message to a chat now, apart from your answer. Only when asked for.',
    input,
    effect: 'idempotent',
    ...(deps.job ? { consent: 'never' as const } : {}),
    isOutside: ({ to }) => !isOwn(to) || sent.size >= MAX_UNASKED,
    kindOf: ({ to }) => to,
    async shows({ artifacts = [] }) {
      if (artifacts.length === 0) return [];
      const known = await listArtifacts(home, taskId);
      return artifacts.map((id) => known.find((artifact) => artifact.id === id)?.sha256 ?? '');
    },
    asks({ to, text, artifacts = [] }, { messages, plain, code }) {
      const said = { place: code(to, 100), text: plain(text, 400) };
      const n = artifacts.length;
      const question =
        n > 0 ? messages.text('consent.notifyFiles', { ...said, n }) : messages.text('consent.notify', said);
      return { text: question, yes: messages.text('consent.send') };
    },
    async execute({ to, text, artifacts = [] }) {
      const words = scrub(text.trim());
      if (words === '' && artifacts.length === 0) throw new UserError('There is nothing to send.');
      if (words.length > MAX_TEXT)
        throw new UserError(`That is too long: at most ${MAX_TEXT} characters; attach an artifact instead.`);
      const address = await targets.find(to, principal, own).catch((error: unknown) => {
        if (!(error instanceof DeliveryError)) throw error;
        throw new UserError(`${to} cannot be reached now; try again later.`);
      });
      const known = await listArtifacts(home, taskId);
      const chosen = artifacts.map((id) => {
        const found = known.find((artifact) => artifact.id === id);
        if (!found) throw new UserError(`This task has no artifact ${JSON.stringify(id.slice(0, 60))}.`);
        return found;
      });
      const rules = { mode: 'auto' as const, maxBytes: deps.maxBytes(address.channel), maxFiles: 10 };
      const { files, onRequest, gone } = await attach(home, taskId, chosen, rules);
      if (gone.length > 0) throw new UserError(`The file of "${gone[0]?.title}" is no longer there.`);
      if (onRequest.length > 0) throw new UserError(`${onRequest[0]?.name} is too large to be sent there.`);
      const id = `${runId}-notify-${hashText(JSON.stringify([formatAddress(address), words, artifacts])).slice(0, 16)}`;
      const digest = await deps.job?.(address, { text: words, refs: chosen });
      await deps.delivery.add({ id, address, text: words, files, ...digest }, runId, true);
      sent.add(id);
      return { status: 'sent', to: formatAddress(address) };
    },
  });
}
