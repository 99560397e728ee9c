/** The built-in model, which answers until a real one is connected. */
import { OFFLINE_MODEL } from '../../runtime/contract/providers.ts';
import type { Feature } from '../gateway.ts';

export const offline: Feature = {
  name: 'offline',
  models: { [OFFLINE_MODEL]: async () => (await import('./offline.ts')).createOfflineModel() },
};
