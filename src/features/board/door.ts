/** Lets owners in with a browser, and serves the page. Loaded at the first request for the Board. */
import { createSpeakers } from '../../board/speakers.ts';
import type { BoardAt, BoardDoor } from '../../runtime/contract/board.ts';
import { configOf, type Gateway } from '../gateway.ts';
import { createLogin } from './login.ts';
import { loginsOf } from './logins.ts';
import { createPages } from './static.ts';

export async function openDoor({ places, port }: BoardAt, gw: Gateway): Promise<BoardDoor> {
  const { people, log } = gw;
  const logins = loginsOf(gw);
  const login = createLogin({
    sessions: await logins.sessions(),
    places,
    port,
    speakers: createSpeakers({
      people,
      configured: configOf(gw).people,
      pairing: people.pairing,
      directOf: people.owners.directOf,
      languageOf: (principal) => people.languages.of(principal),
    }),
    onWrongCodes: (address) => log.warn({ address }, 'many wrong codes for a login on the Board'),
  });
  logins.revoke = login.revoke;
  return { ...login, open: [...login.open, ...createPages()] };
}
