/** What the tools of a run take is made once, not for every run: to describe a schema for a model takes many small steps. */
import { expect, it } from 'vitest';
import type { Principal } from '../../../src/access/principal.ts';
import { offerTools } from '../../../src/runtime/tools/bind.ts';
import { createTools } from '../../../src/runtime/tools/index.ts';
import { factsOf } from '../../../src/runtime/tools/offered.ts';
import { newTask, openTaskTool } from '../../../src/runtime/tools/own-tasks.ts';
import type { ToolRun } from '../../../src/runtime/tools/run.ts';
import { useViber } from '../../../src/runtime/tools/use-viber.ts';
import { toolScope } from '../../helpers/scope.ts';
import { newHome } from '../../workspace/home-helper.ts';

const address = { channel: 'telegram', account: 'bot', chat: '1' };
const principal: Principal = {
  channel: 'telegram',
  account: 'bot',
  user: '1',
  name: 'O',
  role: 'owner',
  via: 'message',
};
const vibers = {
  ids: () => ['default', 'dev'],
  has: () => true,
  configured: () => 'default',
  forMembers: ['dev'],
  about: async () => 'writes code',
};

it('the second run is offered the very schemas of the first', async () => {
  const home = await newHome();
  const scope = toolScope(home);
  const order = { principal, address, isDirect: true, tellsMemory: true };
  const gw = { places: { vibers } };
  const offered = async () => {
    const run = { scope, order, gw } as unknown as ToolRun;
    const others = await offerTools([newTask, openTaskTool, useViber], run, factsOf(order));
    return new Map(createTools(scope, others).map(({ name, input }) => [name, input]));
  };
  const [first, second] = [await offered(), await offered()];
  expect(first.has('new_task') && first.has('use_viber')).toBe(true);
  for (const [name, input] of first) expect(second.get(name) === input, name).toBe(true);
});
