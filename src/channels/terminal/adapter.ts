/** Connects the terminal: one conversation with the person at the machine, typed or through a pipe. */
import { createHash } from 'node:crypto';
import { systemTimezone } from '../../lib/timezone.ts';
import { messagesIn } from '../../messages/messages.ts';
import type {
  Address,
  AgentStreamEvent,
  Channel,
  ChannelCallbacks,
  ChannelStatus,
  CommandSpec,
  InboundMessage,
  LiveView,
  OutboundMessage,
  PartLedger,
  PendingQuestion,
  Sender,
} from '../channel.ts';
import { RunLines } from '../shared/run-lines.ts';
import { saidHere } from '../shared/written-command.ts';
import { createFace, isInteractive } from './face.ts';
import type { Input } from './keyboard.ts';
import type { Environment } from './look.ts';
import type { Output } from './screen.ts';
import type { Door, Face } from './seam.ts';
import { Talk } from './talk.ts';

export interface TerminalOptions {
  input: Input;
  output: Output;
  env: Environment;
  user: string;
  language?: string | undefined;
  commands: readonly CommandSpec[];
  /** The home folder: its files are offered, and the typed history is kept in it. */
  home: string;
  nameAt?: ((address: Address, user: string) => Promise<string>) | undefined;
  /** Resolves when everything said there is answered. */
  settled: (address: Address) => Promise<void>;
  /** Returns the questions that were asked there before the call and have no answer yet. */
  pending: (address: Address) => Promise<PendingQuestion[]>;
  /**
   * Called when the person leaves, or when piped input has ended and everything was answered; never if there was no
   * input.
   */
  onEnd: () => void;
  /** Redirects the log, whose lines would corrupt the drawing, to the given function. */
  onLogPlace?: (show: ((line: string) => void) | undefined) => void;
}

const ADDRESS: Address = { channel: 'terminal', account: 'local', chat: 'local' };

export class Terminal implements Channel {
  readonly id = 'terminal';
  readonly account = 'local';
  readonly limits = { text: Number.MAX_SAFE_INTEGER, uploadBytes: Number.MAX_SAFE_INTEGER, downloadBytes: 0 };
  readonly #options: TerminalOptions;
  readonly #lines = new RunLines((runId, line) => this.#talk?.works(runId, line));
  #status: ChannelStatus = { state: 'off' };
  #face: Face | undefined;
  #talk: Talk | undefined;
  /** The run for which the viber's name was last looked up. */
  #named: string | undefined;

  constructor(options: TerminalOptions) {
    this.#options = options;
  }

  status(): ChannelStatus {
    return this.#status;
  }

  async connect(callbacks: ChannelCallbacks): Promise<void> {
    this.#status = { state: 'connected' };
    callbacks.onStatus();
    const { language, onEnd, home, commands, input, output, env, pending } = this.#options;
    const settled = () => this.#options.settled(ADDRESS);
    const door = this.#doorTo(callbacks);
    const messages = messagesIn(language);
    this.#face = createFace({ input, output, env, messages, home, commands, suggest: door.suggest, settled });
    this.#talk = new Talk({ door, face: this.#face, messages, onLeave: onEnd });
    const asked = isInteractive({ input, output }) ? pending(ADDRESS) : [];
    await this.#name();
    this.#face.open(this.#talk);
    await this.#talk.remind(await asked);
    const { live } = this.#face;
    if (live) this.#options.onLogPlace?.((line) => live.log(line));
  }

  async disconnect(): Promise<void> {
    this.#lines.close();
    await this.#face?.close();
    this.#options.onLogPlace?.(undefined);
    this.#status = { state: 'off' };
  }

  async send(message: OutboundMessage, ledger: PartLedger): Promise<void> {
    await ledger.part(0, async () => {
      const messageId = createHash('sha256').update(message.id).digest('hex').slice(0, 12);
      await this.#name();
      await this.#talk?.answer({ ...message, messageId, edits: message.edits?.messageId });
      if (message.buttons && !message.edits) ledger.hasButtons?.(messageId);
      return messageId;
    });
  }

  async stream(event: AgentStreamEvent, _address: Address, view: LiveView): Promise<void> {
    if (view.mode === 'off') return;
    if (this.#named !== event.runId) {
      this.#named = event.runId;
      await this.#name();
    }
    if (event.type === 'text-delta' && view.mode !== 'status') this.#talk?.wrote(event.runId, event.content);
    if (event.type === 'tool-call') this.#talk?.steps(event.runId);
    if (event.type === 'state-change' && event.state === 'thinking') this.#talk?.again(event.runId);
    this.#lines.follow(event.runId, view);
  }

  /** Nothing else draws here, so the pace is as fast as is useful. */
  livePace(): { key: string; gapMs: number } {
    return { key: ADDRESS.chat, gapMs: 200 };
  }

  async endStream(runId: string, _address: Address, isAnswered: boolean): Promise<undefined> {
    this.#lines.end(runId);
    this.#talk?.over(runId, isAnswered);
  }

  async #name(): Promise<void> {
    const { nameAt, user } = this.#options;
    if (nameAt) this.#talk?.named(await nameAt(ADDRESS, user));
  }

  #doorTo(callbacks: ChannelCallbacks): Door {
    const take = async (message: InboundMessage, raw: unknown) => void (await callbacks.onMessage(message, raw));
    return {
      say: (text) => take(saidHere(ADDRESS, this.#sender(), text), { line: text }),
      press: (id) => take({ ...saidHere(ADDRESS, this.#sender(), ''), kind: 'button', button: { id } }, { button: id }),
      suggest: (command, text) =>
        callbacks.onSuggest({ address: ADDRESS, sender: this.#sender(), isDirect: true, command, text }),
    };
  }

  #sender(): Sender {
    const { user, language } = this.#options;
    const spoken = language === undefined ? {} : { language };
    return { user, name: user, isBot: false, ...spoken, timezone: systemTimezone() };
  }
}
