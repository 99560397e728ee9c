/** What the doctor says of a Slack app. */
import { expect, onTestFinished, test } from 'vitest';
import { checkSlack, SLACK_SCOPES } from '../../../src/channels/slack/adapter.ts';
import { ConfigError } from '../../../src/errors.ts';
import { silentLog } from '../../../src/log.ts';
import { messagesIn } from '../../../src/messages/messages.ts';
import { startSlack } from '../../emulators/slack.ts';

const { said } = messagesIn('en');

async function bench() {
  const slack = await startSlack();
  onTestFinished(() => slack.close());
  const { botToken, appToken, signingSecret } = slack;
  const good = { botToken, appToken, signingSecret, mode: 'socket', apiRoot: slack.url, log: silentLog() } as const;
  return { slack, good };
}

async function problems(work: Promise<unknown>): Promise<string[]> {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof ConfigError)) throw new Error(`expected a ConfigError, got ${error}`);
  return error.problems.map(({ path, message }) => `${path}: ${message}`);
}

test('a good app: one sentence for each thing that is well, and no connection is opened', async () => {
  const { slack, good } = await bench();
  slack.setScopes([...SLACK_SCOPES]);
  const found = await checkSlack(good);
  expect(found.map(said)).toEqual([
    '@viber answers in the workspace Emulated',
    'every scope that is needed is granted',
    'Socket Mode can be opened with the app-level token',
  ]);
  expect(found.map(messagesIn('de').said)).toContain('alle nötigen Scopes sind erteilt');
  const http = await checkSlack({ ...good, mode: 'http' });
  expect(http.map(said).at(-1)).toContain('signing secret is set');
  expect(slack.counters().sockets.opened).toBe(0);
});

test('everything that is wrong, at once and by name', async () => {
  const { slack, good } = await bench();
  slack.setScopes(['chat:write', 'commands']);
  const found = await problems(checkSlack({ ...good, appToken: 'xoxb-not-an-app-token' }));
  expect(found).toHaveLength(2);
  expect(found[0]).toMatch(/channels\.slack\.botToken: the app lacks the scopes .*files:read/);
  expect(found[1]).toBe('channels.slack.appToken: an app-level token begins with xapp-');
  expect(await problems(checkSlack({ ...good, botToken: 'xoxb-wrong' }))).toMatchObject([
    expect.stringMatching(/channels\.slack\.botToken: Slack doesn't accept this token \(invalid_auth\)/),
  ]);
  slack.setScopes([...SLACK_SCOPES]);
  expect(await problems(checkSlack({ ...good, mode: 'http', signingSecret: '' }))).toMatchObject([
    expect.stringMatching(/channels\.slack\.signingSecret/),
  ]);
});

test('scopes that only embellish are a remark', async () => {
  const { slack, good } = await bench();
  slack.setScopes(SLACK_SCOPES.filter((scope) => scope !== 'reactions:write'));
  expect((await checkSlack(good)).map(said)[1]).toMatch(/everything needed is there, but .*reactions:write/);
});

test('a platform that is away is no wrong setting', async () => {
  const { slack, good } = await bench();
  await slack.outage(503);
  await expect(checkSlack(good)).rejects.not.toBeInstanceOf(ConfigError);
});
