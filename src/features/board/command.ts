/**
 * /board: sends an owner a link that logs them in on the Board, once. Anyone with the link can use it, so it is only
 * shown in direct messages.
 */
import { viberCommand } from '../../lib/invocation.ts';
import { lines, words } from '../../messages/messages.ts';
import type { Command } from '../../runtime/commands/command.ts';
import { loginsOf } from './logins.ts';

export const board: Command = {
  name: 'board',
  help: { group: 'here', does: 'does.board', for: 'owner' },
  description: 'A link to the Board in your browser',
  action: 'chat',
  async run({ gw, isDirect, principal, address, messages }) {
    if (principal.role !== 'owner') return { text: messages.text('board.ownersOnly') };
    if (!isDirect) return { text: messages.text('board.directOnly') };
    const { channel, account, workspace, user, name } = principal;
    const known = { channel, account, ...(workspace !== undefined && { workspace }), user, name, direct: address };
    const link = await loginsOf(gw).link(known);
    // The gateway of `viber chat` serves no Board.
    if (!gw.features.served()) return { text: messages.text('board.notHere', { start: viberCommand('start') }) };
    if (!link) return { text: messages.text('board.notServed') };
    // Angle brackets keep the URL's characters from being formatted.
    const shown = words(`<${link.url}>`);
    const where = messages.text(link.isHereOnly ? 'board.hereOnly' : 'board.anywhere');
    return { text: lines(messages.text('board.link'), '', shown, '', where) };
  },
};
