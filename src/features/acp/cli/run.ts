/** `viber acp`: speaks the Agent Client Protocol on standard input and output; errors go to standard error. */
import { z } from 'zod';
import { ViberClient } from '../../../client/client.ts';
import { errorMessage, UserError } from '../../../errors.ts';
import { commandForAnyone, viberCommand } from '../../../lib/invocation.ts';
import { say } from '../../../messages/messages.ts';
import { type CliContext, type CliServices, EXIT } from '../../../runtime/contract/cli.ts';
import { EditorAgent } from '../agent.ts';
import { GatewayWeb, type Link } from '../link.ts';
import { INTERNAL_ERROR, openPeer, type Peer, RpcError } from '../rpc.ts';

const reached = z.object({ token: z.string(), host: z.string() });

export async function run(context: CliContext, services: CliServices): Promise<number> {
  const complain = (line: string) => void process.stderr.write(`${line}\n`);
  const links: Link[] = [];
  const agent = new EditorAgent(services.version, async () => {
    const link = await connect(context, services, peer).catch((error: unknown) => {
      if (!(error instanceof UserError)) throw error;
      const message = context.messages.said(error.said);
      complain(message);
      throw new RpcError(INTERNAL_ERROR, message);
    });
    links.push(link);
    return link;
  });
  const peer: Peer = openPeer(
    process.stdin,
    process.stdout,
    (method, params) => agent.handle(method, params),
    (error) => complain(`${commandForAnyone('acp')}: ${errorMessage(error)}`),
  );
  await peer.closed;
  for (const { client } of links) client.close();
  return EXIT.ok;
}

/** @throws UserError if no gateway is running, or if it serves no programs */
async function connect({ home, messages }: CliContext, { gateway }: CliServices, peer: Peer): Promise<Link> {
  const running = await gateway();
  if (running?.port === undefined) throw new UserError(say('cli.startFirst', { home, start: viberCommand('start') }));
  const { token, host } = reached.parse(await running.request('acp', { ask: 'connect' }));
  const at = `${host.includes(':') ? `[${host}]` : host}:${running.port}`;
  const client = new ViberClient({ url: `ws://${at}/ws`, token });
  const ask: Link['ask'] = async (request) => ({ ...(await running.request('acp', request)) });
  return { peer, client, web: new GatewayWeb(`http://${at}`, token), messages, ask };
}
