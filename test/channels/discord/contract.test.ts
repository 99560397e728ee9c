import { afterAll, expect, test } from 'vitest';
import { inviteLink } from '../../../src/channels/discord/connect/check.ts';
import { bitsOf, demanded, INVITED } from '../../emulators/discord/permissions.ts';
import { contract } from '../contract.ts';
import { answer, createLedger, startBench } from './harness.ts';

contract('discord');

test('an answer in a channel itself', async () => {
  const bench = await startBench({ threads: 'off' });
  await bench.connect();
  await bench.channel.send(answer(bench, { text: 'Here.' }), createLedger());
});

// The bot of the emulator has exactly the invitation's permissions, so none is missing; here, none is too many.
afterAll(() => {
  const asked = new URL(inviteLink('1')).searchParams;
  expect(asked.get('scope')).toBe('bot applications.commands');
  expect(BigInt(asked.get('permissions') ?? '')).toBe(INVITED);
  expect(BigInt(bitsOf([...demanded]))).toBe(INVITED);
});
