/** A press does what its question showed; if that has changed since, the person is asked again. */
import { hashText } from '../../lib/files.ts';
import { type Messages, paragraphs } from '../../messages/messages.ts';
import type { Json } from '../../workspace/types.ts';
import type { CommandReply } from './command.ts';

/** A digest of the question, which its button carries. */
export const shownStamp = (shown: Json): string => hashText(JSON.stringify(shown)).slice(0, 12);

export function withStamp(args: string): { given: string; stamp: string | undefined } {
  const [, given = args, stamp] = /^([\s\S]+) =([0-9a-f]{12})$/.exec(args) ?? [];
  return { given, stamp };
}

export const stamped = (args: string, shown: Json): string => `${args} =${shownStamp(shown)}`;

export const askedAgain = (reply: CommandReply, messages: Messages): CommandReply => ({
  ...reply,
  text: paragraphs(messages.text('questions.changedSince'), reply.text),
});
