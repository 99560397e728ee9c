/**
 * Stores what people chose for a conversation: `conversations/settings/<hash>.json`, one small file each. The channel's
 * configuration applies to everything else. An unreadable file only loses the choices in it.
 */
import { createHash } from 'node:crypto';
import path from 'node:path';
import { type Address, conversationKey, type LiveMode } from '../../channels/channel.ts';
import { writeFileAtomic } from '../../lib/files.ts';
import { exclusively } from '../../lib/locks.ts';
import { readJson } from '../../lib/read-json.ts';
import { isFilled, objectOf, oneOf, optional, shape } from '../../lib/shape.ts';
import { THINKING } from '../contract/settings.ts';
import type { ChosenModel } from '../model/choose.ts';
import { createCache } from './cache.ts';

export const LIVE_MODES = ['off', 'status', 'text'] as const satisfies readonly LiveMode[];
export const QUEUE_MODES = ['steer', 'collect', 'followup'] as const;

export interface ConversationSetting extends ChosenModel {
  /** How a run's progress is shown. */
  live?: LiveMode;
  /** How a message is handled that arrives while its task is running. */
  queue?: (typeof QUEUE_MODES)[number];
}

export interface ConversationSettings {
  /** Returns the settings in effect: chosen here, chosen for the chat around a thread, or configured. */
  get(address: Address): ConversationSetting;
  /** Takes effect at once; durable when it resolves. */
  set(address: Address, patch: ConversationSetting): Promise<void>;
}

const settingShape = shape<ConversationSetting>(
  objectOf({
    live: optional(oneOf(...LIVE_MODES)),
    queue: optional(oneOf(...QUEUE_MODES)),
    model: optional(isFilled),
    thinking: optional(oneOf(...THINKING, 'usual')),
  }),
);
const ABOUT = {
  lost: 'what was chosen by /live, /queue, /model and /think for a conversation',
  next: 'What is configured holds there.',
};
const MAX_CACHED = 5_000;

/** `configured` returns the settings that apply where nothing was chosen. */
export function openConversationSettings(
  folder: string,
  configured: (address: Address) => ConversationSetting,
): ConversationSettings {
  const chosen = createCache<ConversationSetting>(MAX_CACHED, folder);
  const fileOf = (key: string) =>
    path.join(folder, `${createHash('sha256').update(key).digest('hex').slice(0, 24)}.json`);

  const own = (key: string) => chosen.get(key, () => readSetting(fileOf(key))) ?? {};

  return {
    get(address) {
      const { thread, ...chat } = address;
      const here = own(conversationKey(address));
      return { ...configured(address), ...(thread === undefined ? {} : own(conversationKey(chat))), ...here };
    },
    async set(address, patch) {
      const key = conversationKey(address);
      const setting = { ...own(key), ...patch };
      chosen.set(key, setting);
      const file = fileOf(key);
      const written = exclusively(file, () => {
        // Another process may have changed it since.
        const all = { ...readSetting(file), ...patch };
        return writeFileAtomic(file, `${JSON.stringify({ address, ...all }, null, 2)}\n`);
      });
      await chosen.until(written, key, setting);
    },
  };
}

function readSetting(file: string): ConversationSetting {
  const { live, queue, model, thinking } = readJson(file, settingShape, ABOUT) ?? {};
  return {
    ...(live && { live }),
    ...(queue && { queue }),
    ...(model && { model }),
    ...(thinking && { thinking }),
  };
}
