/** Formats usage and caps for people. */
import { type Messages, say, type Text, type Wording } from '../../messages/messages.ts';
import type { Home } from '../../workspace/home.ts';
import { openTask } from '../../workspace/tasks/index.ts';
import type { TaskRecord, Usage } from '../../workspace/types.ts';
import { tokensOf, withRun } from '../../workspace/usage.ts';
import type { CapHit, Costs } from './costs.ts';

/** Formats `0.0123 USD`: two decimals, or more if the amount would otherwise show as zero. */
export const money = (amount: number, currency: string): Wording =>
  say('costs.money', { amount: decimals(amount), currency });

function decimals(amount: number): Wording {
  const digits = amount === 0 || amount >= 1 ? 2 : Math.min(6, Math.max(2, 2 - Math.floor(Math.log10(amount))));
  const [whole, part = ''] = amount.toFixed(digits).split('.');
  return say('costs.amount', { whole: Number(whole), part });
}

/** Formats `12,345 tokens in (8,000 cached), 678 out, 0.0123 USD`; says so if a price is unknown. */
export function usageText({ inputTokens, cachedInputTokens, outputTokens, ...paid }: Usage): Wording {
  const counted = { in: Math.round(inputTokens), out: Math.round(outputTokens) };
  const tokens = cachedInputTokens
    ? say('costs.tokensCached', { ...counted, cached: Math.round(cachedInputTokens) })
    : say('costs.tokens', counted);
  const { cost, currency, unpricedTokens = 0 } = paid;
  if (cost === undefined || currency === undefined)
    return unpricedTokens > 0 ? say('costs.unpriced', { tokens }) : tokens;
  const sum = money(cost, currency);
  return unpricedTokens > 0
    ? say('costs.pricedPartly', { tokens, money: sum, rest: Math.round(unpricedTokens) })
    : say('costs.priced', { tokens, money: sum });
}

/** Formats `5 of 10 tokens` or `0.50 of 2.00 USD`. */
const share = (used: number, limit: number, currency: string | undefined): Wording =>
  currency === undefined
    ? say('costs.ofTokens', { used: Math.round(used), limit: Math.round(limit) })
    : say('costs.ofMoney', { used: decimals(used), limit: money(limit, currency) });

/** Formats `in 5 h 12 min`, which is correct in every time zone. */
function liftedIn(until: number, now: number): Wording {
  const minutes = Math.max(1, Math.ceil((until - now) / 60_000));
  return say('costs.lifted', { hours: Math.floor(minutes / 60), minutes: minutes % 60 });
}

/** Formats `Your limit for today is used up (5,000 of 5,000 tokens, limits.tokensPerPersonPerDay)`. */
function reached({ of, used, limit, currency, setting }: CapHit): Wording {
  const given = { share: share(used, limit, currency), setting };
  return of === 'person' ? say('costs.yourLimit', given) : say('costs.everybodysLimit', given);
}

const about = (hit: CapHit, now: number) => ({ limit: reached(hit), when: liftedIn(hit.until, now) });

/** Tells a person once a day which cap they have reached, until when, and what happens to their messages. */
export const capNotice = (hit: CapHit, now: number): Wording => say('costs.notice', about(hit, now));

/** Reminds a person whose run was ended and who has already had today's notice. */
export const capReminder = (hit: CapHit, now: number): Wording => say('costs.reminder', about(hit, now));

export const ownerNotice = (hit: CapHit, now: number): Wording => say('costs.forOwners', about(hit, now));

/**
 * Returns a line for each configured cap as one person sees it, such as `today, you: 1,200 of 5,000 tokens`, and
 * whether one is reached.
 */
export function capsText(costs: Costs, person: string, messages: Messages): Text[] {
  const { limits, currency } = costs;
  const [all, mine] = [costs.today(), costs.today(person)];
  const rows = [
    ['costs.todayYou', tokensOf(mine), limits.tokensPerPersonPerDay, undefined],
    ['costs.todayYou', mine.cost ?? 0, limits.costPerPersonPerDay, currency],
    ['costs.todayEverybody', tokensOf(all), limits.tokensPerDay, undefined],
    ['costs.todayEverybody', all.cost ?? 0, limits.costPerDay, currency],
  ] as const;
  const shown = rows.flatMap(([key, used, limit, unit]) =>
    limit ? [messages.text(key, { share: share(used, limit, unit) })] : [],
  );
  const hit = costs.check(person);
  if (!hit) return shown;
  return [...shown, messages.text('costs.reached', { setting: hit.setting, when: liftedIn(hit.until, Date.now()) })];
}

/** Limits of the search for the last run's result. */
const TAIL = { maxBytes: 65_536, maxEntries: 20 };

/** Returns the usage of the current or last run, and of the task. */
export function usageLines(
  task: TaskRecord,
  home: Home,
  now: { run: string; used: Usage | undefined } | undefined,
  messages: Messages,
): Text[] {
  const shown: Text[] = [];
  if (!now) {
    const tail = openTask(home, task).session.tail(TAIL);
    const last = tail.findLast((entry) => entry.type === 'result');
    if (last?.type === 'result' && last.usage)
      shown.push(messages.text('tasks.lastUsed', { usage: usageText(last.usage) }));
  } else if (now.used) shown.push(messages.text('tasks.nowUsed', { usage: usageText(now.used) }));
  const total = now?.used ? withRun(task, now.run, now.used).usage : task.usage;
  if (total) shown.push(messages.text('tasks.allUsed', { usage: usageText(total) }));
  return shown;
}
