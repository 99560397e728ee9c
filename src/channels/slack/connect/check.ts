/** Checks for the doctor whether each token is valid, what the app may do, and names what is missing. */
import { ConfigError, type ConfigProblem } from '../../../errors.ts';
import type { Logger } from '../../../log.ts';
import { say, type Wording } from '../../../messages/messages.ts';
import type { SlackSettings } from '../options.ts';
import { createApi, type SlackApi, SlackError } from './api.ts';
import { missingScopes } from './scopes.ts';
import {
  isWrongToken,
  problem,
  scopesMessage,
  settingsProblems,
  whoAmI,
  wrongAppToken,
  wrongBotToken,
} from './setup.ts';
import { createTransport } from './transport.ts';

export interface CheckOptions extends SlackSettings {
  log: Logger;
  /** Channels of the configuration, which the app must be in. */
  access?: { chats: readonly string[] };
}

const MAX_CHATS = 20;

/**
 * Returns one sentence for each thing that works.
 * @throws ConfigError with everything that is wrong
 * @throws SlackError when Slack can't be asked
 */
export async function checkSlack(options: CheckOptions): Promise<Wording[]> {
  const { appToken, mode } = options;
  const found: Wording[] = [];
  const problems: ConfigProblem[] = settingsProblems(options);
  const isWrong = (key: string) => problems.some(({ path }) => path.endsWith(key));
  if (!isWrong('botToken')) {
    const api = apiFor(options, options.botToken);
    await checkBot(api, found, problems);
    if (!isWrong('botToken')) await checkChats(api, options.access?.chats ?? [], problems);
  }
  if (mode === 'socket' && appToken !== undefined && !isWrong('appToken'))
    await checkApp(apiFor(options, appToken), appToken, found, problems);
  if (mode === 'http' && !isWrong('signingSecret')) found.push(say('checks.slackSecret'));
  if (problems.length > 0) throw new ConfigError(problems);
  return found;
}

/** Returns the card with which people find the app: the page that opens it, or the workspace. @throws SlackError */
export async function slackCard(options: CheckOptions) {
  const { name, teamId, url } = await whoAmI(apiFor(options, options.botToken));
  // The app's ID is in its token: xapp-1-A012ABCD345-...
  const app = /^xapp-\d+-(A[A-Z0-9]+)-/.exec(options.appToken ?? '')?.[1];
  const link = app === undefined ? url : `https://slack.com/app_redirect?app=${app}&team=${teamId}`;
  return { name: `@${name}`, link };
}

async function checkBot(api: SlackApi, found: Wording[], problems: ConfigProblem[]): Promise<void> {
  try {
    const self = await whoAmI(api);
    found.push(say('checks.slackBot', { name: `@${self.name}`, team: self.teamName }));
    const { required, dispensable } = missingScopes(self.scopes);
    if (self.scopes === undefined) found.push(say('checks.slackScopesUnknown'));
    else if (required.length > 0) problems.push(problem('botToken', scopesMessage([...required, ...dispensable])));
    else if (dispensable.length > 0) found.push(say('checks.slackScopesMost', { what: scopesMessage(dispensable) }));
    else found.push(say('checks.slackScopesAll'));
    if (self.botId === '') problems.push(problem('botToken', say('checks.slackNoBot')));
  } catch (error) {
    if (!(error instanceof SlackError) || !isWrongToken(error)) throw error;
    problems.push(wrongBotToken(error.code));
  }
}

async function checkChats(api: SlackApi, chats: readonly string[], problems: ConfigProblem[]): Promise<void> {
  for (const chat of chats.filter((each) => each !== '*').slice(0, MAX_CHATS)) {
    try {
      await api.call('conversations.history', { channel: chat, limit: 1 });
    } catch (error) {
      if (!(error instanceof SlackError) || !/^(channel_not_found|not_in_channel)$/.test(error.code)) throw error;
      problems.push(problem('access.chats', say('checks.slackNoChannel', { chat })));
    }
  }
}

async function checkApp(api: SlackApi, token: string, found: Wording[], problems: ConfigProblem[]): Promise<void> {
  try {
    // Returns a URL to connect to; nothing is connected.
    await api.call('apps.connections.open');
    found.push(say('checks.slackSocket'));
  } catch (error) {
    if (!(error instanceof SlackError) || error.kind !== 'refused' || error.retryAfterMs !== undefined) throw error;
    const isOther = !token.startsWith('xapp-');
    if (error.code === 'missing_scope') problems.push(problem('appToken', say('checks.slackNoConnections')));
    else problems.push(isOther ? problem('appToken', say('checks.slackAppTokenForm')) : wrongAppToken(error.code));
  }
}

const apiFor = ({ apiRoot, log }: CheckOptions, token: string): SlackApi =>
  createApi(token, { apiRoot, log, transport: createTransport() });
