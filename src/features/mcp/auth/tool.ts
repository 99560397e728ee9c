/** `connect_server`: begins a login at a tool server that needs one. The link is shown below the answer, unchanged. */
import { z } from 'zod';
import { defineTool } from '../../../runtime/contract/tool.ts';
import { addressOfRun } from '../../../runtime/tools/run.ts';
import type { FeatureRun } from '../../gateway.ts';
import { openedBy } from '../open.ts';
import { notesOf } from './notes.ts';

const input = z.object({ server: z.string().min(1).max(100) });

export const connectServer = defineTool({
  name: 'connect_server',
  async describe({ gw }: FeatureRun) {
    const all = (await openedBy(gw).connected)?.health() ?? [];
    const names = all.flatMap(({ name, needsLogin }) => (needsLogin ? [name] : []));
    if (names.length === 0) return undefined;
    return `Begin a login at a tool server. These need one before their tools can be used: ${names.join(', ')}.`;
  },
  input,
  effect: 'idempotent',
  consent: 'never',
  ownWords: true,
  doing: 'doing.connecting',
  about: { argument: 'server', doing: 'doing.connectingThis' },
  async execute({ server: wanted }, run) {
    const { gw, order, scope } = run;
    const { loginLink, loginServer } = await import('./chat.ts');
    const server = loginServer(wanted, gw);
    const link = await loginLink(server, { principal: order.principal, address: addressOfRun(run) }, gw);
    notesOf(scope.taskId, gw).links.set(server.name, link);
    return { said: 'The person sees the link below your answer. Ask them to open it, and write no link yourself.' };
  },
});
