/** /pair: an owner lets somebody in, by the buttons under the question or by hand. */

import { plainName } from '../conversations/places.ts';
import type { Command } from './command.ts';

export const pair: Command = {
  name: 'pair',
  description: 'Let somebody in (/pair approve CODE)',
  action: 'administer',
  hidden: true,
  async run({ args, pairing }) {
    const [verb, code = ''] = args.trim().split(/\s+/);
    if (verb === 'approve') {
      const { paired } = pairing.approve(code, Date.now());
      return { text: `${plainName(paired.name)} may write to me now (${paired.identity}, ${paired.role}).` };
    }
    if (verb === 'deny') return { text: `${plainName(pairing.deny(code, Date.now()).name)} was not let in.` };
    const waiting = pairing.pending(Date.now());
    if (waiting.length === 0) return { text: 'Nobody asks to be let in.' };
    return {
      text: waiting.map((entry) => `- ${plainName(entry.name)} (${entry.identity}), code ${entry.code}`).join('\n'),
      buttons: waiting.map((entry) => [
        {
          label: `Approve ${plainName(entry.name)}`.slice(0, 40).toWellFormed(),
          command: 'pair',
          args: `approve ${entry.code}`,
        },
        { label: 'Deny', command: 'pair', args: `deny ${entry.code}` },
      ]),
    };
  },
};
