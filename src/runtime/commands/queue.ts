/** /steer and /followup: one message that says itself what becomes of it while work is under way. */
import type { Command } from './command.ts';

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
