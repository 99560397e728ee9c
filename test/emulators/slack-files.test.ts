/** Files in both directions, streams and assistant threads of the Slack emulator, through the real WebClient. */
import { createHash } from 'node:crypto';
import type { WebClient } from '@slack/web-api';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { quietClient } from './slack/bolt-helpers.ts';
import { type Slack, startSlack } from './slack.ts';

let slack: Slack;
let web: WebClient;

beforeEach(async () => {
  // Long enough that events right after an upload arrive before it is shown.
  slack = await startSlack({ shareDelayMs: 250 });
  web = quietClient(slack);
});

afterEach(() => slack.close());

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
const error = (call: Promise<unknown>) =>
  call.then(
    () => 'accepted',
    (reason: { data?: { error?: string } }) => reason.data?.error ?? String(reason),
  );

test('files.uploadV2 shows its files in one message of the thread, a little later', async () => {
  const root = slack.say(slack.general, 'files, please');
  const bytes = Buffer.from(Array.from({ length: 70_000 }, (_, n) => n % 251));
  await web.filesUploadV2({
    channel_id: slack.general,
    thread_ts: root.ts,
    initial_comment: 'here',
    file_uploads: [
      { file: bytes, filename: 'data.bin' },
      { content: 'a,b\n', filename: 'ü table.csv' },
    ],
  });
  expect(slack.channel(slack.general).messages).toHaveLength(1);
  const message = await slack.wait({ thread: root.ts, file: 'data.bin', text: 'here' });
  expect(message.files).toMatchObject([
    { name: 'data.bin', size: 70_000, sha256: sha256(bytes) },
    { name: 'ü table.csv', mimeType: 'text/csv', size: 4 },
  ]);
  const id = message.files[0]?.id ?? '';
  const { file } = await web.files.info({ file: id });
  expect(file?.shares?.public?.[slack.general]?.[0]).toMatchObject({ ts: message.ts, thread_ts: root.ts });
  expect(slack.bytes(id).equals(bytes)).toBe(true);
  expect(slack.counters().files).toBe(2);
});

test('an upload without its bytes, of another length, or completed twice is refused', async () => {
  const start = () => web.files.getUploadURLExternal({ filename: 'a.txt', length: 3 });
  const complete = (id = '') => error(web.files.completeUploadExternal({ files: [{ id }], channel_id: slack.general }));
  const empty = await start();
  expect(await complete(empty.file_id)).toBe('file_not_found');
  const wrong = await fetch(empty.upload_url ?? '', { method: 'POST', body: 'four' });
  expect(wrong.status).toBe(400);
  expect(await (await fetch(empty.upload_url ?? '', { method: 'POST', body: 'abc' })).text()).toBe('OK - 3');
  expect(await complete(empty.file_id)).toBe('accepted');
  expect(await complete(empty.file_id)).toBe('file_not_found');
  expect(await error(web.files.getUploadURLExternal({ filename: 'a.txt', length: 0 }))).toBe('invalid_arguments');
  slack.fault({ method: 'upload', kind: 'status', status: 500 });
  const broken = await start();
  expect((await fetch(broken.upload_url ?? '', { method: 'POST', body: 'abc' })).status).toBe(500);
  await slack.wait({ file: 'a.txt' });
  expect(slack.channel(slack.general).messages).toHaveLength(1);
});

test("a person's file is downloaded with the token only; without it comes the page to sign in", async () => {
  slack.shareFile(slack.general, [{ name: 'plan.md', bytes: Buffer.from('# Plan') }], { text: 'see' });
  const { messages } = await web.conversations.history({ channel: slack.general });
  expect(messages?.[0]).toMatchObject({ subtype: 'file_share', text: 'see' });
  const file = messages?.[0]?.files?.[0];
  expect(file).toMatchObject({ name: 'plan.md', mimetype: 'text/markdown', size: 6 });
  const url = file?.url_private_download ?? '';
  expect(new URL(url).host).toBe(slack.fileHost);
  const headers = { authorization: `Bearer ${slack.botToken}` };
  expect(await (await fetch(url, { headers })).text()).toBe('# Plan');
  expect(await (await fetch(file?.url_private ?? '', { headers })).text()).toBe('# Plan');
  slack.fault({ method: 'file', kind: 'lostAnswer' });
  await expect(fetch(url, { headers }).then((broken) => broken.text())).rejects.toThrow();
  const stranger = await fetch(url);
  expect([stranger.status, stranger.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
  slack.setScopes(['chat:write']);
  expect(await (await fetch(url, { headers })).text()).toContain('Sign in');
});

test('a stream grows in its thread and is over when stopped', async () => {
  const root = slack.say(slack.general, 'tell me');
  const to = { channel: slack.general, thread_ts: root.ts };
  expect(await error(web.chat.startStream({ ...to, markdown_text: 'a' }))).toBe('missing_recipient_team_id');
  const whom = { recipient_team_id: slack.team.id, recipient_user_id: slack.users.alex.id };
  const streamer = web.chatStream({ ...to, ...whom, buffer_size: 1 });
  await streamer.append({ markdown_text: 'one ' });
  expect(slack.channel(slack.general).messages[1]).toMatchObject({ shown: 'one ', streaming: true, threadTs: root.ts });
  await streamer.append({ markdown_text: '**two** ' });
  const { ts = '' } = streamer;
  expect(await error(web.chat.update({ channel: slack.general, ts, text: 'x' }))).toBe('streaming_state_conflict');
  const metadata = { event_type: 'reply', event_payload: { key: 'k' } };
  await streamer.stop({ markdown_text: 'three', metadata });
  const final = slack.channel(slack.general).messages[1];
  expect(final).toMatchObject({ shown: 'one **two** three', streaming: false, metadata });
  const late = web.chat.appendStream({ channel: slack.general, ts, markdown_text: 'x' });
  expect(await error(late)).toBe('message_not_in_streaming_state');
});

test('an assistant thread has status, title and suggestions; an answer clears the status', async () => {
  const opened = slack.openAssistant(slack.users.alex.id);
  expect(opened.events).toHaveLength(1);
  const where = { channel_id: opened.channel, thread_ts: opened.ts };
  await web.assistant.threads.setStatus({ ...where, status: 'is thinking' });
  await web.assistant.threads.setTitle({ ...where, title: 'A plan' });
  const prompts: [{ title: string; message: string }] = [{ title: 'Go', message: 'go on' }];
  await web.assistant.threads.setSuggestedPrompts({ ...where, prompts });
  const assistant = () => slack.channel(opened.channel).assistants[opened.ts];
  expect(assistant()).toEqual({ status: 'is thinking', title: 'A plan', prompts });
  await web.chat.postMessage({ channel: opened.channel, thread_ts: opened.ts, text: 'hello' });
  expect(assistant()?.status).toBe('');
});
