/** /live: what is seen of a run in this conversation while it goes on. */
import type { LiveMode } from '../../channels/channel.ts';
import { UserError } from '../../errors.ts';
import { refuseToGuest } from '../conversations/places.ts';
import { LIVE_MODES } from '../conversations/settings.ts';
import type { Command } from './command.ts';

const MEANS: Record<LiveMode, string> = {
  off: 'you see nothing until the answer comes',
  status: 'you see what I am doing, in one message',
  text: 'you see the answer as it grows, where that is possible',
};

const isMode = (word: string): word is LiveMode => Object.hasOwn(MEANS, word);

export const live: Command = {
  name: 'live',
  description: 'What you see while I work: off, status or text',
  argument: { name: 'mode', description: 'off, status or text', pattern: '^(off|status|text)$' },
  action: 'chat',
  async run(context) {
    const { args, settings, address } = context;
    const wanted = args.trim().toLowerCase();
    if (wanted === '') {
      const now = settings.get(address).live ?? 'status';
      const others = LIVE_MODES.filter((mode) => mode !== now);
      return {
        text: `Live progress here is **${now}**: ${MEANS[now]}.`,
        buttons: [others.map((mode) => ({ label: mode, command: 'live', args: mode }))],
      };
    }
    if (!isMode(wanted)) throw new UserError('Write /live off, /live status or /live text.');
    refuseToGuest(context);
    await settings.set(address, { live: wanted });
    return { text: `Live progress here is now **${wanted}**: ${MEANS[wanted]}.` };
  },
};
