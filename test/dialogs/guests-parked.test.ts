/** Runs of guests that wait or are cut: what they go on with, and who may say yes to what. */
import { describe, expect, it } from 'vitest';
import { quiet } from '../kit/quiet.ts';
import { waitFor } from '../platforms/platform.ts';
import { CANARY, call, kept, openToGuests, shortAttack, toldSince } from './guests-world.ts';

describe('the run of a guest', () => {
  it('goes on without rights after a question that the guest has answered by a button', async () => {
    const { world, platform, other } = await openToGuests('loopback');
    const before = kept(world, other);
    const from = world.llm.requests().length;
    const question = call('ask_user', { question: 'Which one?', options: ['Red', 'Blue'] });
    world.llm.script((request) => {
      if (request.toolResults.length === 0) return { toolCalls: [question] };
      return shortAttack(other)({ ...request, toolResults: request.toolResults.slice(1) });
    });
    const place = platform.answerPlace(platform.say(platform.room, 'choose', { by: 'kim', mention: true }));
    await waitFor(platform, place, { text: 'Which one?' });
    await platform.press(place, 'Blue', 'kim');
    await waitFor(platform, place, { text: 'the end' });
    await quiet();
    expect(toldSince(world, from)).toContain('Blue');
    expect(toldSince(world, from)).not.toContain(`${CANARY}-`);
    const after = kept(world, other);
    for (const file of Object.keys(after)) if (file.startsWith('access/approvals/')) delete after[file];
    expect(after).toEqual(before);
  });

  it('goes on without rights after its plan was approved, and asks nobody about an effect in any mode', async () => {
    const { world, platform, other } = await openToGuests('loopback', { config: { planApproval: 'on' } });
    const from = world.llm.requests().length;
    const plan = call('update_plan', { plan: '## Goal\n\nx\n\n## Plan\n\n- [ ] a\n' });
    const writing = call('write_file', { path: 'workspace/pwned.txt', content: 'PWNED' });
    world.llm.script(({ toolResults }) =>
      toolResults.length === 0
        ? { toolCalls: [plan] }
        : toolResults.length === 1
          ? { toolCalls: [writing] }
          : { text: 'the end' },
    );
    const place = platform.answerPlace(platform.say(platform.room, 'plan it', { by: 'kim', mention: true }));
    await waitFor(platform, place, { text: /plan/i });
    await platform.press(place, 'Approve', 'kim');
    await waitFor(platform, place, { text: 'the end' });
    expect(toldSince(world, from)).toContain("aren't on this bot's list");
    expect(world.read('workspace/pwned.txt')).toBe('');
    expect(kept(world, other)).not.toHaveProperty('workspace/pwned.txt');
  });
});

describe('a crash in the run of a guest', () => {
  it.each(['run-message-written', 'run-step-written', 'run-result-written'])(
    'at %s changes nothing of its rights',
    async (point) => {
      const { world, platform, other } = await openToGuests('telegram', {
        process: true,
        // The owner's run before it comes to the same point.
        env: { OPENVIBER_CRASH_AT: `${point}:2` },
      });
      const before = kept(world, other);
      const from = world.llm.requests().length;
      world.llm.script(shortAttack(other));
      platform.say(platform.room, 'attack', { by: 'kim', mention: true });
      await world.ended();
      await world.kill();
      await waitFor(platform, platform.room, { text: 'the end' });
      await quiet();
      expect(toldSince(world, from)).toContain('attack');
      expect(toldSince(world, from)).not.toContain(`${CANARY}-`);
      expect(kept(world, other)).toEqual(before);
    },
  );
});

it('a guest does not come into a task that was begun in private', async () => {
  const { platform, other } = await openToGuests('telegram');
  for (const place of [platform.dm('kim'), platform.room])
    for (const command of ['open', 'status', 'get', 'artifacts'])
      expect((await platform.command(place, command, other, 'kim')).text).toMatch(/can't find a (?:task|file)|no file/);
});
