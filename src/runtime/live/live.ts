/**
 * Live progress: what agents do, told to the conversations that follow a run. Best effort; answers never take this way, and
 * nothing internal does: words for tools, the visible part of a reply, the plan's progress, no more.
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
import type { Cache } from '../../lib/cache.ts';
import type { Logger } from '../../log.ts';
import type { ConversationSettings } from '../conversations/settings.ts';
import type { Buttons } from '../reply/buttons.ts';
import type { Bus } from './bus.ts';
import { createLivePace } from './pace.ts';
import { createLiveText, type LiveText } from './text.ts';
import { doing, statusLine } from './words.ts';

export interface LiveOptions {
  bus: Bus;
  channelOf: (address: Address) => Channel | undefined;
  settings: Pick<ConversationSettings, 'get'>;
  buttons: Pick<Buttons, 'offer'>;
  /** Remembers the status messages of runs that a crash may cut. */
  cache: Pick<Cache, 'get' | 'set' | 'delete'>;
  /** Whether answers to the chat wait, or must wait. */
  isBusy: (address: Address) => boolean;
  /** How far the plan of a task is. */
  progressOf: (taskId: string) => Promise<Progress | undefined>;
  log: Logger;
}

export interface Live {
  /**
   * Conversations that see this run's progress from now on. `isAgain`: an earlier process may have begun to show it there; then
   * what it showed has been found when this resolves.
   */
  follow(runId: string, addresses: readonly Address[], isAgain?: boolean): Promise<void>;
  /**
   * Ends progress of a run everywhere. In `answered` the status message may be replaced by the answer: gives its ids by
   * conversation key. Elsewhere it is taken away.
   */
  end(runId: string, answered: readonly Address[]): Promise<Map<string, string>>;
  /** What runs under the eyes of a conversation. */
  runsAt(address: Address): { taskId: string; agentId: string }[];
}

interface Progress {
  done: number;
  total: number;
}

interface Run {
  startedAt: number;
  /** Known with the first event. */
  taskId: string;
  agentId: string;
  /** Who works on it now: the agent itself, or one that it asked. */
  worker: string;
  words: string;
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
  /** Something is remembered of it. */
  isKept: boolean;
}

const DEFAULT_GAP_MS = 3000;
const KEPT_MS = 24 * 3_600_000;
const cacheKey = (runId: string, address: Address): string => `live.${runId}.${conversationKey(address)}`;

