/** /queue, /steer and /followup: set what happens to messages while their task is running, or to one message. */

import { UserError } from '../../../errors.ts';
import { say, words } from '../../../messages/messages.ts';
import type { InjectionMode } from '../../contract/entry.ts';
import { taskLane } from '../../contract/entry.ts';
import { QUEUE_MODES } from '../../conversations/conversations.ts';
import { refuseToGuest } from '../../conversations/places.ts';
import type { Command } from '../command.ts';

const isMode = (word: string): word is InjectionMode => QUEUE_MODES.some((mode) => mode === word);
const means = (mode: InjectionMode) => ({ mode, means: say(`commands.${mode}`) });

export const queue: Command = {
  name: 'queue',
  help: { group: 'here', does: 'does.queue' },
  description: 'What happens to messages while I work: steer, collect or followup',
  argument: { name: 'mode', description: 'steer, collect or followup', pattern: '^(steer|collect|followup)$' },
  action: 'chat',
  async run(context) {
    const { gw, args, address, taskId, messages } = context;
    const wanted = args.trim().toLowerCase();
    if (wanted === '') {
      const now = gw.places.settings.get(address).queue ?? 'steer';
      const { depth: waiting } = await gw.engine.queue.look(taskLane(taskId));
      const others = QUEUE_MODES.filter((mode) => mode !== now);
      return {
        text:
          waiting > 0
            ? messages.text('commands.queueNowWaiting', { ...means(now), n: waiting })
            : messages.text('commands.queueNow', means(now)),
        buttons: [others.map((mode) => ({ label: words(mode), command: 'queue', args: mode }))],
      };
    }
    if (!isMode(wanted)) throw new UserError(say('commands.queueHow'));
    refuseToGuest(context);
    await gw.places.settings.set(address, { queue: wanted });
    return { text: messages.text('commands.queueSet', means(wanted)) };
  },
};

const argument = { name: 'text', description: 'What you want to say' };

export const steer: Command = {
  name: 'steer',
  help: { group: 'now', does: 'does.steer' },
  description: 'Say something that changes what I am doing now',
  argument,
  action: 'chat',
  says: 'steer',
  run: async ({ messages }) => ({ text: messages.text('commands.whatToSteer') }),
};

export const followup: Command = {
  name: 'followup',
  help: { group: 'now', does: 'does.followup' },
  description: 'Say something for when I have finished',
  argument,
  action: 'chat',
  says: 'followup',
  run: async ({ messages }) => ({ text: messages.text('commands.whatFollows') }),
};
