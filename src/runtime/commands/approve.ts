/**
 * /approve: the hidden command behind the buttons of a question. Who may decide, where, and that it happens once is decided
 * here and in the store of requests; every press gets one plain sentence, the second, the late and the stranger's too.
 */
import { principalText } from '../../access/principal.ts';
import type { Attachment } from '../../channels/channel.ts';
import { hashText, readText, sha256File } from '../../lib/files.ts';
import { messagesIn } from '../../messages/messages.ts';
import { readTask, updateTask } from '../../workspace/tasks.ts';
import type { Consent, TaskRecord } from '../../workspace/types.ts';
import { askedAt } from '../approvals/approvals.ts';
import { planPath } from '../approvals/plan-approval.ts';
import { APPROVE, CONSENT_MINUTES, QUESTION_MINUTES } from '../approvals/question.ts';
import type { ApprovalRequest, Decision } from '../contract/approval.ts';
import type { ButtonAction } from '../contract/buttons.ts';
import { plainName } from '../conversations/places.ts';
import { visible } from '../reply/show.ts';
import { askUserInput } from '../tools/ask-user.ts';
import type { Command, CommandContext, CommandReply } from './command.ts';

const GONE = 'I do not know this question any more. Ask me again if it still matters.';

export const approve: Command = {
  name: APPROVE,
  description: 'Answer what I asked',
  action: 'look',
  hidden: true,
  async run(context) {
    const [id = '', verb = ''] = context.args.trim().split(/\s+/);
    if (id === 'revoke') return revoke(context, verb);
    const request = context.approvals?.get(id);
    if (!request) return { text: GONE };
    const task = await readTask(context.home, request.taskId);
    if (!task) return { text: GONE };
    if (!askedAt(request, context.address)) return { text: 'Please answer this in the conversation where I asked.' };
    if (!context.mayUse('steer', task))
      return { text: `Only the people of **${task.title}** may answer this; ask one of them.` };
    // A guest answers questions about their own task, and consents to no effect.
    if (context.principal.role === 'guest' && (request.principal.role !== 'guest' || request.kind === 'tool')) {
      const { role, name } = request.principal;
      return { text: `Only ${role === 'guest' ? '' : `${plainName(name)} or `}an owner may answer this.` };
    }
    if (verb === 'details') return { text: request.details ?? context.messages.text('consent.noDetails') };
    if (verb === 'edit' && !request.decision) return editPlan(context, task);
    if (verb === 'when' && !request.decision) return askWhen(context, id);
    return decide(context, request, context.args.trim().slice(id.length).trim());
  },
};

/** Their next words here say when. */
function askWhen({ expected, address, principal }: CommandContext, id: string): CommandReply {
  expected?.set(address, principalText(principal), { command: APPROVE, args: `${id} at` });
  return { text: messagesIn(undefined).text('consent.askWhen') };
}

async function decide(
  { approvals, principal, address }: CommandContext,
  request: ApprovalRequest,
  verb: string,
): Promise<CommandReply> {
  const decision = decisionFor(request, verb);
  if (!decision || !approvals) return { text: GONE };
  const by = { by: principalText(principal), name: plainName(principal.name) };
  const decided = await approvals.decide(request.id, { ...decision, ...by }, address);
  if (!decided?.request.decision) return { text: GONE };
  const { kind, tool, scope } = decided.request;
  if (!decided.isFirst) return { text: closed(decided.request.decision, decided.request, by.by) };
  switch (decision.verdict) {
    case 'approve':
      return { text: kind === 'plan' ? 'Approved; I begin.' : 'Approved; I run it now.' };
    case 'always':
      return {
        text: `Approved, and from now on in this task: ${consentText({ tool, kind: scope })}. /status takes it back.`,
      };
    case 'answer':
      return { text: `Noted: ${visible(decision.answer)}` };
    case 'another':
      return { text: messagesIn(undefined).text('consent.another') };
    case 'deny':
      return { text: kind === 'plan' ? 'Rejected; I do not begin.' : 'Denied; it does not run.' };
  }
}

