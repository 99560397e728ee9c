/** OpenAI's API: programs use the viber like a model. It is served at the address of the protocol. */
import type { Feature } from '../gateway.ts';

export const openai: Feature = {
  name: 'openai',
  async routes(at, gw) {
    return (await import('./routes.ts')).openaiRoutes(at, gw);
  },
};
