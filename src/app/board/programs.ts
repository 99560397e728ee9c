/** The programs that may use HTTP with a token, and the principal of each. */
import { createSpeakers } from '../../board/speakers.ts';
import type { ProgramToken } from '../../board/tokens.ts';
import type { AppGateway } from '../contract.ts';

export function programTokens({ config, people }: AppGateway): ProgramToken[] {
  const { pairing, owners } = people;
  const { directOf } = owners;
  const speakers = createSpeakers({ people, configured: config.people, pairing, directOf });
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
