/**
 * /mcp: shows the tool servers, and logs an owner in at one. The address that an owner pastes arrives here as a
 * reference; the address itself was taken out of their message before it was stored.
 */
import { viberCommand } from '../../../lib/invocation.ts';
import { lines, say } from '../../../messages/messages.ts';
import type { Command, CommandReply, Invocation } from '../../../runtime/commands/command.ts';
import { configOf } from '../../gateway.ts';
import { serversOf } from '../open.ts';
import { linkText } from './notes.ts';

/** The verb of a message whose login address was replaced by a reference. */
export const FINISH = 'finish';

export const mcpCommand: Command = {
  name: 'mcp',
  description: 'The tool servers, and logins at them (/mcp login NAME)',
  argument: { name: 'what', description: 'login NAME' },
  action: 'chat',
  hidden: (config) => Object.keys(configOf({ config }).mcp).length === 0,
  async run(context) {
    const { args, principal, isDirect, messages } = context;
    if (principal.role !== 'owner') return { text: messages.text('mcp.ownersOnly') };
    const [, verb = '', rest = ''] = /^\s*(\S*)\s*([\s\S]*)$/.exec(args) ?? [];
    if (verb === '') return replyWithServers(context);
    if (verb === FINISH) return replyToReturn(context, rest.trim());
    if (!isDirect) return { text: messages.text('mcp.directOnly') };
    return replyWithLink(context, verb === 'login' ? rest : args);
  },
};

async function replyWithServers({ gw, messages }: Invocation): Promise<CommandReply> {
  if (Object.keys(configOf(gw).mcp).length === 0)
    return { text: messages.text('mcp.none', { command: viberCommand('mcp add NAME URL') }) };
  const all = (await serversOf(gw)).health();
  const buttons = all
    .filter(({ needsLogin }) => needsLogin)
    .map(({ name }) => [{ label: messages.text('mcp.button', { name }), command: 'mcp', args: `login ${name}` }]);
  const text = all.map(({ name, state, tools, needsLogin }) => {
    const how = needsLogin ? say('mcp.needs', { name }) : say('mcp.states', { state, tools });
    return messages.text('mcp.line', { name, state: how });
  });
  return { text: lines(...text), ...(buttons.length > 0 && { buttons }) };
}

async function replyWithLink({ gw, principal, address, messages }: Invocation, name: string): Promise<CommandReply> {
  const { loginLink, loginServer } = await import('./chat.ts');
  const server = loginServer(name, gw);
  const link = await loginLink(server, { principal, address }, gw);
  return { text: linkText(server.name, link, messages) };
}

async function replyToReturn(
  { gw, principal, message, messages }: Invocation,
  reference: string,
): Promise<CommandReply> {
  const { endByPerson } = await import('./chat.ts');
  const { said } = await endByPerson(reference, principal, gw);
  const channel = gw.places.channelOf(message.address);
  const isDeleted = (await channel?.deleteMessage?.(message.address, message.messageId)) === true;
  return {
    text: lines(
      messages.text('common.asItIs', { text: said }),
      '',
      messages.text(isDeleted ? 'mcp.deleted' : 'mcp.spent'),
    ),
  };
}
