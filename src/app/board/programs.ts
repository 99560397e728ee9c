/** The programs that may use HTTP with a token, and the principal of each. */
import type { Principal } from '../../access/principal.ts';
import { createSpeakers } from '../../board/speakers.ts';
import type { ProgramToken } from '../../board/tokens.ts';
import type { AppGateway } from '../contract.ts';

export function programTokens({ config, people }: AppGateway): ProgramToken[] {
  const { pairing, owners } = people;
  const { directOf } = owners;
  const languageOf = (of: Principal) => people.languages.of(of);
  const speakers = createSpeakers({ people, configured: config.people, pairing, directOf, languageOf });
  const { token, clients } = config.http;
  const owner = { name: 'owner', principal: () => speakers.ofOwner().principal };
  return [
    ...(token === undefined ? [] : [{ ...owner, token }]),
    ...Object.entries(clients).map(([name, client]) => ({
      name,
      token: client.token,
      principal: () => speakers.ofClient(name, client),
    })),
  ];
}
