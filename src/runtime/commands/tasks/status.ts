/** /status and /stop: show what a task is doing, and stop it. */

import path from 'node:path';
import { principalText } from '../../../access/principal.ts';
import { type Address, conversationKey, formatAddress } from '../../../channels/channel.ts';
import { channelKind } from '../../../channels/index.ts';
import { lines, type Messages, say, sentences, type Text, words } from '../../../messages/messages.ts';
import { openTask, planProgress } from '../../../workspace/tasks/index.ts';
import type { TaskRecord } from '../../../workspace/types.ts';
import { coveredText } from '../../approvals/covers.ts';
import { taskLane } from '../../contract/entry.ts';
import { addressName, escapeMarkdown } from '../../conversations/places.ts';
import { isOwnTask } from '../../conversations/visibility.ts';
import { chosenAt } from '../../model/choose.ts';
import type { Gateway } from '../../run/gateway.ts';
import { revokeButton } from '../approve.ts';
import { type Command, type CommandReply, type Invocation, isPrivate, mayUse, TASK_ID } from '../command.ts';
import { othersAt, whoText } from './elsewhere.ts';
import { stillComes, stopTask } from './stop-task.ts';
import { STANDS, standNow } from './tasks.ts';

/** Returns, for example, `1 min 15 s`. */
export const elapsedText = (seconds: number, messages: Messages): Text =>
  seconds < 60
    ? messages.text('tasks.seconds', { seconds })
    : messages.text('tasks.minutes', { minutes: Math.floor(seconds / 60), seconds: seconds % 60 });

const modelAt = (address: Address, { models, places }: Gateway): string =>
  chosenAt({ models: models.choices, settings: places.settings, address }).model.id;

export const status: Command = {
  name: 'status',
  help: { group: 'now', does: 'does.status' },
  description: 'What I am doing now',
  argument: { name: 'task', description: 'The id of another task', suggests: true, pattern: TASK_ID },
  action: 'look',
  takesTask: 'any',
  async run(context) {
    const { gw, task, taskId, messages } = context;
    if (!task) {
      const none = messages.text('tasks.none', { model: modelAt(context.address, context.gw) });
      return { text: lines(none, ...addressLine(context)) };
    }
    const { view: run, depth: waiting } = await gw.engine.queue.look(taskLane(taskId));
    const plan = await openTask(gw.home, taskId).plan.read();
    const told = [words(`**${task.title}** (\`${task.id}\`)`)];
    if (run) {
      const time = elapsedText(Math.round((Date.now() - run.startedAt) / 1000), messages);
      const doing = run.tool && messages.text('tasks.workingOn', { time, doing: run.tool });
      told.push(doing || messages.text('tasks.working', { time }));
    } else {
      const state = say(STANDS[await standNow(task, context)]);
      told.push(messages.text('tasks.stands', { state, n: task.runs }));
    }
    if (waiting > 0) told.push(messages.text('tasks.messagesWait', { n: waiting }));
    if (plan) {
      const { done, total } = planProgress(plan.plan);
      told.push(messages.text('tasks.planLine', { done, total }));
    }
    if (task.project !== undefined)
      told.push(messages.text('tasks.inProject', { name: escapeMarkdown(path.basename(task.project)) }));
    told.push(...waitingLines(context));
    for (const feature of gw.features.on) told.push(...(feature.status?.(taskId, messages, gw) ?? []));
    const consents = task.always ?? [];
    if (consents.length > 0)
      told.push(
        messages.text('tasks.notAsked', {
          what: messages.list(consents.map((consent) => coveredText(consent, messages))),
        }),
      );
    if (context.gw.places.vibers.ids().length > 1) told.push(messages.text('vibers.is', { name: task.viber }));
    const elsewhere = placesNow(context);
    if (elsewhere !== '') told.push(messages.text('tasks.alsoIn', { places: elsewhere }));
    told.push(
      ...context.gw.models.spending.lines(task, run?.runId, principalText(context.principal), messages),
      messages.text('tasks.model', { model: modelAt(context.address, context.gw) }),
      ...addressLine(context),
    );
    const text = lines(...told);
    if (!mayUse(context.principal, 'steer', task) || consents.length === 0) return { text };
    return { text, buttons: consents.slice(0, MAX_BUTTONS).map((consent) => [revokeButton(consent, messages)]) };
  },
};

/** Owners see how settings and jobs name this chat. */
function addressLine({ address, principal, messages }: Invocation): Text[] {
  if (principal.role !== 'owner' || !channelKind(address.channel)) return [];
  return [messages.text('tasks.address', { address: formatAddress(address) })];
}

const MAX_BUTTONS = 6;

