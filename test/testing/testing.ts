/**
 * The suite of every channel, for a package that holds one: `openviber-gateway/testing`. Each test starts the installed
 * gateway as a process, with an emulated model and the platform's emulator. Runs in vitest.
 */

import { vi } from 'vitest';
import type {
  GivenFile,
  Person,
  Place,
  Platform,
  SayOptions,
  Seen,
  SeenFile,
  SendFault,
  Wait,
} from '../platforms/platform.ts';
import { ask, bytesOf, waitFor } from '../platforms/platform.ts';
import { type Heard, hearing, memoryHost, memoryLedger } from './host.ts';
import { openOutside } from './outside.ts';
import { channelSuite } from './suite.ts';

export type { GivenFile, Heard, Person, Place, Platform, SayOptions, Seen, SeenFile, SendFault, Wait };
export { ask, bytesOf, hearing, memoryHost, memoryLedger, waitFor };

/**
 * Declares the tests that every channel passes.
 * @param name the channel's name, as in the configuration
 * @param plug opens the platform's emulator; each test asks for a new one
 * @example
 * contract('pigeon', async () => pigeonPlatform());
 */
export function contract(name: string, plug: () => Promise<Platform>): void {
  // Against hanging only: a busy machine is slow, and a gateway starts in each test.
  vi.setConfig({ testTimeout: 240_000, hookTimeout: 120_000, expect: { poll: { timeout: 60_000 } } });
  channelSuite(name, async (options = {}) => openOutside(await plug(), options));
}
