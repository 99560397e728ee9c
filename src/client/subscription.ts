/** Builds the command that subscribes to tasks. */
import type { CommandFrame, LiveFrames } from './frames.ts';

/** Subscribes to events of these tasks from a position on. */
export function subscription(
  taskIds: readonly string[] | '*',
  live: LiveFrames | undefined,
  after: string | undefined,
): CommandFrame {
  return { type: 'task:subscribe', taskIds, ...(live && { live }), ...(after !== undefined && { after }) };
}
