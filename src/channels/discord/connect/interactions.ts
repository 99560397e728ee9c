/**
 * Handles slash commands, buttons and autocomplete: stored first, then acknowledged (promise 15). Invariant: nothing is
 * acknowledged as accepted before it is durable; if storing is slow, the interaction is deferred, which promises only
 * an answer. https://discord.com/developers/docs/interactions/receiving-and-responding
 */
import { within } from '../../../lib/within.ts';
import type { Logger } from '../../../log.ts';
import { messagesIn } from '../../../messages/messages.ts';
import type { ChannelCallbacks, InboundMessage } from '../../channel.ts';
import { type Fields, fields, integer, isFields, language, tidyLine } from '../../shared/read.ts';
import type { Context } from '../decode/base.ts';
import { decodeInteraction, type Interaction, readInteraction } from '../decode/interaction.ts';
import { id } from '../decode/read.ts';
import { NO_MENTIONS } from '../send/defaults.ts';
import { type DiscordApi, DiscordError } from './api.ts';

export interface InteractionTiming {
  /** Milliseconds after which an unstored interaction is deferred; Discord waits 3 s. */
  deferMs: number;
  /** Milliseconds in which suggestions must arrive. */
  suggestMs: number;
}

/** https://discord.com/developers/docs/interactions/receiving-and-responding#interaction-callback-type */
const PONG = 1;
const MESSAGE = 4;
const DEFERRED_MESSAGE = 5;
const DEFERRED_UPDATE = 6;
const CHOICES = 8;
const EPHEMERAL = 64;
const ACK_MS = 2500;
/** Codes for an interaction that was acknowledged before (a repeated event), or too late. */
const OVER = new Set([40060, 10062, 10015]);

const PING = 1;
const AUTOCOMPLETE = 4;

const PREFIX = '/viber ';

export interface InteractionOptions {
  api: DiscordApi;
  callbacks: () => ChannelCallbacks | undefined;
  learn: (channel: Fields, guild?: string) => unknown;
  log: Logger;
  timing: InteractionTiming;
}

export class Interactions {
  readonly #to: InteractionOptions;
  readonly #pending = new Map<string, Promise<void>>();

  constructor(options: InteractionOptions) {
    this.#to = options;
  }

