/** Channels by name. Each is imported only when it is switched on: an SDK that is not used costs nothing. */
export const channelModules = {
  telegram: () => import('./telegram/adapter.ts'),
  discord: () => import('./discord/adapter.ts'),
  slack: () => import('./slack/adapter.ts'),
  api: () => import('./api/adapter.ts'),
  local: () => import('./local/adapter.ts'),
  hub: () => import('./hub/adapter.ts'),
  terminal: () => import('./terminal/adapter.ts'),
} as const;
