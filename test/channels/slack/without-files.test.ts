/** Files that Slack refuses take no words with them. */
import { describe, expect, test } from 'vitest';
import type { Slack } from '../../emulators/slack.ts';
import { file as stored } from '../bench.ts';
import { answer, createLedger, startBench } from './harness.ts';

const file = (name: string, content: string) => stored(name, content, 'text/csv');

const shown = (slack: Slack) =>
  slack
    .channel(slack.general)
    .messages.filter(({ from }) => from === 'bot')
    .map((message) => [message.shown, ...message.files.map(({ name }) => name)].join(' ').trim());

describe('a file that is refused', () => {
  test.each([
    ['files.getUploadURLExternal', 'file_uploads_disabled', 'an admin allows it'],
    ['files.getUploadURLExternal', 'file_upload_size_restricted', 'more than Slack accepts'],
    ['files.getUploadURLExternal', 'file_type_not_allowed', "didn't accept it"],
    ['files.completeUploadExternal', 'restricted_action', 'an admin allows it'],
    ['files.completeUploadExternal', 'not_in_channel', 'invite me with `/invite @viber`'],
    [
      'files.completeUploadExternal',
      'restricted_action_read_only_channel',
      'not allowed to share files in this channel',
    ],
  ])('%s: %s', async (method, error, mend) => {
    const { slack, channel, connect } = await startBench();
    await connect();
    slack.fault({ method, kind: 'error', error });
    const ledger = createLedger();
    const message = answer(channel, { chat: slack.general, text: 'Here', files: [file('report.csv', 'a')] });
    await channel.send(message, ledger);
    await channel.send(message, ledger);
    expect(shown(slack)).toEqual(['Here', expect.stringMatching(/^I couldn't attach `report\.csv` here: /)]);
    expect(shown(slack)[1]).toContain(mend);
  });

  test('for want of a scope: the scope is named', async () => {
    const { slack, channel, connect } = await startBench();
    await connect();
    slack.setScopes(['chat:write']);
    await channel.send(
      answer(channel, { chat: slack.general, text: 'Here', files: [file('a.csv', 'a')] }),
      createLedger(),
    );
    expect(shown(slack)).toEqual(['Here', expect.stringMatching(/`files:write`.*`\/viber get a\.csv`/)]);
  });

  test('among others: the others go', async () => {
    const { slack, channel, connect } = await startBench({}, { uploadLimit: 1000 });
    await connect();
    const files = [file('a.csv', 'a'), file('big.csv', 'b'.repeat(2000)), file('c.csv', 'c')];
    await channel.send(answer(channel, { chat: slack.general, text: 'Here', files }), createLedger());
    await slack.wait({ channel: slack.general, file: 'c.csv' });
    expect(shown(slack).sort()).toEqual(['Here', expect.stringContaining('`big.csv` here'), 'a.csv', 'c.csv'].sort());
  });

  test.each(['thread_not_found', 'restricted_action_thread_locked', 'restricted_action_non_threadable_channel'])(
    'for the sake of its thread goes to the channel: %s',
    async (error) => {
      const { slack, channel, connect } = await startBench();
      await connect();
      slack.fault({ method: 'files.completeUploadExternal', kind: 'error', error });
      const message = answer(channel, {
        chat: slack.general,
        thread: '1718.22',
        text: '',
        files: [file('a.csv', 'a')],
      });
      await channel.send(message, createLedger());
      await slack.wait({ channel: slack.general, file: 'a.csv' });
    },
  );

  test('a token that was taken back is no fault of the file', async () => {
    const { slack, channel, connect } = await startBench();
    await connect();
    slack.fault({ method: 'files.getUploadURLExternal', kind: 'error', error: 'token_revoked' });
    const message = answer(channel, { chat: slack.general, text: '', files: [file('a.csv', 'a')] });
    await expect(channel.send(message, createLedger())).rejects.toMatchObject({ retryAfterMs: 60_000 });
  });
});