  /** Calls `onMessage` before its first wait. */
  async take(body: unknown, context: Context): Promise<void> {
    const channel = isFields(body) ? fields(body, 'channel') : undefined;
    if (isFields(body) && channel) this.#to.learn(channel, id(body, 'guild_id'));
    const decoded = this.#decode(body, context);
    if (decoded.kind === 'dropped') {
      this.#to.callbacks()?.onDropped(decoded.reason);
      return this.#answerUnknown(body);
    }
    const { interaction } = decoded;
    if (decoded.kind === 'suggest') return this.#suggest(decoded.query, interaction);
    const done = this.#takeMessage(decoded.message, interaction, body).finally(() =>
      this.#pending.delete(interaction.id),
    );
    this.#pending.set(interaction.id, done);
    return done;
  }

  /** Resolves when this interaction was acknowledged and can be answered; at once if it is unknown. */
  async settled(interactionId: string): Promise<void> {
    await Promise.allSettled([this.#pending.get(interactionId)]);
  }

  async #answer({ id: at, token }: Interaction, type: number, data?: object): Promise<void> {
    const body = data === undefined ? { type } : { type, data };
    await this.#tolerate(() =>
      this.#to.api.call('POST', `/interactions/${at}/${token}/callback`, { body, auth: false, timeoutMs: ACK_MS }),
    );
  }

  /** Sends text that only the person sees, whether or not the interaction was deferred. */
  async #say(interaction: Interaction, isButton: boolean, isDeferred: boolean, content: string): Promise<void> {
    const data = { content, flags: EPHEMERAL, allowed_mentions: NO_MENTIONS };
    if (!isDeferred) return this.#answer(interaction, MESSAGE, data);
    const route = `/webhooks/${interaction.application}/${interaction.token}` as const;
    await this.#tolerate(() =>
      isButton
        ? this.#to.api.call('POST', route, { body: data, auth: false })
        : this.#to.api.call('PATCH', `${route}/messages/@original`, {
            body: { content, allowed_mentions: NO_MENTIONS },
            auth: false,
          }),
    );
  }

  async #tolerate(action: () => Promise<unknown>): Promise<void> {
    try {
      await action();
    } catch (error) {
      if (!(error instanceof DiscordError)) throw error;
      const isOver = error.code !== undefined && OVER.has(error.code);
      this.#to.log[isOver ? 'debug' : 'warn']({ err: error }, 'an interaction was not acknowledged');
    }
  }

  async #takeMessage(message: InboundMessage, interaction: Interaction, raw: unknown): Promise<void> {
    const messages = messagesIn(message.sender.language, PREFIX);
    const isButton = message.kind === 'button';
    const defer = () =>
      this.#answer(
        interaction,
        isButton ? DEFERRED_UPDATE : DEFERRED_MESSAGE,
        isButton ? undefined : { flags: EPHEMERAL },
      );
    const stored = this.#to.callbacks()?.onMessage(message, raw) ?? Promise.reject(new Error('not connected'));
    let deferred: Promise<void> | undefined;
    const timer = setTimeout(() => {
      deferred = defer();
    }, this.#to.timing.deferMs);
    try {
      const outcome = await stored;
      clearTimeout(timer);
      const wasDeferred = deferred !== undefined;
      await deferred;
      if (outcome === 'refused') await this.#say(interaction, isButton, wasDeferred, messages.text('channels.refused'));
      else if (outcome === 'begun' && !isButton)
        await this.#say(interaction, isButton, wasDeferred, messages.text('channels.onIt'));
      else if (!wasDeferred) await defer();
    } catch (error) {
      clearTimeout(timer);
      this.#to.log.error(
        { err: error, id: message.id },
        'an interaction could not be stored; the person is asked to try again',
      );
      const wasDeferred = deferred !== undefined;
      await deferred;
      await this.#say(interaction, isButton, wasDeferred, messages.text('channels.notTaken'));
    }
  }

  async #suggest(query: Parameters<ChannelCallbacks['onSuggest']>[0], interaction: Interaction): Promise<void> {
    const asked = this.#to.callbacks()?.onSuggest(query);
    const found = (asked && (await within(asked, this.#to.timing.suggestMs))) ?? [];
    const choices = found.filter(({ value }) => value.length > 0 && value.length <= 100).slice(0, 25);
    await this.#answer(interaction, CHOICES, {
      choices: choices.map(({ value, label }) => ({ name: tidyLine(label, 100) || value, value })),
    });
  }

  /** Decodes an interaction. One that breaks the decoder is dropped: nothing in it could be answered. */
  #decode(body: unknown, context: Context): ReturnType<typeof decodeInteraction> {
    try {
      return decodeInteraction(body, context);
    } catch (error) {
      this.#to.log.error({ err: error }, 'an interaction could not be read and was dropped');
      return { kind: 'dropped', reason: 'decode-error' };
    }
  }

  /**
   * Answers unknown interactions too (menus, forms, offers of an older version); otherwise Discord shows that we
   * failed.
   */
  async #answerUnknown(body: unknown): Promise<void> {
    const interaction = isFields(body) ? readInteraction(body) : undefined;
    if (!isFields(body) || !interaction) return;
    const type = integer(body, 'type');
    if (type === PING) return this.#answer(interaction, PONG);
    if (type === AUTOCOMPLETE) return this.#answer(interaction, CHOICES, { choices: [] });
    const messages = messagesIn(language(body, 'locale').language, PREFIX);
    return this.#say(interaction, false, false, messages.text('channels.noLonger'));
  }
}
