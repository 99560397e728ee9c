/**
 * Shows live progress of agents in the conversations that follow a run. Best effort; answers never go through here, and
 * neither does anything internal: only descriptions of tools, the visible part of a reply and the plan's progress.
 */
import {
  type Address,
  type AgentState,
  type AgentStreamEvent,
  type Button,
  type Channel,
  conversationKey,
  type LiveView,
} from '../../channels/channel.ts';
import type { State } from '../../engine/engine.ts';
import type { Logger } from '../../log.ts';
import { type Messages, say, type Wording } from '../../messages/messages.ts';
import type { ConversationSetting } from '../conversations/conversations.ts';
import type { Buttons } from '../reply/buttons.ts';
import type { Bus } from './bus.ts';
import { createLivePace, type LivePace } from './pace.ts';
import { createLiveText, type LiveText } from './text.ts';
import { doing, type Progress, statusLine } from './words.ts';

export interface LiveOptions {
  bus: Bus;
  channelOf: (address: Address) => Channel | undefined;
  settings: { get(address: Address): ConversationSetting };
  buttons: Pick<Buttons, 'offer'>;
  /** Stores the status messages of runs that a crash may interrupt. */
  cache: Pick<State, 'get' | 'set' | 'delete'>;
  /** Whether answers to the chat are pending, or must wait. */
  isBusy: (address: Address) => boolean;
  /** Returns a plan's progress and the step in progress. */
  progressOf: (taskId: string) => Promise<Progress | undefined>;
  messagesAt: (address: Address) => Messages;
  log: Logger;
}

export type Live = Pick<LiveProgress, keyof LiveProgress>;

interface Run {
  startedAt: number;
  /** Empty until the first event. */
  taskId: string;
  agentId: string;
  /** The agent that is working now: the run's own, or one that it asked. */
  worker: string;
  words: Wording;
  state: AgentState;
  text: LiveText;
  progress: Promise<Progress | undefined> | undefined;
  lastProgress: Progress | undefined;
  views: Place[];
  isOver: boolean;
}

interface Place {
  address: Address;
  view: LiveView & { kept: string | undefined };
  /** The cache holds a status message of this place. */
  isKept: boolean;
}

const DEFAULT_GAP_MS = 3000;
const KEPT_MS = 24 * 3_600_000;
const cacheKey = (runId: string, address: Address): string => `live.${runId}.${conversationKey(address)}`;

export class LiveProgress {
  readonly #options: LiveOptions;
  readonly #runs = new Map<string, Run>();
  readonly #pace: LivePace;

