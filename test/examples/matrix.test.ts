/** The channel of `examples/matrix-channel`, loaded by the configuration, through the suite of every channel, in a whole gateway. */
import { expect, onTestFinished } from 'vitest';
import { type MatrixPlatform, matrixPlatform } from '../../examples/matrix-channel/test/platform.ts';
import { contract } from '../channels/contract.ts';

async function plugIn(): Promise<MatrixPlatform> {
  const platform = await matrixPlatform();
  onTestFinished(() => expect(platform.homeserver.problems).toEqual([]));
  return platform;
}

contract('matrix', plugIn);
