/** Skills and servers of tools with what they need of the gateway. Loaded by the first run, or a moment after the start. */
import type { Config } from '../config.ts';
import { UserError } from '../errors.ts';
import type { Logger } from '../log.ts';
import { say } from '../messages/messages.ts';
import type { ServerPrompts, SkillAdding } from '../runtime/commands/command.ts';
import type { KnownNames } from '../runtime/contract/job-service.ts';
import type { Toolbox } from '../runtime/contract/order.ts';
import { OWN_TOOLS } from '../runtime/contract/tool-names.ts';
import type { NamedModels } from '../runtime/model/models.ts';
import { mayUse } from '../runtime/tools/asked.ts';
import type { McpServers } from '../runtime/tools/mcp/servers.ts';
import type { SkillService } from '../runtime/tools/skills/service.ts';
import type { Home } from '../workspace/home.ts';

export interface OpenSkillsOptions {
  config: Pick<Config, 'skills' | 'mcp'>;
  home: Home;
  log: Logger;
  /** false: scripts run without the sandbox although there is one, and each is asked about. */
  sandbox?: boolean | undefined;
}

export interface AppSkills {
  toolbox: Toolbox;
  service: SkillService;
  adding(): Promise<SkillAdding>;
  /** What jobs may name; skills that are being written again and again count as not read. */
  names(vibers: readonly string[], models: NamedModels): Promise<KnownNames>;
  /** Where servers are configured. */
  prompts?: ServerPrompts;
  /** Has the skills read soon; nobody has to wait for it. */
  start(): void;
  close(): Promise<void>;
}

/** A start has better things to do; a message that comes before does not wait for this. */
const EARLY_MS = 500;
/** Tools of skills and servers in one run. Providers refuse a request with more than 128 in all. */
const MAX_TOOLS = 100;
const NOTHING = { tools: [], skills: '' };
/** How long a run waits for files that are being written again and again. */
const WAIT_MS = 3_000;

export function openAppSkills(options: OpenSkillsOptions): AppSkills {
  const { config, home, log } = options;
  let opened: ReturnType<typeof open> | undefined;
  let connected: Promise<McpServers> | undefined;
  /** Vibers whose skills have been read once. */
  const read = new Set<string>();
  let early: NodeJS.Timeout | undefined;
  const ending = new AbortController();
  const servers = Object.keys(config.mcp);
  // Tried out in a process of its own, which the first run would have to wait for.
  if (options.sandbox !== false) void probe().catch((err: unknown) => log.warn({ err }, 'is there a sandbox?'));

  async function open() {
    const { openSkillParts } = await import('./skill-parts.ts');
    return openSkillParts({ config, home, log, sandbox: options.sandbox !== false });
  }

  /** Skills that were broken at the start are told about by the catalog; only a fault of ours rejects. */
  function parts(): ReturnType<typeof open> {
    opened ??= open().catch((error: unknown) => {
      opened = undefined;
      throw error;
    });
    return opened;
  }

  async function mcp(): Promise<McpServers> {
    connected ??= import('../runtime/tools/mcp/servers.ts').then(
      ({ McpServers }) => new McpServers({ servers: config.mcp, log }),
    );
    return connected;
  }

  const { webOrigins } = config.skills;

  const ofSkills: Toolbox = async (order, own, scope) => {
    if (own.skills?.length === 0) return NOTHING;
    const { skills, reading, offerSkills, usable, isSandboxed } = await parts();
    if (!read.has(scope.viber)) {
      const work = Promise.all([reading, skills.open(scope.viber)]).then(() => read.add(scope.viber));
      await within(work, WAIT_MS);
    }
    return offerSkills(await usable(scope.viber), order, own, scope, {
      ...{ settings: config.skills, bundled: { web: { allowedOrigins: webOrigins } }, isSandboxed },
    });
  };

  const ofServers: Toolbox = async ({ principal }, own, scope) => {
    const named = [...(own.tools ?? []), ...(own.skills ?? [])];
    const isAsked = !own.tools || servers.some((server) => named.some((tool) => tool.startsWith(`${server}_`)));
    // As with scripts: what the owner has set up is for the people of this gateway.
    if (servers.length === 0 || !isAsked || principal.role === 'guest') return NOTHING;
    const tools = await (await mcp()).tools(scope);
    return { tools: tools.filter(({ name }) => !OWN_TOOLS.includes(name)), skills: '' };
  };

  return {
    async toolbox(order, own, scope) {
      const [called, served] = await Promise.all([ofSkills(order, own, scope), ofServers(order, own, scope)]);
      const all = [...called.tools, ...served.tools].filter(mayUse(own, order.asked));
      if (all.length > MAX_TOOLS)
        log.warn({ tools: all.length }, 'too many tools: name those needed in mcp.NAME.tools');
      return { ...called, tools: all.slice(0, MAX_TOOLS) };
    },
    service: {
      async list(viber) {
        const { skills, health, listSkills } = await parts();
        const listed = await listSkills(skills, health, viber);
        return { ...listed, servers: servers.length > 0 ? (await mcp()).health() : [] };
      },
      async find(viber, name) {
        const { skills, health, findSkill } = await parts();
        return findSkill(skills, health, viber, name);
      },
    },
    async names(vibers, models) {
      const { knownNames } = await import('../runtime/tools/skills/known-names.ts');
      const common = { home, config, models, connected: (await connected)?.names() };
      if (vibers.length === 0) return knownNames(common);
      const { skills, reading } = await parts();
      let isRead = false;
      const work = Promise.all([reading, ...vibers.map((viber) => skills.open(viber))])
        .then(() => skills.refresh())
        .then(() => {
          isRead = true;
        });
      await within(work, WAIT_MS);
      return knownNames({ ...common, skills: isRead ? { catalog: skills, vibers } : undefined });
    },
    async adding() {
      const { openAdding } = await import('./adding.ts');
      const onChange = async () => (await opened)?.skills.refresh();
      return openAdding({ config, home, log, onChange, signal: ending.signal });
    },
    ...(servers.length > 0 && {
      prompts: {
        list: async () => (await mcp()).prompts(),
        read: async (prompt, values) => (await mcp()).prompt(prompt, values),
      },
    }),
    start() {
      early ??= setTimeout(() => {
        parts().catch((err: unknown) => log.error({ err }, 'the skills could not be read'));
      }, EARLY_MS).unref();
    },
    async close() {
      clearTimeout(early);
      ending.abort(new UserError(say('adding.restarted')));
      const closing = [opened?.then(({ skills }) => skills.close()), connected?.then((each) => each.close())];
      for (const outcome of await Promise.allSettled(closing)) {
        if (outcome.status === 'rejected') log.warn({ err: outcome.reason }, 'the skills could not be closed');
      }
    },
  };
}

async function probe(): Promise<boolean> {
  const { hasSandbox } = await import('../skills/sandbox.ts');
  return hasSandbox();
}

/** Settles with the work, or after a while without it. */
async function within(work: Promise<unknown>, ms: number): Promise<void> {
  const { promise: late, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  await Promise.race([work, late]).finally(() => clearTimeout(timer));
}
