/**
 * `POST /api/chat`: the AI SDK's UI message stream, so that a `useChat` page can talk to the viber. A chat is one task;
 * its messages enter as `task:submit` and `task:message`, each under the page's own ID, so a repeated message counts
 * once. Disconnecting stops nothing: `GET /api/chat/{id}/stream` resumes the answer.
 */

import type http from 'node:http';
import { say } from '../../messages/messages.ts';
import type { BoardRequest, BoardRoute, Caller } from '../../runtime/contract/board.ts';
import { openTask } from '../../workspace/tasks/index.ts';
import type { Connection } from '../protocol/connection.ts';
import type { Exchange } from '../protocol/exchange.ts';
import type { EventFrame, ProgressEvent } from '../protocol/frames.ts';
import type { ProtocolParts } from '../protocol/parts.ts';
import { seenTask } from '../protocol/refusals.ts';
import { MAX_BODY, readBody, wrongField } from '../respond.ts';
import { type ChatText, chatBody, refsOf, userTexts } from './chat-messages.ts';
import { connectStream, OVER, SILENCE_MS } from './stream.ts';

const BODY_MS = 600_000;

interface AcceptedMessage {
  taskId: string;
  /** These messages were accepted before, so their answer may already exist. */
  isAgain: boolean;
}

/**
 * @param maxFile bytes per file; a page sends all its messages each time, with files as base64, which is a third larger
 */
export function chatRoutes(parts: ProtocolParts, exchange: Exchange, maxFile: number): BoardRoute[] {
  const maxBytes = MAX_BODY + 2 * Math.ceil((maxFile * 4) / 3);
  return [
    {
      method: 'POST',
      path: '/api/chat',
      asks: 'caller',
      silenceMs: SILENCE_MS,
      bodyMs: BODY_MS,
      async handle(asked) {
        const { id, messages, trigger } = await readBody(asked, chatBody, maxBytes);
        if (trigger === 'regenerate-message') throw wrongField('trigger', say('requests.noSecondAnswer'));
        const said = userTexts(messages);
        const stream = new ChatStream(asked, parts, exchange);
        await stream.begin(() => sendMessages(asked.caller, id, said, parts));
      },
    },
    {
      method: 'GET',
      path: '/api/chat/:chat/stream',
      asks: 'caller',
      silenceMs: SILENCE_MS,
      async handle(asked) {
        const { taskId } = await knownChat(asked.caller, asked.params.chat ?? '', parts);
        if (taskId === undefined || !parts.runningTasks().includes(taskId)) {
          asked.response.writeHead(204).end();
          return;
        }
        await new ChatStream(asked, parts, exchange).begin(async () => ({ taskId, isAgain: true }));
      },
    },
  ];
}

/** Returns the chat's task and the newest accepted message. */
async function knownChat(
  caller: Caller,
  chat: string,
  { answered }: ProtocolParts,
): Promise<{ taskId?: string; newest?: string }> {
  const [taskId, newest] = (await answered.get(callerChatKey(caller, chat)))?.split(' ', 2) ?? [];
  return { ...(taskId !== undefined && { taskId }), ...(newest !== undefined && { newest }) };
}

const callerChatKey = (caller: Caller, chat: string): string => `chat.${caller.id}.${chat}`;

/** Returns the chat's task once the newest message is durable. */
async function sendMessages(
  caller: Caller,
  chat: string,
  said: readonly ChatText[],
  parts: ProtocolParts,
): Promise<AcceptedMessage> {
  const { submissions, answered } = parts;
  const [first] = said;
  const last = said.at(-1);
  if (!first || !last) throw wrongField('messages', say('requests.lastIsEmpty'));
  const known = await knownChat(caller, chat, parts);
  const taskId = known.taskId ?? (await begin(caller, chat, first, parts));
  seenTask(taskId, caller.principal, parts);
  // Encodes a client's message ID, which may contain anything; the result is only compared.
  const newest = encodeURIComponent(last.id);
  const isAgain = known.newest === newest;
  const isNew = !isAgain && (known.taskId !== undefined || last.id !== first.id);
  if (isNew) {
    const files = await refsOf(last, caller, parts);
    const message = last.text.trim() === '' ? fileNames(last) : last.text;
    await submissions.tell(caller, `chat:${chat}:${last.id}`, { taskId, message, files });
  }
  if (!isAgain) await answered.set(callerChatKey(caller, chat), `${taskId} ${newest}`);
  return { taskId, isAgain };
}

async function begin(caller: Caller, chat: string, first: ChatText, parts: ProtocolParts): Promise<string> {
  const files = await refsOf(first, caller, parts);
  const goal = first.text.trim() === '' ? fileNames(first) : first.text;
  return (await parts.submissions.submit(caller, `chat:${chat}`, { goal, messages: [], files })).taskId;
}

const fileNames = ({ files }: ChatText): string => files.map(({ name }) => name).join(', ');

