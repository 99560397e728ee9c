/** Editing a message says it anew, and what was said before stays. Trying again replaces the answer that is shown. */
import type { Artifact, Message } from '../../../client/shapes.ts';
import { isArtifactRef } from '../net/artifact.ts';
import { handedDraft } from '../net/composing.ts';
import type { Conversation } from '../net/conversation.ts';
import type { TalkActs } from './message.tsx';

const artifactsOf = ({ files = [] }: Message): readonly Artifact[] => files.filter(({ ref }) => isArtifactRef(ref));

/** @param about names the message box of the conversation */
export const talkActs = (talk: Conversation, about: string): TalkActs => ({
  edit: (message) => {
    handedDraft.value = { about, text: message.text, files: artifactsOf(message) };
  },
  again: (question, again) => {
    const { taskId } = talk;
    const asked = talk.messages.value?.filter(({ role, runId }) => role === 'user' && runId === again) ?? [];
    // An answer to more than this question stays.
    const isOnly = asked.length === 1 && asked[0]?.text.trim() === question.text.trim();
    void talk.say(question.text, artifactsOf(question), (message, files) => ({
      type: 'task:message',
      taskId,
      message,
      ...(isOnly && { again }),
      ...(files.length > 0 && { files }),
    }));
  },
});
