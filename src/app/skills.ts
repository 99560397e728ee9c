/** Skills and servers of tools with what they need of the gateway. Nothing of them is loaded before the channels are connected. */
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Config } from '../config.ts';
import type { Logger } from '../log.ts';
import type { Toolbox } from '../runtime/perform.ts';
import type { SkillDesk } from '../runtime/skill-desk.ts';
import { OWN_TOOLS } from '../runtime/tool-names.ts';
import type { McpServers } from '../runtime/tools/mcp/servers.ts';
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
  desk: SkillDesk;
  /** Begins to read the skills; nobody has to wait for it. */
  start(): void;
  close(): Promise<void>;
}

const NOTHING = { tools: [], skills: '' };
/** How long a run waits for files that are being written again and again. */
const WAIT_MS = 3_000;

export function openAppSkills(options: OpenSkillsOptions): AppSkills {
  const { config, home, log } = options;
  let opened: ReturnType<typeof open> | undefined;
  let connected: Promise<McpServers> | undefined;
  let isClosed = false;
  const servers = Object.keys(config.mcp);

  async function open() {
    const [{ bundledSkills, openSkills }, { openHealth }, { offerSkills }, { createUsable }, desk, { hasSandbox }] =
      await Promise.all([
        import('../skills/catalog.ts'),
        import('../skills/health.ts'),
        import('../runtime/tools/skills.ts'),
        import('../runtime/tools/skills/usable.ts'),
        import('../runtime/skill-desk.ts'),
        import('../skills/sandbox.ts'),
      ]);
    const skills = openSkills({
      ...{ bundled: bundledSkills(), user: home.skills, reserved: OWN_TOOLS, log },
      viber: (viber) => path.join(home.viberDir(viber), 'skills'),
    });
    const sandbox = options.sandbox !== false && (await hasSandbox());
    const health = openHealth({ granted: config.skills.env, isNative: desk.isNative, sandbox });
    const reading = skills.start();
    return { skills, reading, health, offerSkills, usable: createUsable(skills, health), desk, sandbox };
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
    connected ??= import('../runtime/tools/mcp/servers.ts').then(({ createMcpServers }) =>
      createMcpServers({ servers: config.mcp, log }),
    );
    return connected;
  }

  const { webOrigins } = config.skills;

  const ofSkills: Toolbox = async (order, own, scope) => {
    if (own.skills?.length === 0) return NOTHING;
    const { skills, reading, offerSkills, usable, sandbox } = await parts();
    const read = Promise.all([reading, skills.open(scope.viber)]);
    await within(read, WAIT_MS);
    return offerSkills(await usable(scope.viber), order, own, scope, {
      ...{ settings: config.skills, bundled: { web: { allowedOrigins: webOrigins } }, isSandboxed: sandbox },
    });
  };

  const ofServers: Toolbox = async (_order, own, scope) => {
    const isAsked = own.tools?.some((tool) => servers.some((server) => tool.startsWith(`${server}_`))) ?? true;
    if (servers.length === 0 || !isAsked) return NOTHING;
    const tools = await (await mcp()).tools(scope);
    return { tools: tools.filter(({ name }) => !OWN_TOOLS.includes(name)), skills: '' };
  };

  return {
    async toolbox(order, own, scope) {
      const [called, served] = await Promise.all([ofSkills(order, own, scope), ofServers(order, own, scope)]);
      return { tools: [...called.tools, ...served.tools], skills: called.skills };
    },
    desk: {
      async list(viber) {
        const { skills, health, desk } = await parts();
        const listed = await desk.listSkills(skills, health, viber);
        return { ...listed, servers: servers.length > 0 ? (await mcp()).health() : [] };
      },
    },
    start() {
      if (isClosed) return;
      parts().catch((err: unknown) => log.error({ err }, 'the skills could not be read'));
    },
    async close() {
      isClosed = true;
      const closing = [opened?.then(({ skills }) => skills.close()), connected?.then((each) => each.close())];
      for (const outcome of await Promise.allSettled(closing)) {
        if (outcome.status === 'rejected') log.warn({ err: outcome.reason }, 'the skills could not be closed');
      }
    },
  };
}

/** Settles with the work, or after a while without it. */
async function within(work: Promise<unknown>, ms: number): Promise<void> {
  const late = new AbortController();
  await Promise.race([work, sleep(ms, undefined, { signal: late.signal }).catch(() => 'the work was done in time')]);
  late.abort();
}
