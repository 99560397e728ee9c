/** What runs are offered beside the tools of every run, each part with what it needs of the gateway. */
import type { Config } from '../config.ts';
import type { Logger } from '../log.ts';
import type { ServerPrompts, SkillAdding } from '../runtime/commands/command.ts';
import type { KnownNames } from '../runtime/contract/job-service.ts';
import type { Offered, Toolbox } from '../runtime/contract/order.ts';
import type { NamedModels } from '../runtime/model/models.ts';
import type { SkillService } from '../runtime/tools/skills/service.ts';
import type { Home } from '../workspace/home.ts';
import { openAppSkills } from './skills/skills.ts';

export interface OpenToolsOptions {
  config: Config;
  home: Home;
  log: Logger;
  /** What other parts of the gateway offer. */
  parts?: readonly Toolbox[];
  /** false: scripts run without the sandbox although there is one. */
  sandbox?: boolean;
  /** Other machines may change the files of the home. */
  isShared?: boolean;
}

export interface Tools {
  toolbox: Toolbox;
  skills: SkillService;
  adding: () => Promise<SkillAdding>;
  prompts?: ServerPrompts;
  /** What jobs may name; of the skills those of these vibers. */
  names(vibers: readonly string[], models: NamedModels): Promise<KnownNames>;
  /** Begins what may begin once the channels are connected. */
  start(): Promise<void>;
  close(): Promise<void>;
}

export function openTools(options: OpenToolsOptions): Tools {
  const skills = openAppSkills(options);
  // What servers offer comes and goes: last, so that the rest stays where it is.
  const parts: Toolbox[] = [...(options.parts ?? []), skills.toolbox];
  return {
    async toolbox(order, own, scope) {
      const offered = await Promise.all(parts.map((part) => part(order, own, scope)));
      return joined(offered);
    },
    skills: skills.service,
    adding: skills.adding,
    names: skills.names,
    ...(skills.prompts && { prompts: skills.prompts }),
    start: async () => skills.start(),
    close: skills.close,
  };
}

const joined = (offered: readonly Offered[]): Offered => ({
  isBeyond: (tool) => offered.some(({ isBeyond }) => isBeyond?.(tool) === true),
  tools: offered.flatMap(({ tools }) => tools),
  skills: offered
    .map(({ skills }) => skills)
    .filter(Boolean)
    .join('\n'),
});
