/** Opens live progress with what it needs from the gateway, and people's settings for their conversations. */
import path from 'node:path';
import type { Languages } from '../access/languages.ts';
import type { Address, Channel } from '../channels/channel.ts';
import { chatSection, isDirectAddress } from '../channels/index.ts';
import type { Config } from '../config.ts';
import type { State } from '../engine/engine.ts';
import type { Logger } from '../log.ts';
import { type ConversationSettings, openConversationSettings } from '../runtime/conversations/settings.ts';
import type { Delivery } from '../runtime/delivery.ts';
import type { Bus } from '../runtime/live/bus.ts';
import { LiveProgress } from '../runtime/live/live.ts';
import type { Buttons } from '../runtime/reply/buttons.ts';
import type { Home } from '../workspace/home.ts';
import { openTask, planProgress, stepAtWork } from '../workspace/tasks/index.ts';

export interface OpenLiveOptions {
  config: Config;
  home: Home;
  bus: Bus;
  buttons: Buttons;
  state: State;
  delivery: Delivery;
  channelOf: (address: Address) => Channel | undefined;
  languages: Languages;
  log: Logger;
}

/** Channels whose people see an answer as it is written. */
const AT_MACHINE = ['terminal', 'local'];

export function openLive(options: OpenLiveOptions): { live: LiveProgress; settings: ConversationSettings } {
  const { home, delivery } = options;
  const configuredAt = (address: Address) => {
    const section = chatSection(options.config, address.channel);
    if (!section) return AT_MACHINE.includes(address.channel) ? { live: 'text' as const } : {};
    const fitting = isDirectAddress(address) ? 'text' : 'status';
    return { live: section.live === 'auto' ? fitting : section.live, queue: section.injection };
  };
  const settings = openConversationSettings(path.join(home.conversations, 'settings'), configuredAt);
  const live = new LiveProgress({
    bus: options.bus,
    channelOf: options.channelOf,
    settings,
    buttons: options.buttons,
    cache: options.state,
    log: options.log,
    messagesAt: (address) => options.languages.at(address),
    isBusy: (address) => delivery.isBusy(address),
    async progressOf(taskId) {
      const stored = await openTask(home, taskId).plan.read();
      return stored && { ...planProgress(stored.plan), step: stepAtWork(stored.plan) };
    },
  });
  return { live, settings };
}
