/** What a model call costs. Prices per million tokens; what is not in the table has no price, and none is guessed. */

import type { Usage } from '../../workspace/types.ts';
import { tokensOf } from '../../workspace/usage.ts';
import { knownModel } from '../model/known.ts';

/** Per million tokens, in the configured currency. */
export interface Price {
  input: number;
  output: number;
  /** Of input the provider had cached; `input` where absent. */
  cachedInput?: number | undefined;
}

export type Prices = Readonly<Record<string, Price | undefined>>;

/** Nothing is paid for what runs in this process. */
const FREE: Price = { input: 0, output: 0 };

/** The price of `provider/model`; the list prices hold only where money is counted in dollars. */
export function priceOf(model: string, prices: Prices, currency: string): Price | undefined {
  if (Object.hasOwn(prices, model)) return prices[model];
  if (model.startsWith('offline/')) return FREE;
  return currency === 'USD' ? knownModel(model) : undefined;
}

/** The tokens of one call with their price, or marked as tokens without one. */
export function priced(tokens: Usage, price: Price | undefined, currency: string): Usage {
  const { inputTokens, outputTokens, cachedInputTokens = 0 } = tokens;
  if (!price) return { ...tokens, unpricedTokens: tokensOf(tokens) };
  const cached = Math.min(cachedInputTokens, inputTokens);
  const sum =
    (inputTokens - cached) * price.input + cached * (price.cachedInput ?? price.input) + outputTokens * price.output;
  return { ...tokens, cost: sum / 1_000_000, currency };
}
