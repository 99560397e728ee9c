/** /board: a link that logs an owner in on the Board, once. Whoever has it is logged in: it is shown in direct messages alone. */
import { lines, words } from '../../../messages/messages.ts';
import type { Command } from '../command.ts';

export const board: Command = {
  name: 'board',
  help: { group: 'here', does: 'does.board', for: 'owner' },
  description: 'A link to the Board in your browser',
  action: 'chat',
  async run({ gw, isDirect, principal, address, messages }) {
    if (principal.role !== 'owner') return { text: messages.text('board.ownersOnly') };
    if (!isDirect) return { text: messages.text('board.directOnly') };
    const link = await gw.features.boardLink(principal, address);
    if (!link) return { text: messages.text('board.notServed') };
    // In brackets no sign of it is taken for formatting.
    const shown = words(`<${link.url}>`);
    const where = messages.text(link.isHereOnly ? 'board.hereOnly' : 'board.anywhere');
    return { text: lines(messages.text('board.link'), '', shown, '', where) };
  },
};
