/** Connects skills and tool servers with the gateway. Loaded by the first run, or shortly after the start. */
import type { Config } from '../../config.ts';
import { UserError } from '../../errors.ts';
import { reservedNames } from '../../features.ts';
import { within } from '../../lib/within.ts';
import type { Logger } from '../../log.ts';
import { say } from '../../messages/messages.ts';
import type { KnownNames } from '../../runtime/contract/job-service.ts';
import type { Offered, Order, Toolbox } from '../../runtime/contract/order.ts';
import type { OwnSettings } from '../../runtime/contract/settings.ts';
import type { ToolScope } from '../../runtime/contract/tool-scope.ts';
import type { NamedModels } from '../../runtime/model/models.ts';
import type { FeatureRun, Gateway } from '../../runtime/run/gateway.ts';
import { mayUse } from '../../runtime/tools/asked.ts';
import { offerTools } from '../../runtime/tools/bind.ts';
import type { ServerPrompts } from '../../runtime/tools/mcp/prompts.ts';
import type { McpServers } from '../../runtime/tools/mcp/servers.ts';
import { factsOf } from '../../runtime/tools/offered.ts';
import type { ToolServices } from '../../runtime/tools/run.ts';
import type { SkillAdding, SkillService } from '../../runtime/tools/skills/service.ts';
import { SERVICE_TOOLS } from '../../runtime/tools/table.ts';
import { hasSandbox } from '../../skills/sandbox.ts';
import type { Home } from '../../workspace/home.ts';
import type { SkillParts } from './parts.ts';

interface OpenSkillsOptions {
  config: Pick<Config, 'skills' | 'mcp'>;
  home: Home;
  log: Logger;
  /** If false, scripts run without the sandbox even if there is one, and each needs consent. */
  sandbox?: boolean | undefined;
}

type Offer = (order: Order, own: OwnSettings, scope: ToolScope) => Promise<Offered>;

interface AppSkills {
  toolbox: Offer;
  service: SkillService;
  adding(): Promise<SkillAdding>;
  /** Returns the names that jobs may use; skills that keep being rewritten count as unread. */
  names(vibers: readonly string[], models: NamedModels): Promise<KnownNames>;
  prompts?: ServerPrompts;
  /** Schedules reading the skills; nothing waits for it. */
  start(): void;
  close(): Promise<void>;
}

/** Delays reading so that it doesn't slow the start, in ms; earlier messages don't wait for it. */
const EARLY_MS = 500;
/** Limit on tools of skills and servers in one run. Providers refuse a request with more than 128 in all. */
const MAX_TOOLS = 100;
const NOTHING = { tools: [], skills: '' };
/** How long a run waits for files that keep being rewritten, in ms. */
const WAIT_MS = 3_000;

export function openAppSkills(options: OpenSkillsOptions): AppSkills {
  // The probe runs in a separate process, which the first run would otherwise have to wait for.
  if (options.sandbox !== false)
    void hasSandbox().catch((err: unknown) => options.log.warn({ err }, 'is there a sandbox?'));
  const servers = new Servers(options.config.mcp, options.log);
  const skills = new Skills(options, servers);
  return {
    async toolbox(order, own, scope) {
      const [called, served] = await Promise.all([skills.offer(order, own, scope), servers.offer(order, own, scope)]);
      const found = [...called.tools, ...served.tools];
      const isLimited = own.tools !== undefined || order.asked !== undefined;
      const all = isLimited ? found.filter(mayUse(own, order.asked)) : found;
      if (all.length > MAX_TOOLS)
        options.log.warn({ tools: all.length }, 'too many tools: name those needed in mcp.NAME.tools');
      return { ...called, tools: all.slice(0, MAX_TOOLS) };
    },
    service: skills,
    names: (vibers, models) => skills.names(vibers, models),
    adding: () => skills.adding(),
    ...(servers.prompts && { prompts: servers.prompts }),
    start: () => skills.start(),
    async close() {
      for (const outcome of await Promise.allSettled([skills.close(), servers.close()])) {
        if (outcome.status === 'rejected') options.log.warn({ err: outcome.reason }, 'the skills could not be closed');
      }
    },
  };
}

/** The tool servers, connected on first use. */
class Servers {
  readonly #configured: Config['mcp'];
  readonly #names: readonly string[];
  readonly #log: Logger;
  #connected: Promise<McpServers> | undefined;

  constructor(configured: Config['mcp'], log: Logger) {
    this.#configured = configured;
    this.#names = Object.keys(configured);
    this.#log = log;
  }

