/** Reads the name in the first message of a TLS connection (RFC 8446, 4.1.2; RFC 6066, 3). Pure. */

/** The kind of a connection, by its first bytes; `part`: more bytes are needed. */
export type FirstBytes = { is: 'hello'; name?: string; isHidden: boolean } | { is: 'part' } | { is: 'other' };

const [HANDSHAKE, CLIENT_HELLO, HOST_NAME] = [22, 1, 0];
const [SERVER_NAME, ENCRYPTED_HELLO] = [0, 0xfe0d];
/** The size limit of the message; common ones have 500 to 2,000 bytes. */
const MAX_HELLO = 32_768;
const RECORD_HEAD = 5;

export function readFirstBytes(bytes: Buffer): FirstBytes {
  const fragments: Buffer[] = [];
  for (let at = 0; at < bytes.length; ) {
    const head = bytes.subarray(at, at + RECORD_HEAD);
    if (head[0] !== HANDSHAKE || (head.length > 1 && head[1] !== 3)) return { is: 'other' };
    if (head.length < RECORD_HEAD) break;
    const length = head.readUInt16BE(3);
    fragments.push(bytes.subarray(at + RECORD_HEAD, at + RECORD_HEAD + length));
    at += RECORD_HEAD + length;
  }
  const message = Buffer.concat(fragments);
  if (message.length > 0 && message[0] !== CLIENT_HELLO) return { is: 'other' };
  const wanted = message.length < 4 ? Number.POSITIVE_INFINITY : 4 + message.readUIntBE(1, 3);
  if (bytes.length > MAX_HELLO || (wanted > MAX_HELLO && message.length >= 4)) return { is: 'other' };
  if (message.length < wanted) return { is: 'part' };
  try {
    return readHello(message.subarray(4, wanted));
  } catch (error) {
    // A length field points beyond the end of the message.
    if (error instanceof RangeError) return { is: 'other' };
    throw error;
  }
}

function readHello(hello: Buffer): FirstBytes {
  // Version and random bytes, then session, ciphers and compressions, each with its length.
  let at = 34;
  at += 1 + hello.readUInt8(at);
  at += 2 + hello.readUInt16BE(at);
  at += 1 + hello.readUInt8(at);
  let name: string | undefined;
  let isHidden = false;
  if (at < hello.length) {
    const end = at + 2 + hello.readUInt16BE(at);
    for (at += 2; at < end; ) {
      const [kind, length] = [hello.readUInt16BE(at), hello.readUInt16BE(at + 2)];
      if (kind === ENCRYPTED_HELLO) isHidden = true;
      // If there are two names, a server may use either.
      if (kind === SERVER_NAME && name !== undefined) isHidden = true;
      else if (kind === SERVER_NAME && hello.readUInt8(at + 6) === HOST_NAME)
        name = hello.toString('latin1', at + 9, at + 9 + hello.readUInt16BE(at + 7)).toLowerCase();
      at += 4 + length;
    }
  }
  return { is: 'hello', isHidden, ...(name !== undefined && { name }) };
}