type Choice = { verdict: 'approve' | 'always' | 'deny' } | { verdict: 'answer' | 'another'; answer: string };

/** What a button of this request means; undefined for what no button of it says. */
function decisionFor(request: ApprovalRequest, verb: string): Choice | undefined {
  if (request.kind === 'question') {
    const answer = askUserInput.safeParse(request.input).data?.options?.[Number(verb) - 1];
    return answer === undefined ? undefined : { verdict: 'answer', answer };
  }
  const when = request.kind === 'tool' ? /^at\s+(\S[\s\S]*)$/.exec(verb)?.[1] : undefined;
  if (when !== undefined) return { verdict: 'another', answer: when };
  if (verb === 'yes') return { verdict: 'approve' };
  if (verb === 'no' || verb === 'edit') return { verdict: 'deny' };
  return verb === 'always' && request.kind === 'tool' ? { verdict: 'always' } : undefined;
}

/** Why a press has no effect any more. */
function closed({ verdict, by, name, answer = '' }: Decision, { kind }: ApprovalRequest, me: string): string {
  const who = by === me ? 'You have' : `${name || 'Somebody'} has`;
  switch (verdict) {
    case 'approve':
    case 'always':
      return `${who} approved this already.`;
    case 'deny':
      return `${who} ${kind === 'plan' ? 'rejected' : 'denied'} this already.`;
    case 'expired':
      return `This came too late: without an answer within ${CONSENT_MINUTES} minutes it was denied. Ask me again if it should be done.`;
    case 'answer':
      if (by !== '') return `${who} answered this already: ${visible(answer)}`;
      return `This came too late: after ${QUESTION_MINUTES} minutes I went on with: ${visible(answer)}`;
    case 'another':
      return messagesIn(undefined).text('consent.moved');
    case 'wrote':
      return `This is closed: ${by === me ? 'you' : name || 'somebody'} wrote to me instead.`;
    case 'stop':
      return 'This is closed: the work was stopped.';
  }
}

async function editPlan({ home }: CommandContext, task: TaskRecord): Promise<CommandReply> {
  const file = planPath(home, task.id);
  const text = await readText(file);
  if (text === undefined) return { text: 'The plan’s file is gone. Write to me what should be different.' };
  const name = 'implementation_plan.md';
  const size = Buffer.byteLength(text);
  const attachment: Attachment = { path: file, name, mimeType: 'text/markdown', size, sha256: await sha256File(file) };
  return {
    text: `Write to me what should be different, or edit \`artifacts/${task.id}/${name}\` and then press Approve: your plan counts.`,
    files: [attachment],
  };
}

/** `write_file (workspace files)`. */
export const consentText = ({ tool, kind }: Pick<Consent, 'tool' | 'kind'>): string =>
  `\`${tool}\`${kind === '' ? '' : ` (${visible(kind)})`}`;

const keyOf = ({ tool, kind }: Consent): string => hashText(JSON.stringify([tool, kind])).slice(0, 12);

export const revokeButton = (consent: Consent): ButtonAction => ({
  label: `Ask again: ${consent.tool}`.slice(0, 40),
  command: APPROVE,
  args: `revoke ${keyOf(consent)}`,
});

async function revoke({ home, task, mayUse }: CommandContext, key: string): Promise<CommandReply> {
  if (!task) return { text: GONE };
  if (!mayUse('steer', task)) return { text: `Only the people of **${task.title}** may take this back.` };
  const consent = task.always?.find((each) => keyOf(each) === key);
  if (!consent) return { text: 'I ask about this already.' };
  await updateTask(home, task.id, (record) => ({
    ...record,
    always: (record.always ?? []).filter((each) => keyOf(each) !== key),
  }));
  return { text: `I ask again before ${consentText(consent)}.` };
}
