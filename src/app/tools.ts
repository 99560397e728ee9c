/** Offers a run the tools that need other parts of the gateway, and those that come and go, which stand last. */
import type { Config } from '../config.ts';
import type { Logger } from '../log.ts';
import type { KnownNames } from '../runtime/contract/job-service.ts';
import type { Toolbox } from '../runtime/contract/order.ts';
import type { NamedModels } from '../runtime/model/models.ts';
import type { FeatureRun, Gateway } from '../runtime/run/gateway.ts';
import { mayUse } from '../runtime/tools/asked.ts';
import { offerTools } from '../runtime/tools/bind.ts';
import type { ServerPrompts } from '../runtime/tools/mcp/prompts.ts';
import { factsOf } from '../runtime/tools/offered.ts';
import type { ToolServices } from '../runtime/tools/run.ts';
import type { SkillAdding, SkillService } from '../runtime/tools/skills/service.ts';
import { SERVICE_TOOLS } from '../runtime/tools/table.ts';
import type { Home } from '../workspace/home.ts';
import { openAppSkills } from './skills/skills.ts';

export interface OpenToolsOptions {
  config: Config;
  home: Home;
  log: Logger;
  services: ToolServices;
  /** Returns the gateway; must be called only once it is assembled. */
  gateway: () => Gateway;
  /** If false, scripts run without the sandbox even if there is one. */
  sandbox?: boolean;
}

export interface Tools {
  toolbox: Toolbox;
  skills: SkillService;
  adding: () => Promise<SkillAdding>;
  prompts?: ServerPrompts;
  /** Returns the names that jobs may use, with the skills of these vibers. */
  names(vibers: readonly string[], models: NamedModels): Promise<KnownNames>;
  /** Starts background work once the channels are connected. */
  start(): Promise<void>;
  close(): Promise<void>;
}

export function openTools(options: OpenToolsOptions): Tools {
  const skills = openAppSkills(options);
  return {
    async toolbox(order, own, scope, made) {
      const gw = options.gateway();
      const run: FeatureRun = {
        gw,
        scope,
        order,
        own,
        made,
        services: options.services,
        mayUse: (name) => mayUse(own, order.asked)({ name }),
      };
      const [tools, skilled] = await Promise.all([
        offerTools([...SERVICE_TOOLS, ...gw.features.tools], run, factsOf(order)),
        skills.toolbox(order, own, scope),
      ]);
      return { ...skilled, tools: [...tools, ...skilled.tools] };
    },
    skills: skills.service,
    adding: skills.adding,
    names: skills.names,
    ...(skills.prompts && { prompts: skills.prompts }),
    start: async () => skills.start(),
    close: skills.close,
  };
}
