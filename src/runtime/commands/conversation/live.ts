/** /live: sets how much progress of a run this conversation shows. */
import type { LiveMode } from '../../../channels/channel.ts';
import { UserError } from '../../../errors.ts';
import { say, words } from '../../../messages/messages.ts';
import { LIVE_MODES } from '../../conversations/conversations.ts';
import { refuseToGuest } from '../../conversations/places.ts';
import type { Command } from '../command.ts';

const MEANS = { off: 'commands.liveOff', status: 'commands.liveStatus', text: 'commands.liveText' } as const;

const isMode = (word: string): word is LiveMode => Object.hasOwn(MEANS, word);
const means = (mode: LiveMode) => ({ mode, means: say(MEANS[mode]) });

export const live: Command = {
  name: 'live',
  help: { group: 'here', does: 'does.live' },
  description: 'What you see while I work: off, status or text',
  argument: { name: 'mode', description: 'off, status or text', pattern: '^(off|status|text)$' },
  action: 'chat',
  async run(context) {
    const { gw, args, address, messages } = context;
    const wanted = args.trim().toLowerCase();
    if (wanted === '') {
      const now = gw.places.settings.get(address).live ?? 'status';
      const others = LIVE_MODES.filter((mode) => mode !== now);
      return {
        text: messages.text('commands.liveNow', means(now)),
        buttons: [others.map((mode) => ({ label: words(mode), command: 'live', args: mode }))],
      };
    }
    if (!isMode(wanted)) throw new UserError(say('commands.liveHow'));
    refuseToGuest(context);
    await gw.places.settings.set(address, { live: wanted });
    return { text: messages.text('commands.liveSet', means(wanted)) };
  },
};
