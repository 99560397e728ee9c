/** Agents that ask each other about a task, parts of a run that a viber delegates to itself, and playbooks. */
import type { Feature } from '../gateway.ts';
import { askAgent } from './ask-agent.ts';
import { delegate } from './delegate.ts';
import { meshOf } from './mesh/mesh.ts';
import { play } from './play.ts';
import { listPlaybooks } from './playbook/library.ts';

export const agents: Feature = {
  name: 'agents',
  commands: [play],
  tools: [askAgent, delegate],
  playbooks: ({ home }) =>
    listPlaybooks(home).map((each) =>
      'problem' in each
        ? { name: each.name, problem: each.problem }
        : { name: each.name, goal: each.playbook.goal, steps: each.playbook.steps.length },
    ),
  takes: {
    when: { isPlay: true },
    async run({ entry, ...turn }, gw) {
      const { playTurn } = await import('./playbook/playbook.ts');
      return playTurn({ ...turn, play: entry.play ?? {} }, meshOf(gw), gw);
    },
  },
};
