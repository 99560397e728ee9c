/** Converts an event that the other program POSTs into an InboundMessage. Pure: never throws, whatever JSON it gets. */
import {
  type Address,
  type Fields,
  fields,
  type InboundMessage,
  integer,
  isFields,
  list,
  oneLine,
  type RemoteFile,
  string,
} from 'openviber-gateway/plugin';

export const CHANNEL = 'webhook';
/** This channel has one bot. A platform with several uses the bot's own ID. */
export const ACCOUNT = 'webhook';

const ID = /^[\w.:-]{1,64}$/;
const MAX_TEXT = 20_000;
const MAX_FILES = 10;

/** Returns undefined for anything that isn't an event; the other program then gets a 400. */
export function decode(event: unknown): InboundMessage | undefined {
  if (!isFields(event)) return undefined;
  const from = fields(event, 'from') ?? {};
  const [id, chat, user] = [idIn(event, 'id'), idIn(event, 'chat'), idIn(from, 'id')];
  const text = (string(event, 'text') ?? '').slice(0, MAX_TEXT).toWellFormed();
  if (id === undefined || chat === undefined || user === undefined) return undefined;
  const address: Address = { channel: CHANNEL, account: ACCOUNT, chat };
  const editOf = idIn(event, 'editOf');
  const button = idIn(event, 'button');
  const command = /^\/([a-z]\w*)(?:\s+([\s\S]*))?$/i.exec(text);
  const isDirect = event.direct === true;
  return {
    ...{ id, address, text, messageId: id, facts: [], quotes: [] },
    kind: editOf !== undefined ? 'edit' : button !== undefined ? 'button' : command ? 'command' : 'message',
    sender: { user, name: oneLine(string(from, 'name') ?? user, 80), isBot: from.bot === true },
    files: list(event, 'files').slice(0, MAX_FILES).flatMap(fileOf),
    ...(editOf === undefined ? {} : { editOf }),
    ...(button === undefined ? {} : { button: { id: button } }),
    ...(command ? { command: { name: (command[1] ?? '').toLowerCase(), args: command[2] ?? '' } } : {}),
    isDirect,
    isMention: isDirect || event.mention === true,
    sentAt: integer(event, 'at') ?? Date.now(),
  };
}

function idIn(from: Fields, key: string): string | undefined {
  const id = string(from, key);
  return id !== undefined && ID.test(id) ? id : undefined;
}

/** Reads a file's metadata. Its bytes are fetched only once the sender was admitted. */
function fileOf(file: Fields): RemoteFile[] {
  const id = idIn(file, 'id');
  if (id === undefined) return [];
  const size = integer(file, 'size');
  const mimeType = string(file, 'type') ?? 'application/octet-stream';
  const name = oneLine(string(file, 'name') ?? '', 120) || 'file';
  return [{ id, name, mimeType, kind: 'document', ...(size === undefined ? {} : { size }) }];
}
