/** The command that follows tasks. */
import type { CommandFrame, LiveFrames } from './frames.ts';

/** Events of these tasks from a place on. */
export function subscription(
  taskIds: readonly string[] | '*',
  live: LiveFrames | undefined,
  after: string | undefined,
): CommandFrame {
  return { type: 'task:subscribe', taskIds, ...(live && { live }), ...(after !== undefined && { after }) };
}
