/** Agents that ask each other about a task, and playbooks that they work through step by step. */
import type { Feature } from '../gateway.ts';
import { askAgent } from './ask-agent.ts';
import { agentsOf } from './open.ts';
import { play } from './play.ts';
import { listPlaybooks } from './playbook/library.ts';

export const agents: Feature = {
  name: 'agents',
  commands: [play],
  tools: [askAgent],
  playbooks: ({ home }) =>
    listPlaybooks(home).map((each) =>
      'problem' in each
        ? { name: each.name, problem: each.problem }
        : { name: each.name, goal: each.playbook.goal, steps: each.playbook.steps.length },
    ),
  takes: {
    when: { isPlay: true },
    run: ({ entry, ...turn }, gw) => agentsOf(gw).play({ ...turn, play: entry.play ?? {} }),
  },
};
