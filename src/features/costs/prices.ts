/** Prices of tokens: from the configuration, and the list prices of known models. */

import type { Price } from '../../runtime/contract/spending.ts';
import { knownModel } from '../../runtime/model/known.ts';
import type { Usage } from '../../workspace/types.ts';
import { tokensOf } from '../../workspace/usage.ts';

export type Prices = Readonly<Record<string, Price | undefined>>;

/** Models that run in this process are free. */
const FREE: Price = { input: 0, output: 0 };

/** Returns the price of `provider/model`. List prices apply only if the currency is USD. */
export function priceOf(model: string, prices: Prices, currency: string): Price | undefined {
  if (Object.hasOwn(prices, model)) return prices[model];
  if (model.startsWith('offline/')) return FREE;
  return currency === 'USD' ? knownModel(model) : undefined;
}

/** Returns the tokens of one call with their cost, or marked as unpriced. */
export function priced(tokens: Usage, price: Price | undefined, currency: string): Usage {
  const { inputTokens, outputTokens, cachedInputTokens = 0 } = tokens;
  if (!price) return { ...tokens, unpricedTokens: tokensOf(tokens) };
  const cached = Math.min(cachedInputTokens, inputTokens);
  const sum =
    (inputTokens - cached) * price.input + cached * (price.cachedInput ?? price.input) + outputTokens * price.output;
  return { ...tokens, cost: sum / 1_000_000, currency };
}
