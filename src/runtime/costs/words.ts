/** Tokens, money and caps in words. */
import type { Usage } from '../../workspace/types.ts';
import { tokensOf } from '../../workspace/usage.ts';
import type { CapHit, Costs } from './costs.ts';

/** `12,345`. */
const grouped = (count: number): string => String(Math.round(count)).replace(/\B(?=(?:\d{3})+$)/g, ',');

/** `0.0123 USD`: two decimals, more where there would be nothing to see. */
export function money(amount: number, currency: string): string {
  const digits = amount === 0 || amount >= 1 ? 2 : Math.min(6, Math.max(2, 2 - Math.floor(Math.log10(amount))));
  return `${amount.toFixed(digits)} ${currency}`;
}

/** `12,345 tokens in (8,000 cached), 678 out, 0.0123 USD`; says so where a price is not known. */
export function usageText({ inputTokens, cachedInputTokens, outputTokens, ...paid }: Usage): string {
  const cached = cachedInputTokens ? ` (${grouped(cachedInputTokens)} cached)` : '';
  const tokens = `${grouped(inputTokens)} tokens in${cached}, ${grouped(outputTokens)} out`;
  const { cost, currency, unpricedTokens = 0 } = paid;
  if (cost === undefined || currency === undefined) return unpricedTokens > 0 ? `${tokens}, price not known` : tokens;
  const rest = unpricedTokens > 0 ? ` and ${grouped(unpricedTokens)} tokens whose price is not known` : '';
  return `${tokens}, ${money(cost, currency)}${rest}`;
}

/** `5 of 10 tokens`, `0.50 of 2.00 USD`. */
const share = (used: number, limit: number, currency: string | undefined): string =>
  currency === undefined
    ? `${grouped(used)} of ${grouped(limit)} tokens`
    : `${money(used, '').trim()} of ${money(limit, currency)}`;

/** `00:00 UTC (in 5 h 12 min)`. */
function liftedAt(until: number, now: number): string {
  const minutes = Math.max(1, Math.ceil((until - now) / 60_000));
  const hours = Math.floor(minutes / 60);
  return `00:00 UTC (in ${hours > 0 ? `${hours} h ` : ''}${minutes % 60} min)`;
}

/** `Today's limit for you is used up (5,000 of 5,000 tokens, limits.tokensPerPersonPerDay)`. */
function reached({ of, used, limit, currency, setting }: CapHit): string {
  const whose = of === 'person' ? 'Your limit for today' : "Today's limit for everybody";
  return `${whose} is used up (${share(used, limit, currency)}, ${setting})`;
}

/** Once a day, to whoever meets a cap: which, until when, and what becomes of their messages. */
export function capNotice(hit: CapHit, now: number): string {
  return `${reached(hit)}. I go on at ${liftedAt(hit.until, now)}, or when the owner raises it. What you write until then is kept and not answered; press Continue afterwards.`;
}

/** To a person who has been told already and whose work was under way. */
export function capReminder(hit: CapHit, now: number): string {
  return `I stopped here: ${reached(hit).replace(/^\w/, (letter) => letter.toLowerCase())}. What is done is kept; press Continue after ${liftedAt(hit.until, now)}.`;
}

/** To the owners, when the cap of all is reached. */
export function ownerNotice(hit: CapHit, now: number): string {
  return `${reached(hit)}. Nobody is answered before ${liftedAt(hit.until, now)}; raise the setting and start the gateway again to lift it now.`;
}

/** A line for each cap that is set, as seen by one person: `today, you: 1,200 of 5,000 tokens`; then whether one is reached. */
export function capsText(costs: Pick<Costs, 'today' | 'check' | 'limits' | 'currency'>, person: string): string[] {
  const { limits, currency } = costs;
  const [all, mine] = [costs.today(), costs.today(person)];
  const rows: [string, number, number | undefined, string | undefined][] = [
    ['you', tokensOf(mine), limits.tokensPerPersonPerDay, undefined],
    ['you', mine.cost ?? 0, limits.costPerPersonPerDay, currency],
    ['everybody', tokensOf(all), limits.tokensPerDay, undefined],
    ['everybody', all.cost ?? 0, limits.costPerDay, currency],
  ];
  const lines = rows.flatMap(([who, used, limit, unit]) =>
    limit ? [`today, ${who}: ${share(used, limit, unit)}`] : [],
  );
  const hit = costs.check(person);
  return hit ? [...lines, `a limit is reached (${hit.setting}): I go on at ${liftedAt(hit.until, Date.now())}`] : lines;
}
