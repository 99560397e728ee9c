/**
 * `forget` and `what_was_done`: lets an owner have a memory line removed after seeing it, and reports the day's log to
 * those who may read it.
 */
import { z } from 'zod';
import { principalText } from '../../../access/principal.ts';
import { UserError } from '../../../errors.ts';
import { cutText } from '../../../lib/text.ts';
import { defineTool } from '../../../runtime/contract/tool.ts';
import { plainName } from '../../../runtime/conversations/places.ts';
import { perRun } from '../../../runtime/tools/bind.ts';
import { inPrivate } from '../../../runtime/tools/offered.ts';
import type { ToolRun } from '../../../runtime/tools/run.ts';
import { listTasks } from '../../../workspace/tasks/index.ts';
import { type Bullet, bulletsOf, matching } from '../store/bullets.ts';
import { forgetBullet } from '../store/changes.ts';
import { localDay, readDailyLogs } from '../store/daily.ts';
import { readMemory } from '../store/memory.ts';

const MAX_LISTED = 12;
const MAX_LOG = 6_000;
const DAYS_BACK = 400;
const DAY_MS = 86_400_000;

const forgetInput = z.object({ words: z.string().describe('words of the line, as it stands in memory') });
const dayInput = z.object({
  day: z.string().describe('YYYY-MM-DD, today or yesterday; default yesterday').exactOptional(),
});

async function fitting(words: string, { scope: { home, viber }, order: { principal } }: ToolRun): Promise<Bullet[]> {
  if (principal.role !== 'owner')
    throw new UserError('Only an owner of this bot may have something forgotten; ask one of them.');
  if (words.trim() === '') throw new UserError('Name words of the line.');
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

/** The lines that were shown, by the words of their call: nothing else is removed. */
const linesShown = perRun((_run: ToolRun) => new Map<string, string>());

export const forget = defineTool({
  name: 'forget',
  describe: 'Forget one line of long-term memory. The person confirms it.',
  input: forgetInput,
  effect: 'idempotent',
  consent: 'each',
  doing: 'doing.forgetting',
  ability: { line: 'memory', words: 'forget (forget)' },
  offered: inPrivate,
  async asksBefore({ words }, run: ToolRun) {
    const [only] = await fitting(words, run);
    const text = only?.text ?? words;
    linesShown(run).set(words, text).set(text, text);
    return true;
  },
  // Removes the displayed line and everything indented below it.
  settled: ({ words }, run) => ({ words: linesShown(run).get(words) ?? words }),
  shows: async ({ words }, run) => (await fitting(words, run))[0]?.lines ?? '',
  asks: ({ words }, run, { messages, plain }) => ({
    text: messages.text('consent.forgetLine', { text: plain(linesShown(run).get(words) ?? words, 300) }),
    yes: messages.text('consent.forgetIt'),
  }),
  async execute({ words }, run) {
    const {
      scope: { home, viber },
      order: { principal },
    } = run;
    const [only] = await fitting(words, run);
    const by = { by: principalText(principal), name: plainName(principal.name) };
    const gone = only && (await forgetBullet(home, viber, only.id, by));
    if (!gone) throw new UserError('That line has just been changed; check it again.');
    return { status: 'forgotten', text: gone.bullet.text };
  },
});

export const whatWasDone = defineTool({
  name: 'what_was_done',
  describe: 'What was done on a day: the log of that day and the tasks worked on.',
  input: dayInput,
  effect: 'read',
  doing: 'doing.wasDone',
  ability: { line: 'memory', words: 'tell what was done on a day (what_was_done)' },
  offered: inPrivate,
  async execute({ day = 'yesterday' }, { scope: { home, viber }, order: { principal } }: ToolRun) {
    const word = day.trim().toLowerCase();
    const back = word === 'today' ? 0 : word === 'yesterday' ? 1 : undefined;
    const date = back === undefined ? word : localDay(new Date(Date.now() - back * DAY_MS));
    if (!/^\d{4}-\d\d-\d\d$/.test(date)) throw new UserError('day is YYYY-MM-DD, today or yesterday.');
    const log = (await readDailyLogs(home, viber, DAYS_BACK)).find((each) => each.date === date);
    const match = ({ updatedAt, viber: whose }: { updatedAt: string; viber: string }) =>
      whose === viber && localDay(new Date(updatedAt)) === date;
    const tasks = principal.role === 'owner' ? await listTasks(home, { limit: MAX_LISTED, maxRead: 1_000, match }) : [];
    return {
      day: date,
      log: cutText(log?.text ?? '', MAX_LOG) || 'Nothing was recorded that day.',
      tasks: tasks.map(({ id, title, state }) => ({ id, title, state })),
    };
  },
});