  constructor(options: LiveOptions) {
    this.#options = options;
    this.#pace = createLivePace({
      isBusy: options.isBusy,
      limitOf: (address) => {
        const { key, gapMs } = options.channelOf(address)?.livePace?.(address) ?? {
          key: address.chat,
          gapMs: DEFAULT_GAP_MS,
        };
        return { key: `${address.channel} ${address.account} ${key}`, gapMs };
      },
    });
    options.bus.subscribe((event) => {
      const run = this.#runs.get(event.runId);
      if (!run) return;
      run.taskId = event.taskId;
      run.agentId ||= event.agentId;
      run.worker = event.agentId;
      const shown = this.#visible(run, event);
      if (!shown) return;
      for (const { address, view } of run.views) this.#tell(shown, address, view);
    });
  }

  /**
   * Shows a run's progress in these conversations from now on. `isAgain`: an earlier process may have begun to show it
   * there; its messages have been found when this resolves. `answered` maps conversation keys to the platform's ID of
   * the message that the run answers.
   */
  async follow(
    runId: string,
    addresses: readonly Address[],
    isAgain = false,
    answered: ReadonlyMap<string, string> = new Map(),
  ): Promise<void> {
    const run: Run = {
      startedAt: Date.now(),
      taskId: '',
      agentId: '',
      worker: '',
      words: say('live.thinking'),
      state: 'thinking',
      text: createLiveText(),
      progress: undefined,
      lastProgress: undefined,
      views: [],
      isOver: false,
    };
    const places = new Map(addresses.map((address) => [conversationKey(address), address]));
    for (const [key, address] of places) run.views.push(this.#placeOf(run, runId, address, answered.get(key)));
    this.#runs.set(runId, run);
    if (isAgain) await this.#resume(run, runId);
  }

  /** Stops showing a run, and leaves its status messages as they are. */
  forget(runId: string): void {
    const run = this.#runs.get(runId);
    this.#runs.delete(runId);
    if (run) run.isOver = true;
    for (const { address, view } of run?.views ?? []) this.#pace.leave(address, view);
  }

  /**
   * Stops showing a run everywhere. In `answered` conversations the answer may replace the status message: returns
   * these messages' IDs by conversation key. Elsewhere the status message is removed.
   */
  async end(runId: string, answered: readonly Address[]): Promise<Map<string, string>> {
    const placeholders = new Map<string, string>();
    const isAnswered = new Set(answered.map(conversationKey));
    const run = this.#runs.get(runId);
    this.#runs.delete(runId);
    if (run) run.isOver = true;
    await Promise.all(
      (run?.views ?? []).map(async ({ address, view, isKept }) => {
        const key = conversationKey(address);
        // The answer may replace that message, so from here on nothing may treat it as a status.
        if (isKept) await this.#tolerate(this.#options.cache.delete(cacheKey(runId, address)));
        this.#pace.leave(address, view);
        if (isAnswered.has(key)) this.#pace.answered(address);
        const ended = this.#options.channelOf(address)?.endStream?.(runId, address, isAnswered.has(key));
        // Don't wait for a status message to disappear.
        const id = isAnswered.has(key) ? await ended : undefined;
        if (id !== undefined) placeholders.set(key, id);
      }),
    );
    return placeholders;
  }

  /** Returns the agents that are working, by task; with an address only those whose progress is shown there. */
  runs(address?: Address): { taskId: string; agentId: string }[] {
    const key = address && conversationKey(address);
    return [...this.#runs.values()]
      .filter(({ taskId }) => taskId !== '')
      .filter(({ views }) => key === undefined || views.some((view) => conversationKey(view.address) === key))
      .flatMap(({ taskId, agentId, worker }) => [...new Set([agentId, worker])].map((id) => ({ taskId, agentId: id })));
  }

  #placeOf(run: Run, runId: string, address: Address, answers: string | undefined): Place {
    const { settings, cache, messagesAt } = this.#options;
    let buttons: Promise<Button[][]> | undefined;
    const view: Place['view'] = {
      answers,
      get mode() {
        return settings.get(address).live;
      },
      get state() {
        return run.state;
      },
      get words() {
        return messagesAt(address).said(run.words);
      },
      line: () => statusLine(run.words, run.lastProgress, Date.now() - run.startedAt, messagesAt(address)),
      turn: async () => {
        if (run.isOver || !(await this.#pace.turn(address, view))) return false;
        await this.#readProgress(run);
        return !run.isOver;
      },
      limited: (ms) => this.#pace.limited(address, ms),
      buttons: () => {
        buttons ??= this.#offerStop(run, address);
        return buttons;
      },
      kept: undefined,
      keep: (message) => {
        if (run.isOver) return;
        place.isKept = true;
        void this.#tolerate(cache.set(cacheKey(runId, address), message, KEPT_MS));
      },
    };
    const place: Place = { address, view, isKept: false };
    return place;
  }

  /** Ignores a failing cache: the only effect is that a status message stays behind. */
  async #tolerate<T>(done: Promise<T>): Promise<T | undefined> {
    try {
      return await done;
    } catch (error) {
      this.#options.log.warn({ err: error }, 'the cache failed');
      return undefined;
    }
  }

  /** Continues what an earlier process showed, before there is news. */
  async #resume(run: Run, runId: string): Promise<void> {
    for (const place of run.views) {
      const { address, view } = place;
      view.kept = await this.#tolerate(this.#options.cache.get(cacheKey(runId, address)));
      if (view.kept === undefined) continue;
      place.isKept = true;
      const event = { type: 'state-change', state: run.state, agentId: '', taskId: '', runId } as const;
      if (!run.isOver) this.#tell(event, address, view);
    }
  }

  async #offerStop(run: Run, address: Address): Promise<Button[][]> {
    try {
      return await this.#options.buttons.offer(address, [
        [{ label: this.#options.messagesAt(address).text('live.stop'), command: 'stop', args: run.taskId }],
      ]);
    } catch (error) {
      this.#options.log.warn({ err: error }, 'a button to stop could not be offered');
      return [];
    }
  }

  /** Reads the progress once, and again when the plan may have changed. */
  async #readProgress(run: Run): Promise<void> {
    run.progress ??= this.#options.progressOf(run.taskId);
    try {
      run.lastProgress = await run.progress;
    } catch (error) {
      this.#options.log.warn({ err: error, task: run.taskId }, 'the progress of a plan could not be read');
    }
  }

  /** Returns the part of an event that people may see; undefined if there is none. */
  #visible(run: Run, event: AgentStreamEvent): AgentStreamEvent | undefined {
    if (event.type === 'text-delta') {
      const content = run.text.add(event.content);
      return content === '' ? undefined : { ...event, content };
    }
    // Text before a tool call or new thinking isn't the answer.
    if (event.type === 'tool-call' || (event.type === 'state-change' && event.state === 'thinking'))
      run.text = createLiveText();
    if (event.type === 'tool-result') run.progress = undefined;
    if (event.type === 'state-change') run.state = event.state;
    const words = doing(event);
    if (words !== undefined)
      run.words = event.agentId === run.agentId ? words : say('live.of', { agent: event.agentId, doing: words });
    return event;
  }

  #tell(event: AgentStreamEvent, address: Address, view: LiveView): void {
    const channel = this.#options.channelOf(address);
    channel?.stream?.(event, address, view).catch((error: unknown) => {
      this.#options.log.warn({ err: error, channel: channel.id }, 'live progress failed');
    });
  }
}
