/**
 * /approve: the hidden command behind the buttons of a question. Every press gets one plain sentence, even a second or
 * late one, or one by a stranger.
 */
import { principalText } from '../../access/principal.ts';
import type { Attachment } from '../../channels/channel.ts';
import { hashText, readText, sha256File } from '../../lib/files.ts';
import { labelOf, type Messages, type Text, words } from '../../messages/messages.ts';
import { openTask } from '../../workspace/tasks/index.ts';
import type { Consent, TaskRecord } from '../../workspace/types.ts';
import { coveredText } from '../approvals/covers.ts';
import { planFileName, planPath } from '../approvals/plan-approval.ts';
import { APPROVE, openFor, QUESTION_MINUTES } from '../approvals/question.ts';
import { askedAt, isSamePersons, mayDecide } from '../approvals/request.ts';
import { type ApprovalRequest, allowedFor, type Decision, kindsOf } from '../contract/approval.ts';
import type { ButtonAction } from '../contract/buttons.ts';
import { plainName } from '../conversations/places.ts';
import { spellInvisible } from '../reply/show.ts';
import { askUserInput } from '../tools/ask-user.ts';
import { toolNamed } from '../tools/table.ts';
import { type Command, type CommandReply, type Invocation, isPrivate, mayUse } from './command.ts';

export const approve: Command = {
  name: APPROVE,
  description: 'Answer what I asked',
  action: 'look',
  hidden: true,
  async run(context) {
    const { messages, principal } = context;
    const [id = '', verb = ''] = context.args.trim().split(/\s+/);
    if (id === 'revoke') return revoke(context, verb);
    const request = context.gw.consent.approvals.get(id);
    const task = request && openTask(context.gw.home, request.taskId).record();
    if (!request || !task) return { text: messages.text('questions.gone') };
    if (!askedAt(request, context.address) && !isSamePersons(request, principal, context))
      return { text: messages.text('questions.elsewhere') };
    if (!mayUse(context.principal, 'steer', task))
      return { text: messages.text('questions.peopleOnly', { title: task.title }) };
    if (!mayDecide(request, principal, task)) {
      const { role, name } = request.principal;
      if (role === 'guest') return { text: messages.text('questions.ownersOnly') };
      return { text: messages.text('questions.theyOrOwner', { name: plainName(name) }) };
    }
    if (verb === 'details') return { text: words(request.details ?? messages.text('consent.noDetails')) };
    if (verb === 'edit' && !request.decision) return editPlan(context, task);
    if (verb === 'when' && !request.decision) return askWhen(context, id);
    return decideRequest(context, request, context.args.trim().slice(id.length).trim());
  },
};

function askWhen({ gw, address, principal, messages }: Invocation, id: string): CommandReply {
  gw.tasks.expected.set(address, principalText(principal), { command: APPROVE, args: `${id} at` });
  return { text: messages.text('consent.askWhen') };
}

async function decideRequest(
  { gw, principal, address, message, messages }: Invocation,
  request: ApprovalRequest,
  verb: string,
): Promise<CommandReply> {
  const gone = { text: messages.text('questions.gone') };
  const decision = decisionFor(request, verb);
  if (!decision) return gone;
  const by = { by: principalText(principal), name: plainName(principal.name) };
  const decided = await gw.consent.approvals.decide(request.id, { ...decision, ...by }, address);
  if (!decided?.request.decision) return gone;
  const { kind, tool, taskId } = decided.request;
  if (!decided.isFirst)
    return { text: closed(decided.request.decision, { me: by.by, time: openFor(tool, messages) }, messages) };
  // A program waits for one answer, which is that of the run.
  const isAwaited = gw.places.channelOf(address)?.takesResults === true;
  if (isAwaited && gw.consent.approvals.open(taskId).length === 0) return { text: NOTHING };
  switch (decision.verdict) {
    case 'approve':
      // A tool that arranges something does nothing now: its result appears later.
      if (kind === 'tool' && toolNamed(tool)?.arranges)
        return { text: isPrivate(message) ? messages.text('questions.agreed') : NOTHING };
      return { text: messages.text(kind === 'plan' ? 'questions.approvedPlan' : 'questions.approved') };
    case 'always':
      return { text: messages.text('questions.always', { what: allowedText(decided.request, messages) }) };
    case 'answer':
      return { text: messages.text('questions.noted', { answer: spellInvisible(decision.answer) }) };
    case 'another':
      return { text: messages.text('consent.another') };
    case 'deny':
      return { text: messages.text(kind === 'plan' ? 'questions.deniedPlan' : 'questions.denied') };
  }
}

