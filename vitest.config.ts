import { existsSync, globSync, statfsSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

// Each of the many processes parses the same libraries: kept, it costs them half.
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, 'node_modules', '.cache', 'compile');

/** Each of these files has a process of its own, whatever it leaves behind; the others share one. */
const WHOLE = filesOf(
  'test/{cli,examples,kit,scale}/**/*',
  'test/*',
  // Put a stand-in for a module in its place, for good.
  'test/runtime/injection.property',
  'test/dialogs/{bundles-run,shell,skills,stop}',
  // Quicken the progress that people are shown, for good.
  'test/dialogs/{live,mcp}',
);
/**
 * What takes longer than you want to wait after each change: dialogues with whole gateways, processes, git, browsers,
 * floods, outages, hostile guests, whole packages. It has a command of its own (`npm run test:long`).
 */
const LONG = filesOf(
  'test/{app,cli,dialogs,engine/redis,examples,projects,scale}/**/*',
  'test/board/{browser,pages,ui}/**/*',
  'test/{crash,damage,demo,disk-full,features,handles,hostile-texts,interfaces,package,path,publishing}',
  'test/{record,shell-blocks,supply}',
  'test/access/{links,locked}',
  'test/board/{changes,chat,flood,guard,hostile,hub,login,many-tasks,protocol,protocol-crash}',
  'test/board/{protocol-load,protocol-people,push,share,socket,tasks-http,whose-events.property}',
  'test/channels/discord/{connection,contract,lead,send,thread-state}',
  'test/channels/slack/{contract,gaps.property,render.property,send,socket}',
  'test/channels/telegram/{adapter,contract,pace}',
  'test/emulators/{discord-gateway,slack-redelivery,telegram-faults}',
  'test/engine/local/{faults,lock}',
  'test/jobs/{app-jobs,by-hand,files,shared,phrases/told}',
  'test/kit/quiet',
  'test/lib/{watch-folders,worker-process}',
  'test/messages/exchange',
  'test/runtime/injection.property',
  'test/runtime/agent/{cut-steps.property,faults,pictures}',
  'test/runtime/commands/guides',
  'test/runtime/model/endless',
  'test/runtime/reading/{documents,hearing}',
  'test/runtime/tools/{add-a-tool,mcp,mcp-answers,mcp-arguments.property,mcp-changes,mcp-hostile,race,skill-files,skills}',
  'test/skills/{catalog,chart,memory,payloads,repositories,script,script-network}',
  'test/skills/add/{add,crash}',
  'test/telemetry/{metrics,tracing}',
  'test/workspace/{memory-changes,memory-index,memory-index-crash,memory-odd-files,sessions}',
);
/** Dialogues wait for their emulators to be quiet, so they share a process with dialogues alone. */
const DIALOGS = filesOf('test/dialogs/*').difference(WHOLE);
/** Their scripts work in folders that a sandbox refuses in memory. */
const ON_DISK = filesOf(
  'test/dialogs/{acp,adding,bundles,commands,consent-shown,cut-steps,delegate,drawn-pictures,guests*,project*}',
);
/** Builds the container from its Dockerfile, with Debian's and npm's packages from the network: `npm run world:container`. */
const WORLD = filesOf('test/world/container');
/** For the package that is installed in a folder of its own; here, `test/examples/matrix.test.ts` runs the same suite. */
const INSTALLED = filesOf('examples/*/test/contract');
const ALL = filesOf('{test,examples/*/test}/**/*').difference(WORLD.union(INSTALLED));

function filesOf(...globs: string[]): Set<string> {
  return new Set(
    globSync(
      globs.map((glob) => `${glob}.test.ts`),
      { cwd: import.meta.dirname },
    ),
  );
}

/** Where this system has a disk in memory with enough room, temporary folders are there. */
function memory(): { TMPDIR?: string } {
  const disk = '/dev/shm';
  if (!existsSync(disk)) return {};
  const { bavail, bsize } = statfsSync(disk);
  return bavail * bsize > 2 ** 31 ? { TMPDIR: disk } : {};
}

function project(name: string, files: Set<string>, isolate = true, env: Record<string, string> = {}) {
  return { extends: true as const, test: { name, include: [...files], isolate, env } };
}

export default defineConfig({
  resolve: {
    alias: {
      'openviber-gateway/plugin': join(import.meta.dirname, 'src/plugin/plugin.ts'),
      'openviber-gateway/testing': join(import.meta.dirname, 'test/testing/testing.ts'),
    },
  },
  test: {
    globalSetup: 'test/helpers/machine.ts',
    setupFiles: 'test/helpers/bare.ts',
    pool: 'forks',
    maxWorkers: 3,
    // Against hanging only: a shared machine may stall a process for seconds. What has to be quick is measured by
    // test/helpers/own-time.ts.
    testTimeout: 240_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 60_000 } },
    // What fails twice is broken.
    retry: process.env.CI ? 1 : 0,
    projects: [
      project('whole', WHOLE.difference(LONG)),
      project('parts', ALL.difference(WHOLE).difference(LONG), false),
      project('long', WHOLE.intersection(LONG)),
      project('long parts', LONG.difference(WHOLE).difference(DIALOGS), false),
      // Each step of a gateway waits until it is durable, which in memory it is at once.
      project('long dialogs', DIALOGS.difference(ON_DISK), false, memory()),
      project('long dialogs on disk', DIALOGS.intersection(ON_DISK), false),
      project('world', WORLD),
    ],
  },
});