function waitingLines({ gw, taskId, messages }: Invocation): Text[] {
  return gw.consent.approvals.open(taskId).map(({ kind, sentence = '', expiresAt }) => {
    const about =
      kind === 'tool'
        ? messages.text('tasks.waitsForConsent', { question: sentence.split('\n')[0] ?? '' })
        : messages.text(kind === 'plan' ? 'tasks.waitsForPlan' : 'tasks.waitsForAnswer');
    const minutes = expiresAt === undefined ? 0 : Math.ceil((Date.parse(expiresAt) - Date.now()) / 60_000);
    return words(`${about}${minutes > 0 ? messages.text('tasks.minutesMore', { n: minutes }) : ''}`);
  });
}

/** Empty outside direct messages. */
function placesNow({ gw, isDirect, taskId, messages, address: here }: Invocation): string {
  if (!isDirect) return '';
  const others = gw.tasks.conversations
    .bound(taskId)
    .filter(({ address }) => conversationKey(address) !== conversationKey(here));
  const names = others.map(({ address }) => addressName(address, messages));
  return [...new Set(names)].slice(0, 5).join(', ');
}

/** `*` for everything that runs here, the ID of a task, or an agent's. */
const TARGET = '^(\\*|[\\w-]+)$';

/** Any other word is a remark after a plain stop. */
const isAgent = (word: string, { gw }: Invocation): boolean =>
  gw.places.vibers.has(word) === true || gw.places.live.runs().some(({ agentId }) => agentId === word);

/**
 * Stops an agent in all of this person's tasks, or everything in this conversation, like an interrupt from a program.
 */
async function stopAgent(target: string, context: Invocation): Promise<CommandReply> {
  const { gw, address, task, viber, principal, isDirect, message, messages } = context;
  const here = [...gw.places.live.runs(address), ...(task ? [{ taskId: task.id, agentId: task.viber }] : [])];
  const all = target === '*' ? here : [...here, ...gw.places.live.runs()];
  const meant = all.filter(({ agentId }) => target === '*' || agentId === target);
  const isHere = new Set(here.map(({ taskId }) => taskId));
  const tasks = await Promise.all(
    [...new Set(meant.map(({ taskId }) => taskId))].map((id) => openTask(gw.home, id).record()),
  );
  const stopped: { task: TaskRecord; begun: string | undefined }[] = [];
  for (const each of tasks) {
    if (!each || !mayUse(principal, 'steer', each)) continue;
    if (!isHere.has(each.id) && !isOwnTask({ principal, address, isDirect, viber }, each)) continue;
    const { isStopped, begun } = await stopTask(each.id, principal, gw, context.stop);
    if (isStopped) stopped.push({ task: each, begun });
  }
  if (stopped.length === 0) return { text: messages.text('tasks.nothingToStop') };
  return {
    text: lines(
      ...stopped.map(({ task: { id, title }, begun }) =>
        // Others don't learn what somebody does in private.
        isDirect || isPrivate(message) || isHere.has(id)
          ? sentences(messages.text('tasks.stoppedTask', { title }), stillComes(begun, messages))
          : messages.text('tasks.stoppedAny'),
      ),
    ),
    elsewhere: stopped.flatMap((each) => toldElsewhere(each.task, context)),
  };
}

/** People there would otherwise wait for its answer. */
const toldElsewhere = ({ id, title }: TaskRecord, context: Invocation) =>
  othersAt(context, id).map((address) => ({
    address,
    text: context.gw.say(address).text('tasks.stoppedBy', { who: whoText(context.principal), title }),
  }));

export const stop: Command = {
  name: 'stop',
  aliases: ['cancel'],
  help: { group: 'now', does: 'does.stop' },
  description: 'Stop what I am doing',
  argument: {
    name: 'task',
    description: 'The id of another task, an agent, or * for all',
    suggests: true,
    pattern: TARGET,
  },
  action: 'steer',
  isEnd: true,
  takesTask: 'any',
  async run(context) {
    const { taskId, task, principal, messages } = context;
    const target = context.args.trim().toLowerCase();
    if (target === '*' || isAgent(target, context)) return stopAgent(target, context);
    const { isStopped, waiting, begun } = await stopTask(taskId, principal, context.gw, context.stop);
    if (!isStopped) return { text: messages.text('tasks.nothingToStop') };
    const done = task ? messages.text('tasks.stoppedTask', { title: task.title }) : messages.text('tasks.stoppedAny');
    const next = waiting > 0 ? messages.text('tasks.comesNext', { n: waiting }) : '';
    return {
      text: sentences(done, stillComes(begun, messages), next),
      elsewhere: task ? toldElsewhere(task, context) : [],
    };
  },
};