const NOTHING = words('');

/** What a person has allowed. */
function allowedText(request: ApprovalRequest, messages: Messages): Text {
  const { tool, wide, decision } = request;
  if (decision?.isWide && wide) return coveredText(wide, messages);
  const all = kindsOf(request).map((kind) => coveredText({ tool, kind }, messages));
  return words(messages.list(all));
}

type Choice =
  | { verdict: 'approve' | 'always' | 'deny'; isWide?: true }
  | { verdict: 'answer' | 'another'; answer: string };

/** Returns undefined if the request has no such button. */
function decisionFor(request: ApprovalRequest, verb: string): Choice | undefined {
  if (request.kind === 'question') {
    const answer = askUserInput.safeParse(request.input).data?.options?.[Number(verb) - 1];
    return answer === undefined ? undefined : { verdict: 'answer', answer };
  }
  const when = request.kind === 'tool' ? /^at\s+(\S[\s\S]*)$/.exec(verb)?.[1] : undefined;
  if (when !== undefined) return { verdict: 'another', answer: when };
  if (verb === 'yes') return { verdict: 'approve' };
  if (verb === 'no' || verb === 'edit') return { verdict: 'deny' };
  return allowedFor(request, verb);
}

function closed(
  { verdict, by, name, answer = '' }: Decision,
  { me, time }: { me: string; time: Text },
  messages: Messages,
): Text {
  const who = { who: by === me ? 'you' : 'other', name: name || messages.text('questions.somebody') };
  const given = spellInvisible(answer);
  switch (verdict) {
    case 'approve':
    case 'always':
      return messages.text('questions.isApproved', who);
    case 'deny':
      return messages.text('questions.isDenied', who);
    case 'expired':
      return messages.text('questions.lateDenied', { time });
    case 'answer':
      if (by !== '') return messages.text('questions.isAnswered', { ...who, answer: given });
      return messages.text('questions.lateAnswered', { minutes: QUESTION_MINUTES, answer: given });
    case 'another':
      return messages.text('consent.moved');
    case 'wrote':
      return messages.text('questions.wrote', who);
    case 'stop':
      return messages.text('questions.stopped');
  }
}

async function editPlan({ gw, messages }: Invocation, task: TaskRecord): Promise<CommandReply> {
  const file = planPath(gw.home, task.id);
  const text = await readText(file);
  if (text === undefined) return { text: messages.text('questions.planGone') };
  const name = 'implementation_plan.md';
  const size = Buffer.byteLength(text);
  const attachment: Attachment = { path: file, name, mimeType: 'text/markdown', size, sha256: await sha256File(file) };
  return { text: messages.text('questions.planEdit', { file: planFileName(task) }), files: [attachment] };
}

const consentKey = ({ tool, kind }: Consent): string => hashText(JSON.stringify([tool, kind])).slice(0, 12);

export const revokeButton = (consent: Consent, messages: Messages): ButtonAction => ({
  label: labelOf(messages.text('questions.askAgain', { what: coveredText(consent, messages) })),
  command: APPROVE,
  args: `revoke ${consentKey(consent)}`,
});

async function revoke({ gw, task, messages, principal }: Invocation, key: string): Promise<CommandReply> {
  if (!task) return { text: messages.text('questions.gone') };
  if (!mayUse(principal, 'steer', task)) return { text: messages.text('questions.revokeOnly', { title: task.title }) };
  const consent = task.always?.find((each) => consentKey(each) === key);
  if (!consent) return { text: messages.text('questions.asksAlready') };
  await openTask(gw.home, task).update((record) => ({
    ...record,
    always: (record.always ?? []).filter((each) => consentKey(each) !== key),
  }));
  return { text: messages.text('questions.asksAgain', { what: coveredText(consent, messages) }) };
}
