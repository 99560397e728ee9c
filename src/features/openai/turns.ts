/** Keeps the requests that wait for an outcome, and passes them the events of their tasks. */
import type { ProtocolParts } from '../../board/protocol/parts.ts';
import { messagesIn } from '../../messages/messages.ts';
import { openTask } from '../../workspace/tasks/index.ts';
import type { ChatCall } from './call.ts';
import { writeEnd } from './end-text.ts';
import { keysOfAnswer } from './history.ts';
import { outcomeIn } from './outcome.ts';
import type { AcceptedRequest, EndState, Records } from './records.ts';
import { type End, type EndText, Turn } from './turn.ts';

interface OpenTurn {
  turn: Turn;
  call: ChatCall;
  /** The request's state, which may be newer than its record. */
  accepted: AcceptedRequest;
  /** Resolves when its record is written. */
  written: Promise<void>;
}

/** How much of the session is read; a message further back belongs to a run that is known by then. */
const TAIL = { maxBytes: 512 * 1024 };

export class Turns {
  readonly #parts: ProtocolParts;
  readonly #records: Records;
  readonly #open = new Map<string, OpenTurn>();
  #unsubscribe: (() => void) | undefined;

  constructor(parts: ProtocolParts, records: Records) {
    this.#parts = parts;
    this.#records = records;
  }

  of(key: string): Readonly<OpenTurn> | undefined {
    return this.#open.get(key);
  }

  open(call: ChatCall, accepted: AcceptedRequest): Turn {
    const parts = this.#parts;
    const { taskId, message } = accepted;
    const messages = messagesIn(call.caller.language);
    const task = openTask(parts.home, taskId);
    const turn: Turn = new Turn(
      {
        outcome: (run) => outcomeIn(task.session.tail(TAIL), { message, run }),
        question: (run) => parts.approvals.all().find((request) => request.taskId === taskId && request.run === run),
        write: (end) => writeEnd(end, call.origin, messages),
        onEnd: (ending, forms) => this.#record(one, ending, forms),
        onAbandoned: () => this.#abandon(one),
        onOver: () => this.#forget(one),
      },
      accepted.run,
    );
    const { end: _end, ...fresh } = accepted;
    const one: OpenTurn = { turn, call, accepted: fresh, written: Promise.resolve() };
    this.#open.set(call.key, one);
    this.#attend();
    for (const event of parts.soFar(taskId)) turn.progress(event);
    turn.look();
    return turn;
  }

  /** Returns whether a request of this task has no outcome yet and no program waits for one. */
  isAbandoned(taskId: string): boolean {
    const waiting = this.#ofTask(taskId).filter(({ turn }) => !turn.isOver);
    return waiting.length > 0 && waiting.every(({ turn }) => !turn.isHeard);
  }

  /** Records that the program received the whole outcome. */
  heard(key: string, end: End): void {
    const one = this.#open.get(key);
    if (one) this.#note(one, endState(end));
  }

  #ofTask(taskId: string): OpenTurn[] {
    return [...this.#open.values()].filter(({ accepted }) => accepted.taskId === taskId);
  }

  #attend(): void {
    if (this.#open.size > 0) this.#unsubscribe ??= this.#subscribe();
    else {
      this.#unsubscribe?.();
      this.#unsubscribe = undefined;
    }
  }

  #subscribe(): () => void {
    const ends = [
      this.#parts.onProgress((event) => {
        for (const { turn } of this.#ofTask(event.taskId)) turn.progress(event);
      }),
      this.#parts.onNews((news) => {
        const taskId = taskIn(news);
        if (taskId !== undefined) for (const { turn } of this.#ofTask(taskId)) turn.hear(news);
      }),
    ];
    return () => {
      for (const end of ends) end();
    };
  }

  /** Drops a request once its outcome is recorded, unless a program has returned by then. */
  #forget(one: OpenTurn): void {
    const { key } = one.call;
    void one.written.finally(() => {
      if (this.#open.get(key) !== one || !one.turn.isOver || one.turn.isHeard) return;
      this.#open.delete(key);
      this.#attend();
    });
  }

  #note(one: OpenTurn, end?: EndState): void {
    one.accepted = { ...one.accepted, endedAt: Date.now(), ...(end && { end }) };
    const { accepted } = one;
    one.written = one.written
      .then(() => this.#records.setAccepted(one.call.key, accepted))
      .catch((error: unknown) => this.#parts.onError(error));
  }

  /** Records that the conversation ends with this answer, in each form that a program may keep. */
  async #record(one: OpenTurn, { end }: EndText, forms: readonly string[]): Promise<void> {
    const { taskId, turn } = one.accepted;
    const { scope, words } = one.call;
    this.#note(one);
    try {
      if (end.kind === 'asked' && (await this.#records.turnOf(taskId))?.turn === turn) {
        const { id: approval, digest } = end.request;
        await this.#records.setTurn(taskId, { turn, asked: { approval, digest } });
      }
      await this.#records.setPlaces(keysOfAnswer(scope, [...words.before, words.newest], forms), taskId, turn);
    } catch (error) {
      this.#parts.onError(error);
    }
  }

  /** Stops a run that nobody waits for, unless somebody waits for another request of its task. */
  #abandon(one: OpenTurn): void {
    const { caller } = one.call;
    const { taskId } = one.accepted;
    if (caller.ended.aborted || this.#ofTask(taskId).some(({ turn }) => turn.isHeard)) return;
    this.#note(one, 'stopped');
    this.#parts.stopping.task(taskId, caller).catch((error: unknown) => this.#parts.onError(error));
  }
}

function endState(end: End): EndState {
  const state = end.kind === 'result' ? end.result.state : end.kind === 'gone' ? end.state : 'completed';
  return state === 'completed' ? 'answered' : state === 'error' ? 'failed' : 'stopped';
}

type NewsOfParts = Parameters<Parameters<ProtocolParts['onNews']>[0]>[0];

function taskIn(news: NewsOfParts): string | undefined {
  if (news.type === 'run:ended') return news.end.taskId;
  if (news.type === 'approval:asked' || news.type === 'approval:decided') return news.request.taskId;
  return news.type === 'task:started' || news.type === 'task:state' ? news.taskId : undefined;
}
