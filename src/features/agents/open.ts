/** The gateway's agents and playbooks. What a plain message does not need is loaded later. */
import { loadAgent } from '../../config.ts';
import { runAgent } from '../../runtime/run/assemble.ts';
import { configOf, type Gateway, perGateway } from '../gateway.ts';
import { Mesh } from './mesh/mesh.ts';
import { createRegistry } from './mesh/registry.ts';
import type { Play } from './playbook/turn.ts';

export interface Agents {
  mesh: Mesh;
  play: Play;
}

export const agentsOf = perGateway((gw): Agents => {
  const { home, tasks, log } = gw;
  const registry = createRegistry({ home, loadAgent: (id) => loadAgent(home.root, id) });
  const limits = configOf(gw).mesh;
  const mesh = new Mesh({
    home,
    registry,
    runAgent: (order) => runAgent(order, gw),
    passOn: (elements) =>
      gw.features.on
        .flatMap(({ reply = [] }) => reply)
        .flatMap(({ name, passOn }) => (passOn ? (elements.get(name) ?? []).map(passOn) : [])),
    bus: tasks.bus,
    limits,
    log,
  });
  let play: Promise<Play> | undefined;
  return {
    mesh,
    async play(turn) {
      play ??= openPlay(gw, mesh);
      return (await play)(turn);
    },
  };
});

async function openPlay(gw: Gateway, mesh: Mesh): Promise<Play> {
  const [{ createPlay }, { createJudge }, { createSupervise }] = await Promise.all([
    import('./playbook/playbook.ts'),
    import('./playbook/judge.ts'),
    import('./playbook/supervise.ts'),
  ]);
  const { home, log, models, tasks } = gw;
  const { agent, spending: meter, modelName } = models;
  const asking = {
    agent,
    meter,
    settings: configOf(gw),
    modelName,
    loadAgent: (id: string) => loadAgent(home.root, id),
  };
  const judge = createJudge({ home, ...asking });
  return createPlay({ home, mesh, judge, supervise: createSupervise(asking), bus: tasks.bus, log });
}
