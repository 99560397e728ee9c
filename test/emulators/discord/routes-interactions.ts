/** Callbacks of interactions, and the messages that follow with their token. */
import type { Body } from './body.ts';
import { ANSWER_FLAGS, amend, compose } from './compose.ts';
import { EPHEMERAL, LOADING } from './draft.ts';
import { refuse, wrongChoice } from './errors.ts';
import { type Fields, integer, isObject, list, textBetween } from './fields.ts';
import type { Interaction } from './interactions.ts';
import { post, remove } from './messages.ts';
import type { Platform } from './platform.ts';
import { messageObject } from './render-message.ts';
import { type Call, open, type Routes } from './route.ts';
import { channelOf, messageOf, type StoredMessage } from './world.ts';

const COMMAND = 20;
/** The callback types that an interaction of each kind accepts; no bot of ours shows a form (9). */
const ALLOWED: Record<number, number[]> = { 2: [4, 5], 3: [4, 5, 6, 7], 4: [8], 5: [4, 5, 6, 7] };

/** A message that answers an interaction. */
function answer(platform: Platform, interaction: Interaction, facts: Partial<StoredMessage>): StoredMessage {
  const { id, kind, userId, name, channelId } = interaction;
  const channel = channelOf(platform.world, channelId);
  if (channel.thread?.archived && channel.thread.locked) throw refuse(50_083);
  const isFirst = interaction.responseId === null && interaction.followups.length === 0;
  return post(platform, channel, {
    authorId: platform.world.bot.id,
    type: isFirst && kind === 2 ? COMMAND : 0,
    interaction: { id, kind, userId, name },
    seenBy: ((facts.flags ?? 0) & EPHEMERAL) === 0 ? null : userId,
    ...facts,
  });
}

function readChoices(data: Fields): { name: string; value: string | number }[] {
  return list(data, 'choices', 25, 'data.choices').map((choice, index) => {
    const name = textBetween(choice, 'name', 1, 100, `data.choices.${index}.name`);
    const { value } = choice;
    if (typeof value === 'number') return { name, value };
    return { name, value: textBetween(choice, 'value', 1, 100, `data.choices.${index}.value`) };
  });
}

/** Carries out a callback and returns the message that it created or changed. If it throws, nothing is acknowledged. */
function carryOut(platform: Platform, interaction: Interaction, type: number, inner: Body): StoredMessage | undefined {
  const { fields: data } = inner;
  if (type === 4) {
    const message = answer(
      platform,
      interaction,
      compose(platform, interaction.channelId, inner, ANSWER_FLAGS).facts(),
    );
    interaction.responseId = message.id;
    return message;
  }
  if (type === 5) {
    const flags = (integer(data, 'flags') ?? 0) & EPHEMERAL;
    const message = answer(platform, interaction, { flags: flags | LOADING });
    interaction.responseId = message.id;
    return message;
  }
  if (type === 8) interaction.choices = readChoices(data);
  if (type !== 6 && type !== 7) return undefined;
  if (interaction.messageId === null) throw wrongChoice('type', [4, 5]);
  interaction.responseId = interaction.messageId;
  const message = messageOf(platform.world, interaction.channelId, interaction.messageId);
  return type === 7 ? amend(platform, message, inner) : message;
}

function callback({ platform, params, body, query }: Call): unknown {
  const interaction = platform.interactions.open(params.id ?? '', params.token ?? '');
  const type = integer(body.fields, 'type') ?? 0;
  const allowed = ALLOWED[interaction.kind] ?? [];
  if (!allowed.includes(type)) throw wrongChoice('type', allowed);
  const data = isObject(body.fields.data) ? body.fields.data : {};
  const message = carryOut(platform, interaction, type, { ...body, json: data, fields: data });
  platform.interactions.acknowledge(interaction, type, (message?.flags ?? 0) & EPHEMERAL);
  if (query.with_response !== 'true') return undefined;
  const made = message && (type === 4 || type === 5 || type === 7);
  return {
    interaction: {
      id: interaction.id,
      type: interaction.kind,
      ...(made && {
        response_message_id: message.id,
        response_message_loading: (message.flags & LOADING) !== 0,
        response_message_ephemeral: (message.flags & EPHEMERAL) !== 0,
      }),
    },
    resource: { type, ...(made && { message: messageObject(platform, message, true) }) },
  };
}

function followup({ platform, params, body }: Call): unknown {
  const interaction = platform.interactions.answering(params.token ?? '');
  const { world } = platform;
  const first = interaction.responseId
    ? channelOf(world, interaction.channelId).byId.get(interaction.responseId)
    : undefined;
  const { facts } = compose(platform, interaction.channelId, body, ANSWER_FLAGS);
  // While the deferred answer is still "thinking", the first followup replaces it.
  if (first && (first.flags & LOADING) !== 0 && interaction.ack?.type === 5) {
    return messageObject(platform, amend(platform, first, body), true);
  }
  const origin = interaction.responseId ?? interaction.messageId;
  const reference =
    origin === null ? null : ({ type: 0, messageId: origin, channelId: interaction.channelId } as const);
  const message = answer(platform, interaction, { ...facts(), ...(reference && { reference, type: 19 }) });
  interaction.followups.push(message.id);
  return messageObject(platform, message, true);
}

/** Returns the message for `@original` or an ID. Throws 10008 if it doesn't belong to this interaction. */
function own({ platform, params }: Call): { interaction: Interaction; message: StoredMessage } {
  const interaction = platform.interactions.answering(params.token ?? '');
  const id = params.message === '@original' ? interaction.responseId : params.message;
  const isOwn = id === interaction.responseId || interaction.followups.some((each) => each === id);
  if (!id || !isOwn) throw refuse(10_008);
  return { interaction, message: messageOf(platform.world, interaction.channelId, id) };
}

function application({ platform, params }: Call): void {
  if (params.app !== platform.applicationId) throw refuse(10_015);
}

export const INTERACTION_ROUTES: Routes = {
  'POST /interactions/:id/:token/callback': open(callback),
  'POST /webhooks/:app/:token': open((call) => {
    application(call);
    return followup(call);
  }),
  'GET /webhooks/:app/:token/messages/:message': open((call) => messageObject(call.platform, own(call).message, true)),
  'PATCH /webhooks/:app/:token/messages/:message': open((call) => {
    application(call);
    const { message } = own(call);
    if (message.authorId !== call.platform.world.bot.id) throw refuse(50_005);
    if (channelOf(call.platform.world, message.channelId).thread?.archived) throw refuse(50_083);
    return messageObject(call.platform, amend(call.platform, message, call.body), true);
  }),
  'DELETE /webhooks/:app/:token/messages/:message': open((call) => {
    const { message } = own(call);
    remove(call.platform, channelOf(call.platform.world, message.channelId), message.id);
  }),
};
