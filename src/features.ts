/**
 * The features, in the order in which their tools and commands are listed. Take a row away and the gateway, the command
 * line and the doctor go on without that feature: nothing else names it. A row is light, so that `viber --help` loads
 * no feature.
 */

import { board } from './features/board/cli.ts';
import { imports } from './features/imports/cli.ts';
import { jobs } from './features/jobs/cli.ts';
import { memory } from './features/memory/cli.ts';
import { skills } from './features/skills/cli.ts';
import type { CliCommand } from './runtime/contract/cli.ts';
import type { Feature } from './runtime/run/gateway.ts';

export interface FeatureRow {
  /** The name of its folder. */
  name: string;
  /** Its commands of `viber`. */
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
  { name: 'documents', load: async () => (await import('./features/documents/index.ts')).documents },
  { name: 'titles', load: async () => (await import('./features/titles/index.ts')).titles },
  { name: 'costs', load: async () => (await import('./features/costs/index.ts')).costs },
  { name: 'dialects', load: async () => (await import('./features/dialects/index.ts')).dialects },
  { name: 'offline', load: async () => (await import('./features/offline/index.ts')).offline },
  { name: 'imports', cli: { import: imports } },
  { name: 'charts', load: async () => (await import('./features/charts/index.ts')).charts },
  { name: 'skills', cli: { skills }, load: async () => (await import('./features/skills/index.ts')).skills },
  { name: 'mcp', load: async () => (await import('./features/mcp/index.ts')).mcp },
  { name: 'board', cli: { board }, load: async () => (await import('./features/board/index.ts')).board },
];

let loading: Promise<readonly Feature[]> | undefined;

/** Loads all features of the table, once. */
export function loadFeatures(): Promise<readonly Feature[]> {
  loading ??= Promise.all(FEATURES.map(async ({ name, load }) => (await load?.()) ?? { name }));
  return loading;
}
