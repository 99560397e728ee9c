/** The agents and the playbooks they play, with what they need of the gateway. What a plain message does not need is loaded later. */
import { type Config, loadAgent } from '../config.ts';
import type { Logger } from '../log.ts';
import type { Agent } from '../runtime/agent/agent.ts';
import type { Play, RunAgent } from '../runtime/contract/order.ts';
import type { Meter } from '../runtime/costs/meter.ts';
import type { Bus } from '../runtime/live/bus.ts';
import { Mesh } from '../runtime/mesh/mesh.ts';
import { createRegistry } from '../runtime/mesh/registry.ts';
import type { Home } from '../workspace/home.ts';

export interface OpenMeshOptions {
  config: Config;
  home: Home;
  agent: Agent;
  bus: Bus;
  meter: Meter;
  modelName: () => string;
  /** Runs of asked agents pass there as well. */
  runAgent: RunAgent;
  log: Logger;
}

export interface OpenMesh {
  mesh: Mesh;
  play: Play;
}

export function openMesh(options: OpenMeshOptions): OpenMesh {
  const { config, home, agent, bus, meter, modelName, runAgent, log } = options;
  const load = (id: string) => loadAgent(home.root, id);
  const registry = createRegistry({ home, loadAgent: load });
  const mesh = new Mesh({ home, registry, runAgent, bus, limits: config.mesh, log });
  let play: Promise<Play> | undefined;

  async function openPlay(): Promise<Play> {
    const [{ createPlay }, { createJudge }, { createSupervise }] = await Promise.all([
      import('../runtime/playbook/playbook.ts'),
      import('../runtime/playbook/judge.ts'),
      import('../runtime/playbook/supervise.ts'),
    ]);
    const asking = { agent, meter, settings: config, modelName, loadAgent: load };
    return createPlay({
      home,
      mesh,
      judge: createJudge({ home, ...asking }),
      supervise: createSupervise(asking),
      bus,
      log,
    });
  }

  return {
    mesh,
    async play(turn) {
      play ??= openPlay();
      return (await play)(turn);
    },
  };
}
