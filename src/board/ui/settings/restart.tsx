/** Lists saved changes that need a restart, and offers one. */
import { signal } from '@preact/signals';
import type { JSX } from 'preact';
import type { SettingsShown } from '../../../client/setup-shapes.ts';
import { api } from '../net/api.ts';
import { Button } from '../parts/common.tsx';
import { Icon } from '../parts/icons.tsx';
import { showNotice, showProblem } from '../parts/notices.tsx';
import { settingsWords } from './words.ts';

const LOOK_MS = 700;
/** How long a restart may take: running work has 20 seconds to end. */
const RESTART_MS = 60_000;

const isRestarting = signal(false);

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Restarts, and resolves when the program answers again with everything in use. */
export async function restartNow(): Promise<boolean> {
  if (isRestarting.peek()) return false;
  isRestarting.value = true;
  try {
    await api('/api/setup/restart', { method: 'POST', body: {} });
    for (const end = performance.now() + RESTART_MS; performance.now() < end; ) {
      await pause(LOOK_MS);
      // The program is unreachable for a moment.
      const found = await api<SettingsShown>('/api/setup').catch(() => undefined);
      if (found?.waiting.length === 0) {
        showNotice(settingsWords().restarted);
        return true;
      }
    }
    showNotice(settingsWords().slow, { warm: true });
  } catch (error) {
    showProblem(error);
  } finally {
    isRestarting.value = false;
  }
  return false;
}

const nameOfGroup = (name: string): string => settingsWords().group[name] ?? name;

export function Waiting({ state, onRestarted }: { state: SettingsShown; onRestarted: () => void }): JSX.Element | null {
  const words = settingsWords();
  const { waiting, canRestart, restartCommand } = state;
  if (waiting.length === 0 && !isRestarting.value) return null;
  const names = [...new Set(waiting.map(nameOfGroup))].join(', ');
  return (
    <div class="card warm waiting" role="status">
      <div class="card-main">
        <p class="card-title">
          <Icon name="again" />
          {isRestarting.value ? words.restarting : words.waiting(names)}
        </p>
        <p class="card-sub">{canRestart ? words.restartHint : words.restartByHand(restartCommand)}</p>
      </div>
      {canRestart && (
        <div class="card-actions words">
          <Button kind="main" disabled={isRestarting.value} onClick={() => void restartNow().then(onRestarted)}>
            {words.restart}
          </Button>
        </div>
      )}
    </div>
  );
}
