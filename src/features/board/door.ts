/** Logs owners in and serves the page. Loaded at the first request for the Board. */
import type { BoardAt, BoardDoor } from '../../runtime/contract/board.ts';
import type { Gateway } from '../gateway.ts';
import { createLogin } from './login.ts';
import { loginsOf } from './logins.ts';
import { pageFolder } from './page-files.ts';
import { pushesOf } from './push/on-demand.ts';
import { hasSubscriptions } from './push/subscription-file.ts';
import { createPages } from './static.ts';

export async function openDoor({ places, port }: BoardAt, gw: Gateway): Promise<BoardDoor> {
  const { log } = gw;
  const logins = loginsOf(gw);
  const login = createLogin({
    sessions: await logins.sessions(),
    places,
    port,
    speakerOf: (session) => logins.speakerOf(session),
    onEnded: (session) => void forgetPushes(session, gw),
    onWrongCodes: (address) => log.warn({ address }, 'many wrong codes for a login on the Board'),
  });
  logins.revoke = login.revoke;
  const onOlder = (error: unknown) => log.warn({ err: error }, 'the page could not be built, so an older one is shown');
  return { ...login, open: [...login.open, ...createPages(() => pageFolder(onOlder))] };
}

/** Deletes the subscription of a login that has ended. If this fails, the login is checked before the next push. */
async function forgetPushes(session: string, gw: Gateway): Promise<void> {
  if (!hasSubscriptions(gw)) return;
  try {
    (await pushesOf(gw).open()).forget(session);
  } catch (error) {
    gw.log.warn({ err: error }, 'the subscription of an ended login could not be removed');
  }
}