  async offer(...[{ principal }, own, scope]: Parameters<Offer>): Promise<Offered> {
    const named = [...(own.tools ?? []), ...(own.skills ?? [])];
    const isAsked = !own.tools || this.#names.some((server) => named.some((tool) => tool.startsWith(`${server}_`)));
    // As with scripts: the owner's setup is for the people of this gateway.
    if (this.#names.length === 0 || !isAsked || principal.role === 'guest') return NOTHING;
    const tools = await (await this.#connect()).tools(scope);
    return { tools: tools.filter(({ name }) => !reservedNames().includes(name)), skills: '' };
  }

  async health(): Promise<ReturnType<McpServers['health']>> {
    return this.#names.length > 0 ? (await this.#connect()).health() : [];
  }

  /** Returns the tools of servers that have been used. */
  async toolNames(): Promise<ReturnType<McpServers['names']> | undefined> {
    return (await this.#connected)?.names();
  }

  get prompts(): ServerPrompts | undefined {
    if (this.#names.length === 0) return undefined;
    return {
      list: async () => (await this.#connect()).prompts(),
      read: async (prompt, values) => (await this.#connect()).prompt(prompt, values),
    };
  }

  async close(): Promise<void> {
    await (await this.#connected)?.close();
  }

  #connect(): Promise<McpServers> {
    this.#connected ??= import('../../runtime/tools/mcp/servers.ts').then(
      ({ McpServers }) => new McpServers({ servers: this.#configured, log: this.#log }),
    );
    return this.#connected;
  }
}

/** The skills of all vibers, read by the first run or shortly after the start. */
class Skills implements SkillService {
  readonly #options: OpenSkillsOptions;
  readonly #servers: Servers;
  /** Vibers whose skills have been read once. */
  readonly #read = new Set<string>();
  readonly #ending = new AbortController();
  #opened: Promise<SkillParts> | undefined;
  #early: NodeJS.Timeout | undefined;

  constructor(options: OpenSkillsOptions, servers: Servers) {
    this.#options = options;
    this.#servers = servers;
  }

  async offer(...[order, own, scope]: Parameters<Offer>): Promise<Offered> {
    if (own.skills?.length === 0) return NOTHING;
    const { skills, reading, offerSkills, usable, isSandboxed } = await this.#parts();
    if (!this.#read.has(scope.viber)) {
      const work = Promise.all([reading, skills.open(scope.viber)]).then(() => this.#read.add(scope.viber));
      await within(work, WAIT_MS);
    }
    const settings = this.#options.config.skills;
    const bundled = { web: { allowedOrigins: settings.webOrigins } };
    return offerSkills(await usable(scope.viber), order, own, scope, { settings, bundled, isSandboxed });
  }

  async list(viber: string): ReturnType<SkillService['list']> {
    const { skills, health, listSkills } = await this.#parts();
    return { ...(await listSkills(skills, health, viber)), servers: await this.#servers.health() };
  }

  async find(viber: string, name: string): ReturnType<SkillService['find']> {
    const { skills, health, findSkill } = await this.#parts();
    return findSkill(skills, health, viber, name);
  }

  async names(vibers: readonly string[], models: NamedModels): Promise<KnownNames> {
    const { knownNames } = await import('../../runtime/tools/skills/known-names.ts');
    const { config, home } = this.#options;
    const common = { home, config, models, connected: await this.#servers.toolNames() };
    if (vibers.length === 0) return knownNames(common);
    const { skills, reading } = await this.#parts();
    let isRead = false;
    const work = Promise.all([reading, ...vibers.map((viber) => skills.open(viber))])
      .then(() => skills.refresh())
      .then(() => {
        isRead = true;
      });
    await within(work, WAIT_MS);
    return knownNames({ ...common, skills: isRead ? { catalog: skills, vibers } : undefined });
  }

  async adding(): Promise<SkillAdding> {
    const { openAdding } = await import('./adding.ts');
    const { config, home, log } = this.#options;
    const onChange = async () => (await this.#opened)?.skills.refresh();
    return openAdding({ config, home, log, onChange, signal: this.#ending.signal });
  }

  start(): void {
    this.#early ??= setTimeout(() => {
      this.#parts().catch((err: unknown) => this.#options.log.error({ err }, 'the skills could not be read'));
    }, EARLY_MS).unref();
  }

  async close(): Promise<void> {
    clearTimeout(this.#early);
    this.#ending.abort(new UserError(say('adding.restarted')));
    await (await this.#opened)?.skills.close();
  }

  /** Rejects only for a bug of ours: the catalog reports skills that were broken at the start. */
  #parts(): Promise<SkillParts> {
    this.#opened ??= this.#open().catch((error: unknown) => {
      this.#opened = undefined;
      throw error;
    });
    return this.#opened;
  }

  async #open(): Promise<SkillParts> {
    const { openSkillParts } = await import('./parts.ts');
    const { config, home, log, sandbox } = this.#options;
    return openSkillParts({ config, home, log, sandbox: sandbox !== false });
  }
}

interface OpenToolsOptions {
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

/** Offers a run the tools that need other parts of the gateway, and those that come and go, which stand last. */
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
