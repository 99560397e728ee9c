/** A run may have failed before the gateway has answered all that the session asks about it. */
import { expect, test, vi } from 'vitest';
import { EditorSession } from '../../src/features/acp/session.ts';

test('a prompt whose run fails at once is answered with the error', async () => {
  const unhandled = vi.fn();
  process.once('unhandledRejection', unhandled);
  const kept = Promise.withResolvers<object>();
  const taskId = 'task-1';
  const client = { send: async () => ({ taskId }), follow: async () => undefined };
  const link = { client, ask: () => kept.promise };
  const session = new EditorSession('one', { cwd: '/' }, link as never);
  const said = session.prompt({ text: 'Hi', files: [] });
  await Promise.resolve();
  session.hear({ type: 'task:error', taskId, runId: 'run-1', error: { message: 'No key.' } } as never);
  // Rejections that nobody waits for are told after the microtasks.
  await new Promise(setImmediate);
  kept.resolve({});
  await expect(said).rejects.toThrow('No key.');
  process.off('unhandledRejection', unhandled);
  expect(unhandled).not.toHaveBeenCalled();
});
