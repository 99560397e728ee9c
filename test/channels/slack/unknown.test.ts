/** What people may use in Slack and we know nothing of: acknowledged in time, and said so where that is possible. */
import { expect, test } from 'vitest';
import { quiet } from '../../kit/quiet.ts';
import { startBench } from './harness.ts';

test.each<[string, Record<string, unknown>]>([
  ['a shortcut on a message', { type: 'message_action', callback_id: 'x', channel: { id: 'C0GENERAL' } }],
  ['a global shortcut', { type: 'shortcut', callback_id: 'x' }],
  ['a menu of an older version', { type: 'block_actions', actions: [{ type: 'static_select', block_id: 'b' }] }],
])('%s', async (_name, payload) => {
  const { slack, got, connect } = await startBench();
  await connect();
  const used = await slack.interact(payload);
  expect(used.failed).toBe(false);
  const [post] = await slack.responses(used.id, 1);
  expect(post).toMatchObject({ result: 'ok', body: { response_type: 'ephemeral' } });
  expect(post?.body.text).toContain('no longer works');
  expect(got).toEqual([]);
});

test('forms are closed, and menus that load their choices have none', async () => {
  const { slack, got, connect } = await startBench();
  await connect();
  const form = await slack.interact({ type: 'view_submission', view: { id: 'V1', callback_id: 'x', type: 'modal' } });
  expect(form.failed).toBe(false);
  const menu = await slack.interact({ type: 'block_suggestion', action_id: 'x', block_id: 'b', value: 'a' });
  expect([menu.failed, menu.ack.body]).toEqual([false, { options: [] }]);
  await quiet();
  expect([...(await slack.responses(form.id, 0)), ...(await slack.responses(menu.id, 0))]).toEqual([]);
  expect(got).toEqual([]);
});

test('a press under words for one person alone is answered to that person alone', async () => {
  const { slack, channel, got, connect } = await startBench();
  await connect();
  await slack.slash({ text: 'status' });
  const interaction = got[0]?.message.interaction ?? '';
  const address = { channel: 'slack', account: channel.account, workspace: 'T0EMULATE', chat: slack.general };
  const ledger = {
    part: async (_index: number, post: (attempt: { key: string }) => Promise<string>) => post({ key: 'k' }),
  };
  const buttons = [[{ id: 'b1', label: 'Get it' }]];
  await channel.send({ id: 'o1', address, text: 'One file', files: [], buttons, interaction }, ledger);
  await slack.press({ channel: slack.general, label: 'Get it' });
  const pressed = got.find(({ message }) => message.kind === 'button')?.message;
  expect(pressed?.interaction).toMatch(/#U0ALEX000$/);
});