class ChatStream {
  readonly #asked: BoardRequest;
  readonly #parts: ProtocolParts;
  readonly #exchange: Exchange;
  #taskId = '';
  #text = 0;
  #isOpen = false;
  #written = '';

  constructor(asked: BoardRequest, parts: ProtocolParts, exchange: Exchange) {
    this.#asked = asked;
    this.#parts = parts;
    this.#exchange = exchange;
  }

  /** Subscribes before `say` runs, so that no part of the answer is missed. */
  async begin(say: () => Promise<AcceptedMessage>): Promise<void> {
    const { response } = this.#asked;
    const connection = connectStream(this.#asked, this.#exchange, {
      send: (text) => this.#take(JSON.parse(text)),
      end: () => void (response.headersSent && this.#end()),
    });
    const release = this.#exchange.hold(connection);
    const { taskId, isAgain } = await say();
    this.#taskId = taskId;
    await this.#exchange.follow(connection, [taskId], { live: 'events' });
    response.writeHead(200, {
      'content-type': 'text/event-stream',
      'x-vercel-ai-ui-message-stream': 'v1',
      'x-accel-buffering': 'no',
    });
    this.#write({ type: 'start', messageMetadata: { taskId: this.#taskId } });
    release();
    if (isAgain && !this.#parts.runningTasks().includes(this.#taskId)) await this.#lastEnd(connection);
  }

  /** Sends the end of the newest run, from its session. */
  async #lastEnd(connection: Connection): Promise<void> {
    const task = openTask(this.#parts.home, this.#taskId).record();
    if (!task || !OVER.has(task.state)) return;
    const frames = await this.#exchange.standing(connection, task);
    // The state comes last; a stopped run has nothing else.
    const last = frames.at(task.state === 'stopped' ? -1 : -2);
    if (last) this.#take(last);
  }

  #take(frame: EventFrame): void {
    if (!('taskId' in frame) || frame.taskId !== this.#taskId) return;
    switch (frame.type) {
      case 'task:progress':
        this.#progress(frame.event);
        break;
      case 'task:completed': {
        const { text, artifactRefs } = frame.result;
        // Sends the rest of the text, or all of it if the page has seen something else.
        if (!text.startsWith(this.#written)) this.#closeText();
        this.#say(text.slice(this.#written.length));
        for (const { title, type, ref } of artifactRefs)
          this.#write({
            type: 'file',
            mediaType: type,
            url: /^https?:/.test(ref) ? ref : `/api/${ref}`,
            providerMetadata: { viber: { title } },
          });
        this.#end();
        break;
      }
      case 'task:error':
        this.#write({ type: 'error', errorText: frame.error.message });
        this.#end();
        break;
      case 'task:state':
        if (frame.state !== 'stopped') break;
        this.#closeText();
        this.#write({ type: 'abort' });
        this.#end();
        break;
      case 'approval:asked': {
        const { approval, digest, question, options = [] } = frame;
        this.#closeText();
        this.#say(question);
        this.#write({ type: 'data-approval', id: approval, data: { approval, digest, question, options } });
        // A person decides, here or in a chat; the answer after that is another stream.
        this.#end();
        break;
      }
      default:
    }
  }

  #progress(event: ProgressEvent): void {
    // The model starts over and will repeat its text.
    if (event.type === 'state-change' && event.state === 'thinking') this.#closeText();
    if (event.type === 'text-delta') this.#say(event.content);
    if (event.type === 'tool-call') {
      this.#closeText();
      const { tool: toolName, args: input } = event;
      this.#write({ type: 'tool-input-available', toolCallId: callOf(event), toolName, input, dynamic: true });
    }
    if (event.type === 'tool-result')
      this.#write({ type: 'tool-output-available', toolCallId: callOf(event), output: event.result, dynamic: true });
  }

  #say(text: string): void {
    if (text === '') return;
    if (!this.#isOpen) {
      this.#text += 1;
      this.#isOpen = true;
      this.#write({ type: 'text-start', id: `text-${this.#text}` });
    }
    this.#written += text;
    this.#write({ type: 'text-delta', id: `text-${this.#text}`, delta: text });
  }

  /** Ends the text part; the next text starts a new one. */
  #closeText(): void {
    if (this.#isOpen) this.#write({ type: 'text-end', id: `text-${this.#text}` });
    this.#isOpen = false;
    this.#written = '';
  }

  #write(chunk: object): void {
    const { response } = this.#asked;
    if (!response.writableEnded) response.write(`data: ${JSON.stringify(chunk)}\n\n`);
  }

  #end(): void {
    const { response }: { response: http.ServerResponse } = this.#asked;
    if (response.writableEnded) return;
    this.#closeText();
    this.#write({ type: 'finish' });
    response.end('data: [DONE]\n\n');
  }
}

const callOf = (event: ProgressEvent): string =>
  'callId' in event && typeof event.callId === 'string' ? event.callId : event.type;
