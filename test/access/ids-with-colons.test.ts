/** Platforms whose IDs have colons in them: `!room:example.org`, `@alex:example.org:8448`. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { identityText, readIdentity } from '../../src/access/principal.ts';
import { formatAddress, parseAddress } from '../../src/channels/channel.ts';

const ID = fc.string({
  unit: fc.constantFrom(':', '%', '3', 'A', ' ', '@', '!', '.', 'é', '-'),
  minLength: 1,
  maxLength: 40,
});

it('an address is read as it was written, whatever its IDs hold', () => {
  fc.assert(
    fc.property(ID, ID, fc.option(ID, { nil: undefined }), fc.boolean(), (account, chat, thread, isNamed) => {
      const address = { channel: 'matrix', account, chat, ...(thread !== undefined && { thread }) };
      const read = parseAddress(formatAddress(address, { account: isNamed }));
      expect(read).toEqual({
        channel: 'matrix',
        chat,
        ...(isNamed && { account }),
        ...(thread !== undefined && { thread }),
      });
    }),
  );
});

it('an address without such IDs is written as it always was', () => {
  const address = { channel: 'telegram', account: '7', chat: '-100', thread: '5' };
  expect(formatAddress(address, { account: true })).toBe('telegram@7:-100:5');
  expect(parseAddress('slack:C1:17.5')).toEqual({ channel: 'slack', chat: 'C1', thread: '17.5' });
  expect(parseAddress('matrix:!a:b:c')).toBeUndefined();
});

it('a person is read as they were written, with a workspace only where accounts have one', () => {
  const alex = { channel: 'matrix', user: '@alex:example.org:8448' };
  expect(readIdentity(identityText(alex))).toEqual(alex);
  const slack = { channel: 'slack', workspace: 'T1', user: 'U1' };
  expect(readIdentity(identityText(slack))).toEqual(slack);
  expect(readIdentity('telegram:7')).toEqual({ channel: 'telegram', user: '7' });
});
