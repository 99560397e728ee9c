/** People who use commands and buttons: dispatches the interactions and reports their outcomes. */
import { once } from 'node:events';
import { until } from '../base/wait.ts';
import { buttonsOf } from './components.ts';
import { LOADING } from './draft.ts';
import { type Fields, isObject } from './fields.ts';
import type { NewInteraction } from './interactions.ts';
import { ALL_BITS, bitsIn } from './permissions.ts';
import { emit, type Platform } from './platform.ts';
import { channelObject, memberObject, userObject } from './render.ts';
import { messageObject } from './render-message.ts';
import type { AutocompleteRequest, InteractionView, PressRequest, SlashRequest } from './types.ts';
import { viewMessage } from './view.ts';
import { channelOf, type StoredMessage, userOf } from './world.ts';

const COMMAND = 2;
const COMPONENT = 3;
const AUTOCOMPLETE = 4;
const STRING = 3;
const BUTTON = 2;

export interface Ask {
  /** A person uses a slash command. Resolves at the acknowledgement, or with `failed` when none came in time. */
  slash(request: SlashRequest): Promise<InteractionView>;
  /** A person types in an option. Resolves with the choices, or with `failed`. */
  autocomplete(request: AutocompleteRequest): Promise<InteractionView>;
  /** A person presses a button. Throws if there is no such button. */
  press(request: PressRequest): Promise<InteractionView>;
  /** An interaction of any kind with any data: menus, options of other versions, or future kinds. */
  interact(kind: number, channel: string, data: Fields): Promise<InteractionView>;
  interaction(id: string): InteractionView;
  /** Resolves when the interaction's original response is a real message, no longer "thinking". */
  answered(interactionId: string, timeoutMs?: number): Promise<InteractionView>;
}

/** Returns the options as they are sent: inside their subcommand, each with its registered type. */
function optionsOf(command: Fields, request: SlashRequest, focused: string | undefined): Fields[] {
  const inside = (fields: Fields) => (Array.isArray(fields.options) ? fields.options.filter(isObject) : []);
  const path = [request.subcommandGroup, request.subcommand].filter((each) => each !== undefined);
  let level = command;
  const steps = path.map((name) => {
    const next = inside(level).find((each) => each.name === name && (each.type === 1 || each.type === 2));
    if (!next && !request.unchecked) throw new Error(`/${request.command ?? 'viber'} has no subcommand "${name}"`);
    level = next ?? {};
    return { name, type: next?.type ?? 1 };
  });
  // Clients offer neither a group nor a command that has subcommands by itself.
  if (!request.unchecked && inside(level).some((each) => each.type === 1 || each.type === 2))
    throw new Error(`/${[request.command ?? 'viber', ...path].join(' ')} has subcommands, of which one is chosen`);
  const values = Object.entries(request.options ?? {});
  const offered = inside(level);
  for (const each of offered) {
    const isMissing = each.required === true && request.options?.[String(each.name)] === undefined;
    if (isMissing && focused === undefined && !request.unchecked) throw new Error(`option "${each.name}" is required`);
  }
  const leaves = values.map(([name, value]) => {
    const option = offered.find((each) => each.name === name);
    if (!option && !request.unchecked) throw new Error(`the command has no option "${name}"`);
    if (typeof value === 'string' && value.length > Number(option?.max_length ?? 6000))
      throw new Error(`"${name}" is too long`);
    return { name, type: option?.type ?? STRING, value, ...(name === focused && { focused: true }) };
  });
  return steps.reduceRight<Fields[]>((options, step) => [{ ...step, options }], leaves);
}

