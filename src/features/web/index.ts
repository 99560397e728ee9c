/** The web: searches with a model's provider, or with a configured engine. */
import { configOf, type Feature } from '../gateway.ts';
import { webSearch } from './search/web-search.ts';

export const web: Feature = {
  name: 'web',
  tools: [webSearch],
  async check(at) {
    const { checkSearch } = await import('./check.ts');
    return checkSearch(configOf(at), at.env);
  },
};
