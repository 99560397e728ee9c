/** The real clients, connected to the emulator and silent. */
import { App, HTTPReceiver, LogLevel, SocketModeReceiver } from '@slack/bolt';
import { WebClient } from '@slack/web-api';
import type { Slack } from '../slack.ts';

/** The tests cause everything that the clients would log. */
const SILENT = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  setLevel: () => undefined,
  getLevel: () => LogLevel.ERROR,
  setName: () => undefined,
};

/** Returns a client that tries once. */
export function quietClient(slack: Slack, token = slack.botToken): WebClient {
  return new WebClient(token, {
    slackApiUrl: slack.url,
    retryConfig: { retries: 0 },
    rejectRateLimitedCalls: true,
    logger: SILENT,
  });
}

/**
 * @param clientPingTimeout milliseconds after which a socket that doesn't answer a ping is given up; by default longer
 * than a busy machine keeps this process waiting
 */
export function socketApp(slack: Slack, clientPingTimeout = 60_000): App {
  const clientOptions = { slackApiUrl: slack.url };
  const receiver = new SocketModeReceiver({
    appToken: slack.appToken,
    logger: SILENT,
    installerOptions: { clientOptions },
    clientPingTimeout,
  });
  return new App({ token: slack.botToken, receiver, clientOptions, logger: SILENT });
}

/** Returns an app that receives events, commands and button presses over HTTP; `start` returns its URL. */
export function httpApp(slack: Slack): { app: App; start(): Promise<string> } {
  const receiver = new HTTPReceiver({
    signingSecret: slack.signingSecret,
    processBeforeResponse: true,
    logger: SILENT,
    port: 0,
  });
  const app = new App({ token: slack.botToken, receiver, clientOptions: { slackApiUrl: slack.url }, logger: SILENT });
  async function start(): Promise<string> {
    const server = await receiver.start(0);
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('the app does not listen');
    return `http://127.0.0.1:${address.port}/slack/events`;
  }
  return { app, start };
}
