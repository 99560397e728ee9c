/** The web: reads pages, and searches with a model's provider, or with a configured engine. */
import { configOf, type Feature } from '../gateway.ts';
import { webFetch } from './fetch/tool.ts';
import { webSearch } from './search/web-search.ts';

export const web: Feature = {
  name: 'web',
  tools: [webSearch],
  natives: { 'web-fetch': webFetch },
  async check(at) {
    const { checkSearch } = await import('./check.ts');
    return checkSearch(configOf(at), at.env);
  },
};
