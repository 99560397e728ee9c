/** The Board's routes for the setup, all for owners. `rights.ts` decides what else a change requires. */
import { RequestError, readBody, sendJson } from '../../board/respond.ts';
import { route } from '../../board/route.ts';
import { ConfigError } from '../../errors.ts';
import { scrub } from '../../log.ts';
import { messagesIn, say, type Wording } from '../../messages/messages.ts';
import type { BoardAt, BoardRequest, BoardRoute, Caller } from '../../runtime/contract/board.ts';
import type { Finding } from '../../runtime/contract/finding.ts';
import type { Gateway } from '../gateway.ts';
import { checkUpdate, listBackups, makeBackup } from './backups.ts';
import { changeSettings, changesBody } from './change.ts';
import {
  addPlatform,
  joinPlatform,
  letOwnerIn,
  platformNamed,
  showChats,
  tokensBody,
  verdictBody,
  whoWaits,
} from './chats.ts';
import { problemsOf, showSettings } from './current.ts';
import { modelBody, showModels, takeModel } from './models.ts';
import { addToolServer, dropToolServer, serverBody } from './servers.ts';

/** The minimum time between two restarts, in ms. */
const RESTART_MS = 20_000;
/** How long a backup may take before it answers, in ms. */
const LONG_MS = 10 * 60_000;

export const setupRoutes = (at: BoardAt, gw: Gateway): BoardRoute[] => [
  route('GET', '/api/setup', 'owner', ({ caller }) => showSettings(at, caller, gw)),
  changing('PUT', '/api/setup', async (asked) => {
    await changeSettings(await readBody(asked, changesBody), asked.caller, at, gw);
    return showSettings(at, asked.caller, gw);
  }),
  restartRoute(at),
  route('GET', '/api/setup/models', 'owner', () => showModels(gw)),
  changing('POST', '/api/setup/model', async (asked) => {
    const wanted = await readBody(asked, modelBody);
    return spokenTo(asked.caller, await takeModel(wanted, asked.caller, at, gw));
  }),
  route('GET', '/api/setup/chats', 'owner', ({ caller }) => showChats(caller, gw)),
  changing('POST', '/api/setup/chats/:chat', async (asked) => {
    // A missing platform is reported before an invalid body.
    const platform = platformNamed(asked);
    const tokens = await readBody(asked, tokensBody);
    return spokenTo(asked.caller, await addPlatform(platform, tokens, asked.caller, at, gw));
  }),
  route('POST', '/api/setup/chats/:chat/join', 'owner', (asked) =>
    joinPlatform(platformNamed(asked), asked.caller, gw),
  ),
  route('GET', '/api/setup/chats/:chat/people', 'owner', async (asked) =>
    whoWaits(platformNamed(asked), asked.caller, gw),
  ),
  changing('POST', '/api/setup/mcp', async (asked) =>
    addToolServer(await readBody(asked, serverBody), asked.caller, at, gw),
  ),
  changing('DELETE', '/api/setup/mcp/:server', (asked) =>
    dropToolServer(asked.params.server ?? '', asked.caller, at, gw),
  ),
  route('GET', '/api/setup/backups', 'owner', async () => listBackups(at.program, gw)),
  { ...route('POST', '/api/setup/backups', 'owner', () => makeBackup(at.program, gw)), silenceMs: LONG_MS },
  route('GET', '/api/setup/update', 'owner', () => checkUpdate(at.program)),
  route('POST', '/api/setup/owners/:code', 'owner', async (asked) => {
    const { verdict } = await readBody(asked, verdictBody);
    return letOwnerIn(asked.params.code ?? '', verdict, asked.caller, gw);
  }),
];

/** Formats a check's findings for the reader, and masks secrets that a server may have repeated. */
function spokenTo({ language }: Caller, found: { findings?: readonly Finding[]; fix?: Wording }): object {
  const messages = messagesIn(language);
  const { findings = [], fix, ...rest } = found;
  return {
    ...rest,
    findings: findings.map(({ state, detail }) => ({ state, text: scrub(messages.said(detail)) })),
    ...(fix && { fix: scrub(messages.said(fix)) }),
  };
}

/** Answers with each of the loader's errors, so that a page can show it at its field. */
export const changing = (
  method: 'PUT' | 'POST' | 'DELETE',
  path: string,
  work: (asked: BoardRequest) => Promise<unknown>,
): BoardRoute => ({
  method,
  path,
  asks: 'owner',
  async handle(asked) {
    try {
      sendJson(asked.response, 200, await work(asked));
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      const problems = problemsOf(error, messagesIn(asked.caller.language));
      const [first = { path: '', message: '' }] = problems;
      const message = first.path === '' ? first.message : `${first.path}: ${first.message}`;
      sendJson(asked.response, 400, { error: { code: 'wrong_setting', message, field: first.path }, problems });
    }
  },
});

function restartRoute({ program }: BoardAt): BoardRoute {
  let last = Number.NEGATIVE_INFINITY;
  return {
    method: 'POST',
    path: '/api/setup/restart',
    asks: 'owner',
    async handle({ response }) {
      const { restart } = program;
      if (!restart) throw new RequestError(409, 'no_restart', say('boardSetup.noRestart'));
      if (performance.now() - last < RESTART_MS) throw new RequestError(429, 'too_many', say('boardSetup.restarting'));
      last = performance.now();
      // The answer must leave before the sockets are closed.
      response.once('finish', () => setImmediate(restart));
      sendJson(response, 200, { restarting: true });
    },
  };
}
