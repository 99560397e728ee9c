/**
 * The terminal: one conversation with whoever sits at the machine. Reads lines from standard input (typed or piped),
 * prints answers, progress and the paths of files. When piped input ends, it waits for the last answer and says so.
 */
import { createHash, randomUUID } from 'node:crypto';
import readline from 'node:readline';
import { systemTimezone } from '../../lib/timezone.ts';
import type {
  Address,
  AgentStreamEvent,
  Channel,
  ChannelCallbacks,
  ChannelStatus,
  InboundMessage,
  OutboundMessage,
} from '../channel.ts';
import { renderTerminal, toolLine } from './render.ts';

export interface TerminalOptions {
  input: NodeJS.ReadableStream & { isTTY?: boolean };
  output: NodeJS.WritableStream & { isTTY?: boolean };
  user: string;
  /** Language tag of the machine. */
  language?: string | undefined;
  /** Piped input has ended and everything was answered. Not called when there was no input at all. */
  onEnd: () => void;
}

export function createTerminal(options: TerminalOptions): Channel {
  const { input, output } = options;
  const interactive = input.isTTY === true && output.isTTY === true;
  const address: Address = { channel: 'terminal', account: 'local', chat: 'local' };
  let status: ChannelStatus = { state: 'off' };
  let lines: readline.Interface | undefined;
  let buttons: { label: string; id: string }[] = [];
  let lastTool = '';
  /** Piped lines wait for the answer to the one before, as a person would. */
  const waiting: string[] = [];
  let awaiting = false;
  let asked = false;
  let ended = false;
  let give: (text: string) => void = () => undefined;

  const prompt = () => {
    if (interactive && lines && !ended) lines.prompt(true);
  };

  function print(text: string): void {
    if (interactive) {
      readline.clearLine(output, 0);
      readline.cursorTo(output, 0);
    }
    output.write(`${text}\n`);
    prompt();
  }

  function messageOf(line: string): InboundMessage {
    const id = randomUUID();
    const base = {
      ...{ id, messageId: id, kind: 'message' as const, address, files: [], facts: [], quotes: [] },
      ...{
        sender: {
          ...{ user: options.user, name: options.user, isBot: false },
          ...(options.language !== undefined && { language: options.language }),
          timezone: systemTimezone(),
        },
        isDirect: true,
        isMention: true,
        sentAt: Date.now(),
      },
    };
    const pressed = /^!(\d+)$/.exec(line);
    const button = pressed && buttons[Number(pressed[1]) - 1];
    if (button) return { ...base, kind: 'button', text: '', button: { id: button.id } };
    const command = /^\/([a-z]\w*)(?:\s+([\s\S]*))?$/i.exec(line);
    if (!command) return { ...base, text: line };
    return {
      ...base,
      kind: 'command',
      text: line,
      command: { name: (command[1] ?? '').toLowerCase(), args: command[2] ?? '' },
    };
  }

  /** The answer to the line in hand has come: the next one, or the end. */
  function next(): void {
    awaiting = false;
    const text = waiting.shift();
    if (text !== undefined) give(text);
    else if (ended && asked && !interactive) options.onEnd();
  }

  return {
    id: 'terminal',
    account: 'local',
    limits: { text: Number.MAX_SAFE_INTEGER, uploadBytes: Number.MAX_SAFE_INTEGER, downloadBytes: 0 },
    status: () => status,
    async connect(callbacks: ChannelCallbacks) {
      status = { state: 'connected' };
      callbacks.onStatus();
      lines = readline.createInterface({
        input,
        output: interactive ? output : undefined,
        prompt: 'you> ',
        terminal: interactive,
      });
      if (interactive) print('Your viber listens. /help shows what it can do, Ctrl-D ends.');
      give = (text) => {
        asked = true;
        awaiting = true;
        callbacks.onMessage(messageOf(text), { line: text }).catch((error: unknown) => {
          print(`This was not taken in: ${error instanceof Error ? error.message : String(error)}`);
          next();
        });
      };
      lines.on('line', (line) => {
        const text = line.trim();
        if (text === '') return prompt();
        if (awaiting && !interactive) waiting.push(text);
        else give(text);
      });
      lines.on('SIGINT', () => process.kill(process.pid, 'SIGINT'));
      lines.on('close', () => {
        ended = true;
        if (interactive) options.onEnd();
        else if (!awaiting) next();
      });
    },
    async disconnect() {
      lines?.close();
      status = { state: 'off' };
    },
    async send(message: OutboundMessage, ledger) {
      await ledger.part(0, async () => {
        const rendered = renderTerminal(message);
        buttons = rendered.buttons.length > 0 ? rendered.buttons : buttons;
        print(rendered.text);
        return createHash('sha256').update(message.id).digest('hex').slice(0, 12);
      });
      next();
    },
    async stream(event: AgentStreamEvent, _address, view) {
      if (event.type !== 'tool-call' || view.mode === 'off') return;
      const line = toolLine(event.tool, event.args);
      if (line !== lastTool) print(line);
      lastTool = line;
    },
  };
}
