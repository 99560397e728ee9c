/** A conversation over the gateway's socket, on a terminal. It ends when the person leaves or the gateway stops. */
import type http from 'node:http';
import readline from 'node:readline';
import { text as bodyOf } from 'node:stream/consumers';
import type { Suggestion } from '../channels/channel.ts';
import type { TalkLine } from '../channels/local/adapter.ts';
import { createFace } from '../channels/terminal/face.ts';
import type { Door } from '../channels/terminal/seam.ts';
import { Talk } from '../channels/terminal/talk.ts';
import { errorCode, UserError } from '../errors.ts';
import { loadFeatures } from '../features.ts';
import { machineLanguage } from '../lib/language.ts';
import { commandTable, menuSpecs } from '../runtime/commands/table.ts';
import { type CliContext, EXIT } from '../runtime/contract/cli.ts';
import { type ChatTarget, post, userChat } from './ask.ts';

export async function talkOver(socket: string, to: ChatTarget, { home, env, messages }: CliContext): Promise<number> {
  const chat = userChat(to.chat);
  const left = Promise.withResolvers<void>();
  const door = doorTo(socket, chat, to.viber);
  const listening = await post(socket, '/talk', { chat });
  const { stdin: input, stdout: output } = process;
  const face = createFace({
    input,
    output,
    env,
    messages,
    home,
    commands: menuSpecs(commandTable(await loadFeatures()), messages.language),
    suggest: door.suggest,
  });
  const talk = new Talk({ door, face, messages, onLeave: left.resolve });
  face.open(talk);
  for (const signal of ['SIGTERM', 'SIGHUP', 'SIGINT'] as const) process.once(signal, () => talk.leave());
  const told = listen(listening, talk);
  try {
    const isLeft = await Promise.race([left.promise.then(() => true), told.then(() => false)]);
    if (isLeft) return EXIT.ok;
    talk.reset();
    face.note(messages.text('terminal.lost'));
    return EXIT.failed;
  } finally {
    await face.close();
    listening.destroy();
  }
}

/** Reads lines until the gateway closes the stream; a killed one may stop in the middle of a line. */
async function listen(response: http.IncomingMessage, talk: Talk): Promise<void> {
  try {
    for await (const text of readline.createInterface({ input: response }))
      await tell(JSON.parse(text) as TalkLine, talk);
  } catch (error) {
    if (!(error instanceof SyntaxError) && errorCode(error) === undefined) throw error;
  }
}

async function tell(line: TalkLine, talk: Talk): Promise<void> {
  switch (line.type) {
    case 'answer':
      return talk.answer(line);
    case 'unanswered':
      return talk.remind(line.questions);
    case 'named':
      return talk.named(line.name);
    case 'wrote':
      return talk.wrote(line.runId, line.text);
    case 'steps':
      return talk.steps(line.runId);
    case 'again':
      return talk.again(line.runId);
    case 'works':
      return talk.works(line.runId, line.line);
    case 'over':
      return talk.over(line.runId, line.isAnswered);
  }
}

/** @param viber the recipient of the first message and of what follows it */
function doorTo(socket: string, chat: string, viber?: string): Door {
  let first = viber;
  const say = async (said: object) => {
    const response = await post(socket, '/say', { chat, language: machineLanguage(process.env), ...said });
    const reason = await bodyOf(response);
    if (response.statusCode !== 204) throw new UserError(reason);
  };
  return {
    async say(text) {
      await say({ text, ...(first !== undefined && { viber: first }) });
      first = undefined;
    },
    press: (button) => say({ button }),
    async suggest(command, text) {
      const response = await post(socket, '/suggest', { chat, command, text });
      return response.statusCode === 200 ? (JSON.parse(await bodyOf(response)) as Suggestion[]) : [];
    },
  };
}
