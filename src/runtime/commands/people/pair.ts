/** /pair: lets an owner approve or deny a stranger, by the buttons under the question or by typing. */

import { labelOf, lines, say } from '../../../messages/messages.ts';
import { questionId } from '../../contract/buttons.ts';
import { plainName } from '../../conversations/places.ts';
import { byAt } from '../../reply/outcomes.ts';
import type { Command } from '../command.ts';

export const pair: Command = {
  name: 'pair',
  description: 'Let somebody in (/pair approve CODE)',
  action: 'administer',
  hidden: true,
  async run({ gw, args, principal, messages }) {
    const [verb, code = ''] = args.trim().split(/\s+/);
    const when = byAt({
      name: plainName(principal.name),
      at: new Date(),
      zone: gw.people.zones.of(principal) ?? gw.config.jobs.timezone,
    });
    const question = questionId.pairing(code);
    if (verb === 'approve') {
      const { paired } = gw.people.pairing.approve(code, Date.now());
      const { identity, role } = paired;
      const text = messages.text('pairing.mayWrite', { name: plainName(paired.name), identity, role });
      return { text, decided: { question, outcome: say('outcomes.letIn', when) } };
    }
    if (verb === 'deny') {
      const { name } = gw.people.pairing.deny(code, Date.now());
      const text = messages.text('pairing.notLetIn', { name: plainName(name) });
      return { text, decided: { question, outcome: say('outcomes.turnedAway', when) } };
    }
    const waiting = gw.people.pairing.pending(Date.now());
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
          decides: questionId.pairing(entry.code),
        },
        {
          label: messages.text('pairing.deny'),
          command: 'pair',
          args: `deny ${entry.code}`,
          decides: questionId.pairing(entry.code),
        },
      ]),
    };
  },
};
