/** What a program says, as a message like any other. Pure. Whom it speaks for was found out before: nothing in a frame says so. */
import { type Address, API, type Given, type InboundMessage, type QuotedText, type RemoteFile } from '../channel.ts';

/** What somebody has open while they write. */
export interface Surroundings {
  currentFile?: string | null | undefined;
  selection?: string | null | undefined;
}

export interface Saying {
  /** With the conversation's chat the key that makes a repetition harmless. */
  id: string;
  address: Address;
  sender: Pick<InboundMessage['sender'], 'user' | 'name'>;
  text: string;
  given?: Given;
  context?: Surroundings | undefined;
  files?: readonly RemoteFile[] | undefined;
  viber?: string | undefined;
  via?: string | undefined;
  /** One line of text each. */
  facts?: readonly string[];
  /** A line that begins with a slash is a command, as in every chat, and is answered there. */
  commandsAt?: Address | undefined;
  sentAt: number;
}

/** A command as people type it, with what follows its name. */
export const commandIn = (text: string): RegExpExecArray | undefined =>
  /^\s*\/([a-z]\w*)(?:\s+([\s\S]*))?$/i.exec(text) ?? undefined;

/** A client's own conversation, or with `thread` the one about a task. */
export const apiAddress = (chat: string, thread?: string, channel = API): Address => ({
  channel,
  account: channel,
  chat,
  ...(thread !== undefined && { thread }),
});

/** Where everybody reads that a client takes part in a task: among the task's conversations. */
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
