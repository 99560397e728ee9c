/**
 * The features, in the order in which their tools and commands are listed. If a row is removed, the gateway, the
 * command line and the doctor work without that feature, because nothing else names it. A row loads almost nothing, so
 * that `viber --help` loads no feature.
 */

import { acp } from './features/acp/cli.ts';
import { board } from './features/board/cli.ts';
import { usage } from './features/costs/cli.ts';
import { imports } from './features/imports/cli.ts';
import { jobs } from './features/jobs/cli.ts';
import { mcp } from './features/mcp/cli.ts';
import { memory } from './features/memory/cli.ts';
import { project } from './features/projects/cli.ts';
import { skills } from './features/skills/cli.ts';
import type { CliCommand } from './runtime/contract/cli.ts';
import type { Feature } from './runtime/run/gateway.ts';

export interface FeatureRow {
  /** The name of its folder. */
  name: string;
  /** Its subcommands of `viber`. */
  cli?: Readonly<Record<string, CliCommand>>;
  /** Imports the rest of it; absent if it only has commands of `viber`. */
  load?: () => Promise<Feature>;
}

export const FEATURES: readonly FeatureRow[] = [
  { name: 'memory', cli: { memory }, load: async () => (await import('./features/memory/index.ts')).memory },
  { name: 'jobs', cli: { jobs }, load: async () => (await import('./features/jobs/index.ts')).jobs },
  { name: 'agents', load: async () => (await import('./features/agents/index.ts')).agents },
  { name: 'web', load: async () => (await import('./features/web/index.ts')).web },
  { name: 'voice', load: async () => (await import('./features/voice/index.ts')).voice },
  { name: 'pictures', load: async () => (await import('./features/pictures/index.ts')).pictures },
  { name: 'documents', load: async () => (await import('./features/documents/index.ts')).documents },
  { name: 'titles', load: async () => (await import('./features/titles/index.ts')).titles },
  { name: 'costs', cli: { usage }, load: async () => (await import('./features/costs/index.ts')).costs },
  { name: 'dialects', load: async () => (await import('./features/dialects/index.ts')).dialects },
  { name: 'offline', load: async () => (await import('./features/offline/index.ts')).offline },
  { name: 'imports', cli: { import: imports } },
  { name: 'charts', load: async () => (await import('./features/charts/index.ts')).charts },
  { name: 'skills', cli: { skills }, load: async () => (await import('./features/skills/index.ts')).skills },
  { name: 'projects', cli: { project }, load: async () => (await import('./features/projects/index.ts')).projects },
  { name: 'mcp', cli: { mcp }, load: async () => (await import('./features/mcp/index.ts')).mcp },
  { name: 'openai', load: async () => (await import('./features/openai/index.ts')).openai },
  { name: 'acp', cli: { acp }, load: async () => (await import('./features/acp/index.ts')).acp },
  { name: 'setup', load: async () => (await import('./features/setup/index.ts')).setup },
  { name: 'receipt', load: async () => (await import('./features/receipt/index.ts')).receipt },
  { name: 'why', load: async () => (await import('./features/why/index.ts')).why },
  { name: 'board', cli: { board }, load: async () => (await import('./features/board/index.ts')).board },
];

let loading: Promise<readonly Feature[]> | undefined;

/** Loads all features of the table, once. */
export function loadFeatures(): Promise<readonly Feature[]> {
  loading ??= Promise.all(FEATURES.map(async ({ name, load }) => (await load?.()) ?? { name }));
  return loading;
}
