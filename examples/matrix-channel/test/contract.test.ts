/** The suite of every channel, with the installed gateway: `npx vitest run test`. */
import { contract } from 'openviber-gateway/testing';
import { expect, onTestFinished } from 'vitest';
import { matrixPlatform } from './platform.ts';

contract('matrix', async () => {
  const platform = await matrixPlatform();
  onTestFinished(() => expect(platform.homeserver.problems).toEqual([]));
  return platform;
});
