/** What is known of the bot once its homeserver has answered: who it is, its rooms and its invitations. */
import { type ChannelHost, ConfigError, integer, string } from 'openviber-gateway/plugin';
import { CLIENT, type MatrixApi, MatrixError } from './api.ts';
import type { Around } from './decode.ts';
import { createInvitations, type Invitations, type InvitationsOptions } from './invitations.ts';
import { createRooms, type Rooms } from './rooms.ts';

export interface Session {
  /** The bot's own ID. */
  self: string;
  selfName: string | undefined;
  rooms: Rooms;
  invitations: Invitations;
  /** The largest file that the homeserver takes, if it says so. */
  uploadBytes: number | undefined;
}

/** @throws MatrixError */
export async function beginSession(
  api: MatrixApi,
  options: Omit<InvitationsOptions, 'api' | 'account' | 'rooms'>,
): Promise<Session> {
  const { id, name } = await whoAmI(api);
  const uploadBytes = await uploadLimit(api);
  const rooms = createRooms(api, id);
  await rooms.load();
  const invitations = createInvitations({ ...options, api, rooms, account: id });
  return { self: id, selfName: name, rooms, invitations, uploadBytes };
}

/** What the decoder must know of a room. */
export function aroundIn(
  session: Session,
  { nameOf }: Pick<ChannelHost, 'nameOf'>,
  room: string,
  isDirect: boolean,
): Around {
  const { self, rooms } = session;
  return {
    ...{ self, selfName: rooms.nameOf(room, self) ?? session.selfName, room, isDirect },
    nameOf: (user) => nameOf(user) ?? rooms.nameOf(room, user),
  };
}

/** Returns the bot of the token, with its name. @throws MatrixError */
export async function whoAmI(api: MatrixApi): Promise<{ id: string; name: string | undefined }> {
  const id = string(await api.call('GET', [...CLIENT, 'account', 'whoami']), 'user_id');
  if (id === undefined) throw new MatrixError('the homeserver does not say who the token belongs to', { status: 502 });
  try {
    return { id, name: string(await api.call('GET', [...CLIENT, 'profile', id, 'displayname']), 'displayname') };
  } catch (error) {
    if (!(error instanceof MatrixError) || error.isPassing) throw error;
    return { id, name: undefined };
  }
}

/** Returns the largest file that the homeserver takes, if it says so. */
async function uploadLimit(api: MatrixApi): Promise<number | undefined> {
  try {
    const config = await api.call('GET', ['_matrix', 'client', 'v1', 'media', 'config']);
    return integer(config, 'm.upload.size');
  } catch (error) {
    if (!(error instanceof MatrixError) || error.isPassing) throw error;
    return undefined;
  }
}

/** Returns the setting that a refusal is about; undefined if it may pass. */
export function wrongSetting(error: MatrixError): ConfigError | undefined {
  const { errcode, status, message } = error;
  if (errcode === 'M_UNKNOWN_TOKEN' || errcode === 'M_MISSING_TOKEN')
    return new ConfigError([{ path: 'channels.matrix.token', message: `Matrix doesn't accept it (${message})` }]);
  if (errcode === undefined && (status === 404 || status === 405))
    return new ConfigError([
      { path: 'channels.matrix.homeserver', message: `no homeserver answers there (${message})` },
    ]);
  return undefined;
}
