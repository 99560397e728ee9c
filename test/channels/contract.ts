/** Runs the suite of every channel on the emulated platforms, with the gateway in this process. */
import { breakSpool } from '../helpers/spool.ts';
import type { Platform } from '../platforms/platform.ts';
import { type ChannelName, openPlatforms } from '../platforms/world.ts';
import { channelSuite } from '../testing/suite.ts';

/** `plug` opens a platform whose channel is no part of the program, before its gateway starts. */
export function contract(name: ChannelName): void;
export function contract(name: string, plug: () => Promise<Platform>): void;
export function contract(name: string, plug?: () => Promise<Platform>): void {
  channelSuite(name, async ({ section, ...options } = {}) => {
    const plugged = await plug?.();
    // Every message has its own answer here; steering has its own dialogues.
    const on = plugged ? { on: [], plugged } : { on: [name as ChannelName], channel: { injection: 'followup' } };
    const world = await openPlatforms({ ...on, ...options, ...(section && { sections: { [name]: section } }) });
    const platform = plugged ?? world.platforms[name as ChannelName];
    return { ...world, platform, breakDisk: () => breakSpool(world.home) };
  });
}
