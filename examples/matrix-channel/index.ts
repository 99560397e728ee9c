/** Matrix as a kind of channel; `channels.matrix.module` loads it. */
import { defineChannel, settings as parts } from 'openviber-gateway/plugin';

const { apiRoot, chat, id, section, token } = parts;

const settings = section({
  homeserver: apiRoot('MATRIX_HOMESERVER'),
  token: token('expected an access token of the bot', 'MATRIX_TOKEN'),
  ...chat(
    id('expected the ID of a person, such as @alex:example.org', /^@[^\s\p{Cc}:]+:[^\s\p{Cc}]{1,250}$/u),
    id('expected the ID of a room, such as !abc:example.org, or "*"', /^(?:![^\s\p{Cc}]{1,254}|\*)$/u),
  ),
});

export default defineChannel({
  name: 'matrix',
  label: 'Matrix',
  accountPattern: String.raw`@[^\s:]+:\S{1,250}`,
  examples: { account: 'matrix:@alex:example.org', conversation: 'matrix:!abc%3Aexample.org' },
  variables: { token: 'MATRIX_TOKEN', homeserver: 'MATRIX_HOMESERVER' },
  words: { group: 'tasks.group', thread: 'tasks.thread' },
  // A direct chat has an ID as any other room.
  isDirect: () => false,
  // Apps keep words behind a slash for themselves.
  commandPrefix: () => '!',
  settings: () => settings,
  async open({ homeserver, token, access }, host) {
    const { createMatrixChannel } = await import('./channel.ts');
    // Whoever couldn't get an answer there doesn't bring the bot there either.
    const mayInvite = (user: string, room: string) =>
      access.dm === 'pairing' ||
      access.dm === 'open' ||
      host.nameOf(user) !== undefined ||
      access.allow.includes(user) ||
      access.chats.includes(room);
    return createMatrixChannel({ homeserver, token, host, mayInvite });
  },
  async check({ homeserver, token }) {
    const [{ createApi, MatrixError }, { whoAmI, wrongSetting }] = await Promise.all([
      import('./api.ts'),
      import('./session.ts'),
    ]);
    try {
      const { id } = await whoAmI(createApi({ homeserver, token }));
      return [`${id} answers`];
    } catch (error) {
      throw (error instanceof MatrixError && wrongSetting(error)) || error;
    }
  },
  async card({ homeserver, token }) {
    const [{ createApi }, { whoAmI }] = await Promise.all([import('./api.ts'), import('./session.ts')]);
    const { id, name } = await whoAmI(createApi({ homeserver, token }));
    return { name: name ?? id, link: `https://matrix.to/#/${id}` };
  },
});
