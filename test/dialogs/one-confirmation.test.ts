/** What is arranged for another time is confirmed once; a plan is shown in its own words; times are those of the reader. */
import { describe, expect, it } from 'vitest';
import type { LlmRequest, ToolCall, Turn } from '../emulators/llm.ts';
import { openChat } from '../kit/kit.ts';
import { ask, waitFor } from '../platforms/platform.ts';

const calls =
  (call: ToolCall) =>
  ({ toolResults }: LlmRequest): Turn =>
    toolResults.length === 0 ? { toolCalls: [call] } : { text: 'I will remind you tomorrow at 9.' };
const REMIND: ToolCall = {
  name: 'create_scheduled_job',
  arguments: { name: 'Call mum', schedule: 'tomorrow at 9', prompt: 'Remind Alex to call mum' },
};

describe('for another time', () => {
  it('a yes to tomorrow is confirmed once, and by the clock of whoever reads', async () => {
    const config = { jobs: { timezone: 'UTC' } };
    const { world, platform, dm } = await openChat({ config });
    await platform.command(dm, 'timezone', 'Asia/Kolkata');
    world.llm.script(calls(REMIND));
    await ask(platform, dm, 'remind me', { text: 'call mum' });
    const after = platform.answers(dm).length;
    platform.say(dm, 'yes');
    await waitFor(platform, dm, { after, text: 'I will remind you' });
    expect(
      platform
        .answers(dm)
        .slice(after)
        .map(({ text }) => text),
    ).toEqual(['I will remind you tomorrow at 9.']);
    const minutes = new Intl.DateTimeFormat('en-GB', { timeZone: 'Asia/Kolkata', hour: '2-digit' }).format(new Date());
    const asked = () => platform.answers(dm).find(({ text }) => text.includes('call mum'))?.text;
    await expect.poll(asked).toMatch(/Approved by alex, \d\d:\d\d/);
    const hour = Number(/alex, (\d\d):/.exec(asked() ?? '')?.[1]);
    expect([Number(minutes), (Number(minutes) + 23) % 24]).toContain(hour);
  });

  it('a plan is asked about without the headings of its file, and without a path of this machine', async () => {
    const config = { planApproval: 'on' };
    const { world, platform, dm } = await openChat({ config });
    const plan = { goal: 'A party', steps: [{ id: '1', title: 'Buy a cake', status: 'pending' }] };
    world.llm.script(calls({ name: 'update_plan', arguments: { plan } }));
    const asked = await ask(platform, dm, 'plan a party', { text: 'Buy a cake' });
    expect(asked.text).toContain('A party');
    expect(asked.text).not.toMatch(/Current Task|Blockers|None currently|artifacts\/|implementation_plan/);
    expect(asked.buttons).toContain('Approve');
  });
});
