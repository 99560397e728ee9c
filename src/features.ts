/**
 * The features, in the order in which their tools and commands are listed. Take a line away and the gateway goes on without that feature:
 * nothing else names it.
 */

import { agents } from './features/agents/index.ts';
import { dialects } from './features/dialects/index.ts';
import { documents } from './features/documents/index.ts';
import type { Feature } from './features/gateway.ts';
import { imports } from './features/imports/index.ts';
import { jobs } from './features/jobs/index.ts';
import { memory } from './features/memory/index.ts';
import { offline } from './features/offline/index.ts';
import { titles } from './features/titles/index.ts';
import { voice } from './features/voice/index.ts';
import { web } from './features/web/index.ts';
import { knowElements } from './runtime/reply/reply.ts';
import { ownTools } from './runtime/tools/table.ts';

export const FEATURES: readonly Feature[] = [
  memory,
  jobs,
  agents,
  web,
  voice,
  documents,
  titles,
  dialects,
  offline,
  imports,
];

// What a feature that is off would take from answers is never for people either.
knowElements(FEATURES.flatMap(({ reply = [] }) => reply.map(({ name }) => name)));

/** The names of the gateway's own tools, of features that are off too: no skill and no server of tools may take one. */
export const reservedNames = (): string[] => [
  ...new Set([...ownTools(), ...FEATURES.flatMap(({ tools = [] }) => tools.map(({ name }) => name))]),
];
