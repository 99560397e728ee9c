/**
 * Handles a typed yes or no. Invariants: it counts as the button of the one question that its writer may decide and
 * that was in this conversation before they wrote; it never decides another question, in whatever order events arrive.
 */
import type { Principal } from '../../access/principal.ts';
import { conversationKey, type InboundMessage } from '../../channels/channel.ts';
import type { BareAnswer } from '../../messages/bare-answers.ts';
import type { Home } from '../../workspace/home.ts';
import { openTask } from '../../workspace/tasks/index.ts';
import type { ApprovalRequest } from '../contract/approval.ts';
import { type ButtonAction, questionId } from '../contract/buttons.ts';
import type { ExpectedAnswer } from '../conversations/expected.ts';
import type { Buttons } from '../reply/buttons.ts';
import type { Asking, Questions } from '../reply/questions.ts';
import type { Approvals } from './approvals.ts';
import { askedAt, isSamePersons, mayDecide } from './request.ts';

export interface TypedServices {
  home: Home;
  approvals: Approvals;
  questions: Questions;
  buttons: Buttons;
  now?: () => number;
}

export type TypedAnswer = ExpectedAnswer | 'several';

/** A person may answer a question, in ms, before we have recorded that the platform shows it. */
const SHOWN_SOON_MS = 1_500;
const LOOK_MS = 25;
/** A bare word answers an offer for this long, in ms. */
const OFFER_MS = 12 * 3_600_000;
const APPROVAL = questionId.approval('');
/** Channels that report a question as such, without a message. */
const WITHOUT_MESSAGES = ['api', 'hub'];

interface Open {
  question: string;
  asking: Asking;
}

export async function typedAnswer(
  message: InboundMessage,
  principal: Principal,
  means: BareAnswer,
  services: TypedServices,
): Promise<TypedAnswer | undefined> {
  const requests = await theirRequests(message, principal, services);
  const direct = requests.filter(({ asked }) =>
    asked.some(({ address }) => WITHOUT_MESSAGES.includes(address.channel)),
  );
  const { shown, isUnsure } = await shownRequests(requests, message, services);
  const open = [...shown, ...(await offers(message, principal, services))];
  const replied = open.filter(({ asking }) => isRepliedTo(asking, message));
  const meant = onePerQuestion(replied.length > 0 ? replied : open);
  const bare = direct.filter(({ askedAt: at }) => Date.parse(at) <= latestTime(message));
  if (meant.length + (replied.length > 0 ? 0 : bare.length) > 1) return 'several';
  if (meant.length > 0 && replied.length === 0 && isUnsure) return 'several';
  const [only] = meant;
  if (only) return pressed(only, means, services);
  const [request] = bare;
  return request && request.kind !== 'question' ? { command: 'approve', args: `${request.id} ${means}` } : undefined;
}

async function theirRequests(
  message: InboundMessage,
  principal: Principal,
  { home, approvals }: TypedServices,
): Promise<ApprovalRequest[]> {
  await approvals.refresh();
  const here = approvals
    .all()
    .filter((request) => askedAt(request, message.address) !== undefined || isSamePersons(request, principal, message));
  const found = await Promise.all(
    here.map(async (request) => ({ request, task: openTask(home, request.taskId).record() })),
  );
  return found.flatMap(({ request, task }) => (task && mayDecide(request, principal, task) ? [request] : []));
}

/**
 * Returns requests that people have seen. `isUnsure`: one of this conversation is still on its way, so its reader may
 * have it already and mean it.
 */
async function shownRequests(
  requests: readonly ApprovalRequest[],
  message: InboundMessage,
  { approvals, questions, now = Date.now }: TypedServices,
): Promise<{ shown: Open[]; isUnsure: boolean }> {
  const until = now() + SHOWN_SOON_MS;
  for (;;) {
    const found = await Promise.all(
      requests.map(async ({ id }) => {
        const question = questionId.approval(id);
        return (await questions.asking(question)).map((asking) => ({ question, asking }));
      }),
    );
    // The message of a request that was withdrawn in the meantime is gone, so it isn't pending.
    const open = new Set(approvals.all().map(({ id }) => id));
    const onTheirWay = requests.filter(
      ({ id, asked }, at) =>
        open.has(id) && !found[at]?.length && !asked.every(({ address }) => WITHOUT_MESSAGES.includes(address.channel)),
    );
    if (onTheirWay.length === 0 || now() >= until) {
      const shown = found.flat().filter(({ asking }) => stoodBefore(asking, message));
      return { shown, isUnsure: onTheirWay.some((request) => askedAt(request, message.address) !== undefined) };
    }
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}

/** Returns the offers that wait for this person; only owners get any. */
async function offers(message: InboundMessage, { role }: Principal, services: TypedServices): Promise<Open[]> {
  if (role !== 'owner') return [];
  const { questions, buttons, now = Date.now } = services;
  const open: Open[] = [];
  for (const until = now() + SHOWN_SOON_MS; questions.isComing(message.address) && now() < until; )
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  for (const asking of await questions.here(message.address)) {
    if (!stoodBefore(asking, message) || (asking.at ?? 0) < now() - OFFER_MS) continue;
    for (const { id, decides } of asking.buttons.flat()) {
      if (decides === undefined || decides.startsWith(APPROVAL)) continue;
      const action = await buttons.press(id, asking.address);
      if (action?.means) open.push({ question: decides, asking });
    }
  }
  return open;
}

const onePerQuestion = (open: readonly Open[]): Open[] => [...new Map(open.map((one) => [one.question, one])).values()];

async function pressed(
  { question, asking }: Open,
  means: BareAnswer,
  { buttons }: TypedServices,
): Promise<ExpectedAnswer | undefined> {
  for (const { id, decides } of asking.buttons.flat()) {
    const action: ButtonAction | undefined = decides === question ? await buttons.press(id, asking.address) : undefined;
    if (action && 'command' in action && action.means === means) return { command: action.command, args: action.args };
  }
  return undefined;
}

const isRepliedTo = ({ address, messageId }: Asking, message: InboundMessage): boolean =>
  message.repliesTo === messageId && conversationKey(address) === conversationKey(message.address);

/**
 * Goes by the platform's own order within a chat; by time if it has none, if the question was edited into an earlier
 * message, or if the two are in different chats.
 */
function stoodBefore({ address, messageId, at = 0, isEdit = false }: Asking, message: InboundMessage): boolean {
  const isHere = message.sequence !== undefined && conversationKey(address) === conversationKey(message.address);
  const [asked, said] = isHere ? [ordinalOf(messageId), ordinalOf(message.messageId)] : [];
  const isOrdered = asked !== undefined && said !== undefined;
  if (isOrdered && said <= asked) return false;
  return isOrdered && !isEdit ? true : at <= latestTime(message);
}

/**
 * IDs that the platform assigns in order (`1001`, `1575572276630257664`, `1764180000.000100`); a number would be
 * rounded.
 */
const ordinalOf = (id: string): bigint | undefined =>
  /^\d+(\.\d{6})?$/.test(id) ? BigInt(id.replace('.', '')) : undefined;

/** Whole seconds cover their entire second. */
const latestTime = ({ sentAt }: InboundMessage): number => sentAt + (sentAt % 1_000 === 0 ? 999 : 0);
