/** /queue, /steer and /followup: what becomes of words that find their task at work, in a conversation or for one message. */
import { UserError } from '../../errors.ts';
import type { InjectionMode } from '../contract/entry.ts';
import { refuseToGuest } from '../conversations/places.ts';
import { QUEUE_MODES } from '../conversations/settings.ts';
import type { Command } from './command.ts';

const MEANS: Record<InjectionMode, string> = {
  steer: 'what you write changes at once what I am doing',
  collect: 'what you write meanwhile is put together, and I take it up when I have finished',
  followup: 'each message waits for its own turn',
};

const isMode = (word: string): word is InjectionMode => Object.hasOwn(MEANS, word);

export const queue: Command = {
  name: 'queue',
  description: 'What becomes of messages while I work: steer, collect or followup',
  argument: { name: 'mode', description: 'steer, collect or followup', pattern: '^(steer|collect|followup)$' },
  action: 'chat',
  async run(context) {
    const { args, settings, address, look, taskId } = context;
    const wanted = args.trim().toLowerCase();
    if (wanted === '') {
      const now = settings.get(address).queue ?? 'steer';
      const { depth: waiting } = await look(taskId);
      const count = waiting > 0 ? ` ${waiting} ${waiting === 1 ? 'message waits' : 'messages wait'}.` : '';
      const others = QUEUE_MODES.filter((mode) => mode !== now);
      return {
        text: `Messages here: **${now}**, ${MEANS[now]}.${count}`,
        buttons: [others.map((mode) => ({ label: mode, command: 'queue', args: mode }))],
      };
    }
    if (!isMode(wanted)) throw new UserError('Write /queue steer, /queue collect or /queue followup.');
    refuseToGuest(context);
    await settings.set(address, { queue: wanted });
    return { text: `Messages here: **${wanted}** from now on, ${MEANS[wanted]}.` };
  },
};

const argument = { name: 'text', description: 'What you want to say' };

export const steer: Command = {
  name: 'steer',
  description: 'Say something that changes what I am doing now',
  argument,
  action: 'chat',
  says: 'steer',
  run: async () => ({ text: 'What should I do differently? Write it after /steer.' }),
};

export const followup: Command = {
  name: 'followup',
  description: 'Say something for when I have finished',
  argument,
  action: 'chat',
  says: 'followup',
  run: async () => ({ text: 'What comes next? Write it after /followup.' }),
};