export function createAsk(platform: Platform, firstPerson: string): Ask {
  const { world, interactions, changes } = platform;

  function view(id: string): InteractionView {
    const found = interactions.get(id);
    if (!found) throw new Error(`no interaction ${id}`);
    const messages = world.channels.get(found.channelId)?.byId;
    const response = found.responseId === null ? undefined : messages?.get(found.responseId);
    const followups = found.followups.flatMap((each) => messages?.get(each) ?? []);
    return {
      id,
      kind: found.kind,
      channelId: found.channelId,
      userId: found.userId,
      ...(found.ack && { ack: found.ack }),
      failed: found.isFailed,
      ...(found.choices && { choices: found.choices }),
      ...(response && { response: viewMessage(platform, response) }),
      followups: followups.map((each) => viewMessage(platform, each)),
    };
  }

  /** Dispatches an interaction and waits for its acknowledgement or failure. */
  async function ask(facts: NewInteraction, data: Fields, message?: StoredMessage): Promise<InteractionView> {
    const channel = channelOf(world, facts.channelId);
    const user = userOf(world, facts.userId);
    const interaction = interactions.start(facts);
    const bits = channel.guildId ? ALL_BITS : '0';
    const who = channel.guildId
      ? {
          guild_id: channel.guildId,
          guild: { id: channel.guildId, locale: 'en-US', features: [] },
          guild_locale: 'en-US',
          member: { ...memberObject(user), user: userObject(user), permissions: bits },
        }
      : { user: userObject(user) };
    interaction.event = {
      id: interaction.id,
      application_id: platform.applicationId,
      type: facts.kind,
      token: interaction.token,
      version: 1,
      channel_id: channel.id,
      channel: { ...channelObject(platform, channel), permissions: bits },
      app_permissions: bitsIn(world, channel),
      locale: user.locale ?? 'en-US',
      entitlements: [],
      authorizing_integration_owners: { '0': channel.guildId ?? '0' },
      context: channel.guildId ? 0 : 1,
      attachment_size_limit: 10_485_760,
      ...who,
      data,
      ...(message && { message: messageObject(platform, message, true) }),
    };
    const settled = once(changes, `settled ${interaction.id}`);
    // It doesn't matter whether the bot sees the channel: people who may use a command there reach it anyway.
    emit(platform, 'INTERACTION_CREATE', interaction.event);
    await settled;
    return view(interaction.id);
  }

  function command(request: SlashRequest, kind: number, focused?: string): Promise<InteractionView> {
    const channel = channelOf(world, request.channel);
    const { command: name = 'viber', user = channel.recipientId ?? firstPerson } = request;
    if (channel.thread?.archived) throw new Error('commands cannot be used in an archived thread');
    const known = platform.commands.find(name);
    const isOffered = known && (!Array.isArray(known.contexts) || known.contexts.includes(channel.guildId ? 0 : 1));
    if (!isOffered && !request.unchecked) throw new Error(`no command "/${name}" is offered here`);
    const data = { id: known?.id ?? '1', name, type: 1, options: optionsOf(known ?? {}, request, focused) };
    return ask({ kind, channelId: channel.id, userId: user, name, messageId: null }, data);
  }

  function pressable({ channel, message, label, customId, stale }: PressRequest) {
    const { byId, messages } = channelOf(world, channel);
    const from = message === undefined ? messages.toReversed() : [byId.get(message)];
    for (const each of from) {
      const shown = each ? [...each.components, ...(stale ? (each.before ?? []) : [])] : [];
      const buttons = buttonsOf(shown).flat();
      const found = buttons.find((button) => {
        if (button.customId === null || (button.disabled && !stale)) return false;
        return (
          (label === undefined || button.label === label) && (customId === undefined || button.customId === customId)
        );
      });
      if (each && found?.customId) return { message: each, customId: found.customId };
      // A client that hasn't seen the edit yet still shows the previous state.
      if (each && stale && customId !== undefined) return { message: each, customId };
    }
    throw new Error(`no button ${label ?? customId ?? ''} in channel ${channel}`);
  }

  return {
    interaction: view,
    slash: async (request) => command(request, COMMAND),
    autocomplete: async (request) => command(request, AUTOCOMPLETE, request.focused),
    async press(request) {
      const { message, customId } = pressable(request);
      const userId = request.user ?? channelOf(world, request.channel).recipientId ?? firstPerson;
      const data = { custom_id: customId, component_type: BUTTON, id: 1 };
      return ask(
        { kind: COMPONENT, channelId: request.channel, userId, name: null, messageId: message.id },
        data,
        message,
      );
    },
    interact: (kind, channelId, data) =>
      ask({ kind, channelId, userId: firstPerson, name: null, messageId: null }, data),
    async answered(id, timeoutMs = 60_000) {
      const isAnswered = () => {
        const { response } = view(id);
        return response !== undefined && (response.flags & LOADING) === 0;
      };
      if (!isAnswered()) await until(changes, 'message', isAnswered, timeoutMs, () => JSON.stringify(view(id)));
      return view(id);
    },
  };
}
