/** Questions that commands put. Invariant: a press does what its question showed; where that has changed since, the question is put again. */
import { hashText } from '../../lib/files.ts';
import { type Messages, paragraphs } from '../../messages/messages.ts';
import type { Json } from '../../workspace/types.ts';
import type { CommandReply } from './command.ts';

/** A sum of what a question shows; its button carries it. */
export const stampOf = (shown: Json): string => hashText(JSON.stringify(shown)).slice(0, 12);

/** What a button carries, apart: the words before it, and the sum at its end. */
export function withStamp(args: string): { given: string; stamp: string | undefined } {
  const [, given = args, stamp] = /^([\s\S]+) =([0-9a-f]{12})$/.exec(args) ?? [];
  return { given, stamp };
}

export const stamped = (args: string, shown: Json): string => `${args} =${stampOf(shown)}`;

/** The question as it is now, to somebody who has answered it as it was. */
export const askedAgain = (reply: CommandReply, messages: Messages): CommandReply => ({
  ...reply,
  text: paragraphs(messages.text('questions.changedSince'), reply.text),
});
