import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

// Each of the many processes parses the same libraries: kept, it costs them half.
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, 'node_modules', '.cache', 'compile');

/** Whole gateways and processes: each file has a process of its own, whatever it leaves behind. */
const WHOLE = [
  ...['dialogs', 'channels/telegram', 'channels/discord', 'channels/slack', 'cli', 'examples', 'kit', 'scale'].map(
    (name) => `test/${name}/**/*.test.ts`,
  ),
  ...['channel', 'decode', 'homeserver', 'render'].map((name) => `examples/*/test/${name}.test.ts`),
  'test/*.test.ts',
  // Puts a stand-in for a module in its place, for good.
  'test/runtime/injection.property.test.ts',
];
const PARTS = [
  'access',
  'app',
  'lib',
  'engine',
  'workspace',
  'skills',
  'jobs',
  'projects',
  'messages',
  'runtime',
  'emulators',
  'board',
  'telemetry',
  'client',
  'world',
  'channels/markdown',
  'channels/shared',
  'channels/terminal',
  'channels/local',
].map((name) => `test/${name}/**/*.test.ts`);
/**
 * Floods, exhausted handles, outages, hostile guests, terminals, browsers, whole packages, and long dialogues of what stands on the rest:
 * minutes of waiting, and a command of their own (`npm run test:long`).
 */
const LONG = [
  'handles',
  'board/flood',
  'engine/redis/faults',
  'engine/redis/replicas',
  'board/hostile',
  'board/many-tasks',
  'board/ui/pages',
  'package',
  'skills/add/add',
  'dialogs/guests-table',
  'dialogs/adding',
  'dialogs/egress',
  'dialogs/live',
  'dialogs/poison',
  'dialogs/tracing',
  'dialogs/voice',
  'runtime/reading/documents',
  'telemetry/metrics',
  'board/ui/axe',
  'board/ui/drops',
  'board/browser/real',
  'board/browser/every-control',
  'cli/init',
  'cli/terminal',
  'dialogs/foreign',
  'dialogs/fairness',
  'dialogs/guests',
  'dialogs/guests-parked',
  ...['compaction', 'digests', 'jobs-chat', 'mesh', 'pictures', 'playbook', 'rights', 'supervisor', 'titles'].map(
    (name) => `dialogs/${name}`,
  ),
  ...[
    'dialogs/rights-table',
    'dialogs/trust',
    'dialogs/trust-events',
    'dialogs/unseen',
    'dialogs/bundles-run',
    'dialogs/documents',
    'dialogs/remains',
    'dialogs/search',
    'dialogs/vibers-who',
    'examples/matrix',
    'examples/packed',
    'examples/webhook',
    'skills/chart',
    'telemetry/tracing',
  ],
  ...[
    'commands',
    'conversations',
    'counting',
    'faults',
    'hub',
    'order',
    'other-engine',
    'progress',
    'shared-files',
  ].map((name) => `scale/${name}`),
  ...['approvals-crash', 'blocks', 'consent', 'day', 'export', 'many-skills', 'mcp', 'outcomes', 'plan-edits'].map(
    (name) => `dialogs/${name}`,
  ),
  ...['plan-steps', 'seen', 'shell', 'telemetry', 'waiting'].map((name) => `dialogs/${name}`),
  ...['board/login', 'board/protocol-crash', 'cli/backup', 'cli/jobs', 'cli/mcp-presets', 'cli/skills-change'],
].map((name) => `test/${name}.test.ts`);
/** Builds the container from its Dockerfile, with Debian's and npm's packages from the network: `npm run world:container`. */
const WORLD = ['test/world/container.test.ts'];
/** Pure, though among those of whole channels. */
const PURE = ['decode', 'render', 'render.property', 'setup'].map((name) => `test/channels/*/${name}.test.ts`);

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
    maxWorkers: 6,
    // Against hanging only: a shared machine may stall a process for seconds. What has to be quick is measured by
    // test/helpers/own-time.ts.
    testTimeout: 240_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 60_000 } },
    // What fails twice is broken.
    retry: process.env.CI ? 1 : 0,
    projects: [
      { extends: true, test: { name: 'whole', include: WHOLE, exclude: [...PURE, ...LONG] } },
      { extends: true, test: { name: 'long', include: LONG } },
      { extends: true, test: { name: 'world', include: WORLD } },
      // One process for many files: starting one and loading the libraries anew costs more than most of them.
      {
        extends: true,
        test: {
          name: 'parts',
          include: [...PARTS, ...PURE],
          exclude: [...WHOLE.slice(-2), ...LONG, ...WORLD],
          isolate: false,
        },
      },
    ],
  },
});
