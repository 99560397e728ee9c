/** The required shapes of messages and answers in the spool, so that incomplete records are never processed. */
import { isAddress, isRole } from '../../access/principal.ts';
import type { OutboxFile } from '../../engine/engine.ts';
import { isFilled, isFlag, isNumber, isText, listOf, objectOf, oneOf, optional, shape } from '../../lib/shape.ts';
import { isId } from '../../workspace/home.ts';
import type { Entry } from './entry.ts';

export const isPrincipal = objectOf({
  channel: isFilled,
  account: isText,
  user: isFilled,
  role: isRole,
  via: isText,
  name: isText,
  workspace: optional(isText),
  person: optional(isText),
  aliases: optional(listOf(isText)),
});

const isFile = objectOf({ id: isText, name: isText, mimeType: isText, kind: isText });
const isQuote = objectOf({ kind: isText, from: isText, text: isText, files: optional(listOf(isFile)) });

/** Input from the network was validated when it arrived. */
const isGiven = objectOf({
  goal: optional(isText),
  memory: optional(isText),
  instructions: optional(isText),
  project: optional(isText),
  mode: optional(oneOf('steer', 'collect', 'followup')),
  messages: optional(listOf(objectOf({ role: oneOf('user', 'assistant'), text: isText }))),
  artifacts: optional(listOf(objectOf({ id: isText, title: isText, type: isText, ref: isText }))),
});

export const isMessage = objectOf({
  id: isFilled,
  kind: isText,
  address: isAddress,
  text: isText,
  messageId: isText,
  sentAt: isNumber,
  sender: objectOf({ user: isText, name: isText, isBot: isFlag }),
  isDirect: isFlag,
  isMention: isFlag,
  files: listOf(isFile),
  facts: listOf(isText),
  quotes: listOf(isQuote),
  interaction: optional(isText),
  sequence: optional(isNumber),
  language: optional(isText),
  prefix: optional(isText),
  group: optional(isText),
  editOf: optional(isText),
  movedTo: optional(isAddress),
  answerAt: optional(isAddress),
  repliesTo: optional(isText),
  original: optional(objectOf({ chat: isText, message: isText })),
  given: optional(isGiven),
});

const isJob = objectOf({
  id: isFilled,
  name: isText,
  slot: isText,
  deliver: listOf(isText),
  own: objectOf({}),
  asks: optional(listOf(isAddress)),
});

export const entryShape = shape<Entry>(
  objectOf({
    message: isMessage,
    principal: isPrincipal,
    viber: isId,
    taskId: isId,
    job: optional(isJob),
    command: optional(objectOf({ name: isText, args: isText })),
    mode: optional(oneOf('steer', 'collect')),
    resume: optional(objectOf({ approval: isText, run: isText })),
    play: optional(objectOf({})),
    skill: optional(isText),
  }),
);

const isUpload = objectOf({ path: isText, name: isText, mimeType: isText, size: isNumber, sha256: isText });

export const outboxShape = shape<OutboxFile>(
  objectOf({
    key: isFilled,
    trace: isText,
    createdAt: isNumber,
    seq: isNumber,
    sending: isFlag,
    message: objectOf({ id: isFilled, address: isAddress, text: isText, files: listOf(isUpload) }),
  }),
);
