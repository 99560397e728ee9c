/** The configuration with which every emulated platform is talked to. */
import type { Platform } from './platform.ts';

export interface OwnSection {
  platform: Platform;
  /** Merged over the platform's own section. */
  section: Record<string, unknown>;
}

/** Alex owns the gateway and Sam is a member, on every platform; the room of each is open. */
export function baseConfig(all: readonly OwnSection[], modelUrl: string) {
  const people = (['alex', 'sam'] as const).map((name) => ({
    name,
    role: name === 'alex' ? 'owner' : 'member',
    ids: all.map(({ platform }) => platform.identity(name)),
  }));
  const channels = all.map(({ platform, section }) => {
    const access = { dm: 'pairing', chats: platform.name === 'discord' ? [] : [platform.room.chat] };
    return [platform.name, { ...platform.section, access, ...section }];
  });
  return {
    model: 'local/test-model',
    providers: { local: { baseURL: modelUrl, apiKey: 'sk-test-model-key-123' } },
    channels: Object.fromEntries(channels) as Record<string, unknown>,
    people,
    limits: { freeBytes: 0, messagesPerMinute: 1000 },
    http: { port: 0 },
  };
}
