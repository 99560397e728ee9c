/**
 * The features, in the order in which their tools and commands are listed. Take a line away and the gateway goes on without that feature:
 * nothing else names it.
 */

import { agents } from './features/agents/index.ts';
import { charts } from './features/charts/index.ts';
import { dialects } from './features/dialects/index.ts';
import { documents } from './features/documents/index.ts';
import type { Feature } from './features/gateway.ts';
import { imports } from './features/imports/index.ts';
import { jobs } from './features/jobs/index.ts';
import { mcp } from './features/mcp/index.ts';
import { memory } from './features/memory/index.ts';
import { offline } from './features/offline/index.ts';
import { skills } from './features/skills/index.ts';
import { titles } from './features/titles/index.ts';
import { voice } from './features/voice/index.ts';
import { web } from './features/web/index.ts';
import type { HomeAt } from './runtime/contract/feature.ts';
import { nativesIn, reservedIn } from './runtime/features.ts';
import { knowElements } from './runtime/reply/reply.ts';

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
  charts,
  skills,
  mcp,
];

// What a feature that is off would take from answers is never for people either.
knowElements(FEATURES.flatMap(({ reply = [] }) => reply.map(({ name }) => name)));

/** A home for features that work without a gateway. Names of features that are off are reserved, too. */
export const homeAt = (config: object, home: string): HomeAt => ({
  config,
  home,
  reserved: reservedIn(FEATURES),
  natives: nativesIn(FEATURES),
});
