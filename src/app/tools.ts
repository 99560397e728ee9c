/** What runs are offered beside the tools of every run, each part with what it needs of the gateway. */
import type { Config } from '../config.ts';
import type { Logger } from '../log.ts';
import type { Offered, Toolbox } from '../runtime/perform.ts';
import type { Home } from '../workspace/home.ts';

export interface OpenToolsOptions {
  config: Config;
  home: Home;
  log: Logger;
  /** What other parts of the gateway offer. */
  parts?: readonly Toolbox[];
}

export interface Tools {
  toolbox: Toolbox;
  /** Begins what may begin once the channels are connected. */
  start(): Promise<void>;
  close(): Promise<void>;
}

export function openTools(options: OpenToolsOptions): Tools {
  const parts: Toolbox[] = [...(options.parts ?? [])];
  return {
    async toolbox(order, own, scope) {
      const offered = await Promise.all(parts.map((part) => part(order, own, scope)));
      return joined(offered);
    },
    start: () => Promise.resolve(),
    close: () => Promise.resolve(),
  };
}

const joined = (offered: readonly Offered[]): Offered => ({
  tools: offered.flatMap(({ tools }) => tools),
  skills: offered
    .map(({ skills }) => skills)
    .filter(Boolean)
    .join('\n'),
});
