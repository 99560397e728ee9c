/** /pair: an owner lets somebody in, by the buttons under the question or by hand. */

import { labelOf, lines } from '../../messages/messages.ts';
import { plainName } from '../conversations/places.ts';
import type { Command } from './command.ts';

export const pair: Command = {
  name: 'pair',
  description: 'Let somebody in (/pair approve CODE)',
  action: 'administer',
  hidden: true,
  async run({ args, pairing, messages }) {
    const [verb, code = ''] = args.trim().split(/\s+/);
    if (verb === 'approve') {
      const { paired } = pairing.approve(code, Date.now());
      const { identity, role } = paired;
      return { text: messages.text('pairing.mayWrite', { name: plainName(paired.name), identity, role }) };
    }
    if (verb === 'deny') {
      const { name } = pairing.deny(code, Date.now());
      return { text: messages.text('pairing.notLetIn', { name: plainName(name) }) };
    }
    const waiting = pairing.pending(Date.now());
    if (waiting.length === 0) return { text: messages.text('pairing.nobodyAsks') };
    return {
      text: lines(
        ...waiting.map(({ name, identity, code: each }) =>
          messages.text('pairing.waiting', { name: plainName(name), identity, code: each }),
        ),
      ),
      buttons: waiting.map((entry) => [
        {
          label: labelOf(messages.text('pairing.approveName', { name: plainName(entry.name) })),
          command: 'pair',
          args: `approve ${entry.code}`,
        },
        { label: messages.text('pairing.deny'), command: 'pair', args: `deny ${entry.code}` },
      ]),
    };
  },
};
