/**
 * Turns a program's request into a message like any other. Pure. The speaker was authenticated before; nothing in a
 * frame can change it.
 */
import {
  type Address,
  API,
  type InboundMessage,
  type QuotedText,
  type RemoteFile,
  type SuppliedContext,
} from '../channel.ts';

/** The file and the selection open in the sender's editor. */
export interface Surroundings {
  currentFile?: string | null | undefined;
  selection?: string | null | undefined;
}

export interface Saying {
  /** Together with the conversation's chat, the key that makes a repetition harmless. */
  id: string;
  address: Address;
  sender: Pick<InboundMessage['sender'], 'user' | 'name' | 'language'>;
  text: string;
  given?: SuppliedContext;
  context?: Surroundings | undefined;
  files?: readonly RemoteFile[] | undefined;
  viber?: string | undefined;
  via?: string | undefined;
  /** One line of text each. */
  facts?: readonly string[];
  /** The address that answers a command, a line that begins with a slash; absent if commands aren't parsed. */
  commandsAt?: Address | undefined;
  sentAt: number;
}

/** Matches a command as people type it, with its arguments. */
export const commandIn = (text: string): RegExpExecArray | undefined =>
  /^\s*\/([a-z]\w*)(?:\s+([\s\S]*))?$/i.exec(text) ?? undefined;

/** Returns the address of a client's own conversation or, with `thread`, of a task. */
export const apiAddress = (chat: string, thread?: string, channel = API): Address => ({
  channel,
  account: channel,
  chat,
  ...(thread !== undefined && { thread }),
});

/** Returns the entry that shows among a task's conversations that a client takes part. */
export const apiPlaces = (chat: string, channel = API): string => `${channel}@${channel}:${chat}`;

export function messageOf({ id, address, sender, text, given, viber, via, sentAt, ...more }: Saying): InboundMessage {
  const { commandsAt } = more;
  const [, name, args = ''] = (commandsAt ? commandIn(text) : undefined) ?? [];
  const { currentFile, selection } = more.context ?? {};
  const open = currentFile ? [`Open in their editor: ${currentFile}`] : [];
  const selected: QuotedText[] = selection
    ? [{ kind: 'quote', from: currentFile || 'selection', text: selection, fromSelf: false }]
    : [];
  return {
    id,
    messageId: id,
    address,
    text,
    files: [...(more.files ?? [])],
    facts: [...(more.facts ?? []), ...open],
    quotes: selected,
    isDirect: true,
    isMention: true,
    sentAt,
    sender: { ...sender, isBot: false },
    ...(via !== undefined && { via }),
    ...(viber !== undefined && { viber }),
    ...(given && Object.keys(given).length > 0 && { given }),
    ...(name === undefined
      ? { kind: 'message' }
      : { kind: 'command', command: { name: name.toLowerCase(), args }, ...(commandsAt && { answerAt: commandsAt }) }),
  };
}
