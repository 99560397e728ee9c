/** Costs: counts what calls use, shows it in /status, and ends runs at daily caps. */
import type { Feature } from '../gateway.ts';
import { openSpending } from './meter.ts';

export const costs: Feature = {
  name: 'costs',
  spending: openSpending,
  async check({ config, env }) {
    return (await import('./check.ts')).checkPrices(config, env);
  },
};
