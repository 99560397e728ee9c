/**
 * Interactions: acknowledged once, within three seconds, then answered through a token for fifteen minutes.
 * https://discord.com/developers/docs/interactions/receiving-and-responding
 */
import { randomBytes } from 'node:crypto';
import { ownTime } from '../../helpers/own-time.ts';
import { refuse } from './errors.ts';
import type { Fields } from './fields.ts';
import { snowflake } from './snowflake.ts';
import type { InteractionView } from './types.ts';

export interface Interaction {
  id: string;
  token: string;
  /** 2 command, 3 component, 4 autocomplete, 5 modal. */
  kind: number;
  channelId: string;
  userId: string;
  name: string | null;
  /** The message whose component was used. */
  messageId: string | null;
  at: number;
  ack: InteractionView['ack'] | undefined;
  isFailed: boolean;
  /** The message of the original response. */
  responseId: string | null;
  followups: string[];
  choices: { name: string; value: string | number }[] | undefined;
  modal: Fields | undefined;
  /** The dispatched payload. */
  event: Fields;
}

export type NewInteraction = Pick<Interaction, 'kind' | 'channelId' | 'userId' | 'name' | 'messageId'>;

export interface Interactions {
  start(facts: NewInteraction): Interaction;
  get(id: string): Interaction | undefined;
  /** Returns the interaction for a callback. Throws 10062 if it is unknown or too late, 40060 if it has had one. */
  open(id: string, token: string): Interaction;
  /** Returns the interaction for a webhook call. Throws 10015 if unknown or not acknowledged, 50027 if too late. */
  answering(token: string): Interaction;
  acknowledge(interaction: Interaction, type: number, flags: number): void;
  counts(): { total: number; acknowledged: number; failed: number; latenciesMs: number[] };
  reset(): void;
  close(): void;
}

/** The number of interactions that are remembered. */
const KEEP = 20_000;

/** `settled` is called when an interaction is acknowledged or has failed. */
export function createInteractions(
  acknowledgeMs: number,
  tokenMs: number,
  settled: (interaction: Interaction) => void,
): Interactions {
  const all = new Map<string, Interaction>();
  const byToken = new Map<string, Interaction>();
  const timers = new Map<string, NodeJS.Timeout>();
  const fresh = () => ({ total: 0, acknowledged: 0, failed: 0, latenciesMs: [] as number[] });
  let counts = fresh();

  function forget(): void {
    const oldest = all.values().next().value;
    if (!oldest || all.size <= KEEP) return;
    all.delete(oldest.id);
    byToken.delete(oldest.token);
  }

  return {
    start(facts) {
      const token = randomBytes(48).toString('base64url');
      const rest = {
        ack: undefined,
        isFailed: false,
        responseId: null,
        followups: [],
        choices: undefined,
        modal: undefined,
      };
      const interaction: Interaction = { ...facts, ...rest, id: snowflake(), token, at: performance.now(), event: {} };
      all.set(interaction.id, interaction);
      byToken.set(token, interaction);
      counts.total += 1;
      const began = ownTime();
      const fail = () => {
        // If others keep this process from running, the client still gets its full time.
        const left = acknowledgeMs - (ownTime() - began);
        if (left >= 1) return void timers.set(interaction.id, setTimeout(fail, left));
        timers.delete(interaction.id);
        interaction.isFailed = true;
        counts.failed += 1;
        settled(interaction);
      };
      timers.set(interaction.id, setTimeout(fail, acknowledgeMs));
      forget();
      return interaction;
    },
    get: (id) => all.get(id),
    open(id, token) {
      const interaction = all.get(id);
      if (!interaction || interaction.token !== token || interaction.isFailed) throw refuse(10_062);
      if (interaction.ack) throw refuse(40_060);
      return interaction;
    },
    answering(token) {
      const interaction = byToken.get(token);
      if (!interaction?.ack || interaction.kind === 4) throw refuse(10_015);
      if (performance.now() - interaction.at > tokenMs) throw refuse(50_027);
      return interaction;
    },
    acknowledge(interaction, type, flags) {
      clearTimeout(timers.get(interaction.id));
      timers.delete(interaction.id);
      const latencyMs = Math.round((performance.now() - interaction.at) * 1000) / 1000;
      interaction.ack = { type, flags, latencyMs };
      counts.acknowledged += 1;
      counts.latenciesMs.push(latencyMs);
      settled(interaction);
    },
    counts: () => ({ ...counts, latenciesMs: [...counts.latenciesMs] }),
    reset() {
      counts = fresh();
    },
    close() {
      for (const timer of timers.values()) clearTimeout(timer);
    },
  };
}