export function createLive(options: LiveOptions): Live {
  const { bus, channelOf, settings, log } = options;
  const runs = new Map<string, Run>();
  const pace = createLivePace({
    isBusy: options.isBusy,
    limitOf(address) {
      const { key, gapMs } = channelOf(address)?.livePace?.(address) ?? { key: address.chat, gapMs: DEFAULT_GAP_MS };
      return { key: `${address.channel} ${address.account} ${key}`, gapMs };
    },
  });

  function placeOf(run: Run, runId: string, address: Address): Place {
    let buttons: Promise<Button[][]> | undefined;
    const view: Place['view'] = {
      get mode() {
        return settings.get(address).live;
      },
      get state() {
        return run.state;
      },
      get words() {
        return run.words;
      },
      line: () => statusLine(run.words, run.lastProgress, Date.now() - run.startedAt),
      async turn() {
        if (run.isOver || !(await pace.turn(address, view))) return false;
        await readProgress(run);
        return !run.isOver;
      },
      limited: (ms) => pace.limited(address, ms),
      buttons() {
        buttons ??= offerStop(run, address);
        return buttons;
      },
      kept: undefined,
      keep(message) {
        if (run.isOver) return;
        place.isKept = true;
        void tolerate(options.cache.set(cacheKey(runId, address), message, KEPT_MS));
      },
    };
    const place: Place = { address, view, isKept: false };
    return place;
  }

  /** What the cache holds may be lost: then a status message stays behind. */
  async function tolerate<T>(done: Promise<T>): Promise<T | undefined> {
    try {
      return await done;
    } catch (error) {
      log.warn({ err: error }, 'the cache failed');
      return undefined;
    }
  }

  /** Goes on with what an earlier process showed, before there is news. */
  async function resume(run: Run, runId: string): Promise<void> {
    for (const place of run.views) {
      const { address, view } = place;
      view.kept = await tolerate(options.cache.get(cacheKey(runId, address)));
      if (view.kept === undefined) continue;
      place.isKept = true;
      const event = { type: 'state-change', state: run.state, agentId: '', taskId: '', runId } as const;
      if (!run.isOver) tell(channelOf(address), event, address, view);
    }
  }

  async function offerStop(run: Run, address: Address): Promise<Button[][]> {
    try {
      return await options.buttons.offer(address, [[{ label: 'Stop', command: 'stop', args: run.taskId }]]);
    } catch (error) {
      log.warn({ err: error }, 'a button to stop could not be offered');
      return [];
    }
  }

  /** Once, and again when the plan may have changed. */
  async function readProgress(run: Run): Promise<void> {
    run.progress ??= options.progressOf(run.taskId);
    try {
      run.lastProgress = await run.progress;
    } catch (error) {
      log.warn({ err: error, task: run.taskId }, 'the progress of a plan could not be read');
    }
  }

  /** The event as people may see it; undefined when nothing of it is left. */
  function visible(run: Run, event: AgentStreamEvent): AgentStreamEvent | undefined {
    if (event.type === 'text-delta') {
      const content = run.text.add(event.content);
      return content === '' ? undefined : { ...event, content };
    }
    // What was said before is not the answer.
    if (event.type === 'tool-call' || (event.type === 'state-change' && event.state === 'thinking'))
      run.text = createLiveText();
    if (event.type === 'tool-result') run.progress = undefined;
    if (event.type === 'state-change') run.state = event.state;
    const words = doing(event);
    if (words !== undefined) run.words = event.agentId === run.agentId ? words : `${event.agentId}: ${words}`;
    return event;
  }

  function tell(channel: Channel | undefined, event: AgentStreamEvent, address: Address, view: LiveView): void {
    channel?.stream?.(event, address, view).catch((error: unknown) => {
      log.warn({ err: error, channel: channel.id }, 'live progress failed');
    });
  }

  bus.subscribe((event) => {
    const run = runs.get(event.runId);
    if (!run) return;
    run.taskId = event.taskId;
    run.agentId ||= event.agentId;
    run.worker = event.agentId;
    const shown = visible(run, event);
    if (!shown) return;
    for (const { address, view } of run.views) tell(channelOf(address), shown, address, view);
  });

  return {
    async follow(runId, addresses, isAgain = false) {
      const run: Run = {
        ...{ startedAt: Date.now(), taskId: '', agentId: '', worker: '', words: 'thinking', state: 'thinking' },
        ...{ text: createLiveText(), progress: undefined, lastProgress: undefined, views: [], isOver: false },
      };
      const places = new Map(addresses.map((address) => [conversationKey(address), address]));
      for (const address of places.values()) run.views.push(placeOf(run, runId, address));
      runs.set(runId, run);
      if (isAgain) await resume(run, runId);
    },
    async end(runId, answered) {
      const placeholders = new Map<string, string>();
      const isAnswered = new Set(answered.map(conversationKey));
      const run = runs.get(runId);
      runs.delete(runId);
      if (run) run.isOver = true;
      await Promise.all(
        (run?.views ?? []).map(async ({ address, view, isKept }) => {
          const key = conversationKey(address);
          // The answer may become that message: from here on nobody may take it for a status.
          if (isKept) await tolerate(options.cache.delete(cacheKey(runId, address)));
          pace.leave(address, view);
          if (isAnswered.has(key)) pace.answered(address);
          const ended = channelOf(address)?.endStream?.(runId, address, isAnswered.has(key));
          // Nobody waits for a status message to disappear.
          const id = isAnswered.has(key) ? await ended : undefined;
          if (id !== undefined) placeholders.set(key, id);
        }),
      );
      return placeholders;
    },
    runsAt(address) {
      const key = conversationKey(address);
      return [...runs.values()]
        .filter((run) => run.taskId !== '' && run.views.some((view) => conversationKey(view.address) === key))
        .flatMap(({ taskId, agentId, worker }) =>
          [...new Set([agentId, worker])].map((id) => ({ taskId, agentId: id })),
        );
    },
  };
}
