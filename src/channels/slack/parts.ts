/** Builds the adapter's parts, which receive events, show progress and send, and connects them with each other. */
import { createLru } from '../../lib/lru.ts';
import type { Address, InboundMessage } from '../channel.ts';
import { Intake } from './connect/intake.ts';
import { createMissing } from './connect/missing.ts';
import { answeringThere } from './connect/own-chats.ts';
import { createPeople } from './connect/people.ts';
import { Progress } from './connect/read-cursors.ts';
import { createAssistant } from './live/assistant.ts';
import { createLive } from './live/live.ts';
import { ShowTask } from './live/show-task.ts';
import { createOpenThread, pointTo } from './live/threads.ts';
import type { SlackContext } from './options.ts';
import { createReadBack } from './send/read-back.ts';
import { createRespond } from './send/respond.ts';
import { createSend } from './send/send.ts';

export type Parts = ReturnType<typeof createParts>;

export function createParts(slack: SlackContext) {
  const recipients = createLru<string>(2000);
  const progress = new Progress(slack.options.cursors);
  const assistant = createAssistant(slack);
  const respond = createRespond(slack);
  const people = createPeople(slack);
  const tasks = new ShowTask(slack, assistant);
  const readBack = createReadBack(slack);
  const intake = new Intake(slack, {
    progress,
    people,
    assistant,
    respond,
    onAccepted({ address, sender, messageId }) {
      if (!sender.isBot) recipients.set(chatAndThread(address), sender.user);
      if (address.thread === messageId && messageId !== '') tasks.learn(address, { kind: 'theirs' });
    },
  });
  return {
    people,
    intake,
    tasks,
    live: createLive(slack, { assistant, recipientOf: (address) => recipients.get(chatAndThread(address)) }),
    send: answeringThere(createSend(slack, { readBack, respond, progress })),
    openThread: createOpenThread(slack, {
      readBack,
      respond,
      progress,
      onOpened: (address, root, key) => tasks.learn(address, { kind: 'ours', root, key }),
    }),
    pointTo: (message: InboundMessage, thread: string) => pointTo(slack, respond, message, thread),
    lookUp: createMissing(slack, people),
  };
}

function chatAndThread({ chat, thread }: Address): string {
  return `${chat}:${thread ?? ''}`;
}
