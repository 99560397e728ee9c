/**
 * `forget` and `what_was_done`: what an owner has remembered is forgotten in words, after they have seen the line; and what stands in
 * the day's log is told to those who may be told it.
 */
import { z } from 'zod';
import { type Principal, principalText } from '../../../access/principal.ts';
import { UserError } from '../../../errors.ts';
import { cutText } from '../../../lib/text.ts';
import { type Bullet, bulletsOf, matching } from '../../../workspace/memory/bullets.ts';
import { forgetBullet } from '../../../workspace/memory/changes.ts';
import { localDay, readDailyLogs } from '../../../workspace/memory/daily.ts';
import { readMemory } from '../../../workspace/memory/memory.ts';
import { listTasks } from '../../../workspace/tasks.ts';
import type { RuntimeTool } from '../../contract/task.ts';
import { defineTool, type ToolScope } from '../../contract/tool-scope.ts';
import { plainName } from '../../conversations/places.ts';

const MAX_LISTED = 12;
const MAX_LOG = 6_000;
const DAYS_BACK = 400;
const DAY_MS = 86_400_000;

const forgetInput = z.object({ words: z.string().describe('words of the line, as it stands in memory') });
const dayInput = z.object({
  day: z.string().describe('YYYY-MM-DD, today or yesterday; default yesterday').exactOptional(),
});

export function ownMemoryTools({ home, viber }: ToolScope, principal: Principal): RuntimeTool[] {
  async function fitting(words: string): Promise<Bullet[]> {
    if (principal.role !== 'owner')
      throw new UserError('Only an owner of this bot may have something forgotten; ask one of them.');
    if (words.trim() === '') throw new UserError('Say which words the line has.');
    const all = bulletsOf((await readMemory(home, viber)) ?? '');
    const exact = all.filter(({ text }) => text === words);
    const found = exact.length === 1 ? exact : matching(all, words);
    if (found.length === 0) throw new UserError('Nothing in memory has these words.');
    if (found.length > 1) {
      const lines = found.slice(0, MAX_LISTED).map(({ text }) => `- ${cutText(text, 200)}`);
      throw new UserError(
        `Several lines have these words; ask which one is meant, then use all of its words:\n${lines.join('\n')}`,
      );
    }
    return found;
  }
  /** The line that was shown, by its words: nothing else goes. */
  const lines = new Map<string, string>();

  return [
    defineTool({
      name: 'forget',
      description: 'Forget one line of long-term memory. The person confirms it.',
      input: forgetInput,
      effect: 'idempotent',
      consent: 'each',
      async asksBefore({ words }) {
        const [only] = await fitting(words);
        const text = only?.text ?? words;
        lines.set(words, text).set(text, text);
        return true;
      },
      // What goes is the line that was shown, with whatever stands under it.
      settled: ({ words }) => ({ words: lines.get(words) ?? words }),
      shows: async ({ words }) => (await fitting(words))[0]?.lines ?? '',
      asks: ({ words }, { messages, plain }) => ({
        text: messages.text('consent.forget', { text: plain(lines.get(words) ?? words, 300) }),
        yes: messages.text('consent.forgetIt'),
      }),
      async execute({ words }) {
        const [only] = await fitting(words);
        const by = { by: principalText(principal), name: plainName(principal.name) };
        const gone = only && (await forgetBullet(home, viber, only.id, by));
        if (!gone) throw new UserError('That line was changed just now; look again.');
        return { status: 'forgotten', text: gone.bullet.text };
      },
    }),
    defineTool({
      name: 'what_was_done',
      description: 'What was done on a day: the log of that day and the tasks worked on.',
      input: dayInput,
      effect: 'read',
      async execute({ day = 'yesterday' }) {
        const word = day.trim().toLowerCase();
        const back = word === 'today' ? 0 : word === 'yesterday' ? 1 : undefined;
        const date = back === undefined ? word : localDay(new Date(Date.now() - back * DAY_MS));
        if (!/^\d{4}-\d\d-\d\d$/.test(date)) throw new UserError('day is YYYY-MM-DD, today or yesterday.');
        const log = (await readDailyLogs(home, viber, DAYS_BACK)).find((each) => each.date === date);
        const match = ({ updatedAt, viber: whose }: { updatedAt: string; viber: string }) =>
          whose === viber && localDay(new Date(updatedAt)) === date;
        const tasks =
          principal.role === 'owner' ? await listTasks(home, { limit: MAX_LISTED, maxRead: 1_000, match }) : [];
        return {
          day: date,
          log: cutText(log?.text ?? '', MAX_LOG) || 'Nothing was written down that day.',
          tasks: tasks.map(({ id, title, state }) => ({ id, title, state })),
        };
      },
    }),
  ];
}
