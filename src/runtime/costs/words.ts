/** Tokens, money and caps in words. */
import { type Messages, type Said, say, type Text } from '../../messages/messages.ts';
import type { Usage } from '../../workspace/types.ts';
import { tokensOf } from '../../workspace/usage.ts';
import type { CapHit, Costs } from './costs.ts';

/** `0.0123 USD`: two decimals, more where there would be nothing to see. */
export function money(amount: number, currency: string): string {
  const digits = amount === 0 || amount >= 1 ? 2 : Math.min(6, Math.max(2, 2 - Math.floor(Math.log10(amount))));
  return `${amount.toFixed(digits)} ${currency}`;
}

/** `12,345 tokens in (8,000 cached), 678 out, 0.0123 USD`; says so where a price is not known. */
export function usageText({ inputTokens, cachedInputTokens, outputTokens, ...paid }: Usage): Said {
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

/** `5 of 10 tokens`, `0.50 of 2.00 USD`. */
const share = (used: number, limit: number, currency: string | undefined): Said =>
  currency === undefined
    ? say('costs.ofTokens', { used: Math.round(used), limit: Math.round(limit) })
    : say('costs.ofMoney', { used: money(used, '').trim(), limit: money(limit, currency) });

/** `00:00 UTC (in 5 h 12 min)`. */
function liftedAt(until: number, now: number): Said {
  const minutes = Math.max(1, Math.ceil((until - now) / 60_000));
  return say('costs.midnight', { hours: Math.floor(minutes / 60), minutes: minutes % 60 });
}

/** `Your limit for today is used up (5,000 of 5,000 tokens, limits.tokensPerPersonPerDay)`. */
function reached({ of, used, limit, currency, setting }: CapHit): Said {
  const given = { share: share(used, limit, currency), setting };
  return of === 'person' ? say('costs.yourLimit', given) : say('costs.everybodysLimit', given);
}

const about = (hit: CapHit, now: number) => ({ limit: reached(hit), when: liftedAt(hit.until, now) });

/** Once a day, to whoever meets a cap: which, until when, and what becomes of their messages. */
export const capNotice = (hit: CapHit, now: number): Said => say('costs.notice', about(hit, now));

/** To a person who has been told already and whose work was under way. */
export const capReminder = (hit: CapHit, now: number): Said => say('costs.reminder', about(hit, now));

/** To the owners, when the cap of all is reached. */
export const ownerNotice = (hit: CapHit, now: number): Said => say('costs.forOwners', about(hit, now));

/** A line for each cap that is set, as seen by one person: `today, you: 1,200 of 5,000 tokens`; then whether one is reached. */
export function capsText(
  costs: Pick<Costs, 'today' | 'check' | 'limits' | 'currency'>,
  person: string,
  messages: Messages,
): Text[] {
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
  return [...shown, messages.text('costs.reached', { setting: hit.setting, when: liftedAt(hit.until, Date.now()) })];
}
