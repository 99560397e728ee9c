/**
 * Reports each run's activity as one line whenever it changes, for channels that draw it themselves. Best effort:
 * nothing here throws, and nothing is reported of a run that has ended.
 */
import type { LiveView } from '../channel.ts';

const EVERY_MS = 1_000;

interface Run {
  view: LiveView;
  line: string;
  isAsking: boolean;
  timer: NodeJS.Timeout;
}

export class RunLines {
  readonly #report: (runId: string, line: string) => void;
  readonly #runs = new Map<string, Run>();

  constructor(report: (runId: string, line: string) => void) {
    this.#report = report;
  }

  /** Notes that something happened in the run. */
  follow(runId: string, view: LiveView): void {
    const run = this.#runs.get(runId) ?? {
      view,
      line: '',
      isAsking: false,
      timer: setInterval(() => void this.#refresh(runId), EVERY_MS).unref(),
    };
    // Keeps the same object, because a refresh that waits for its turn must find it when it resumes.
    run.view = view;
    this.#runs.set(runId, run);
    void this.#refresh(runId);
  }

  end(runId: string): void {
    clearInterval(this.#runs.get(runId)?.timer);
    this.#runs.delete(runId);
  }

  close(): void {
    for (const runId of [...this.#runs.keys()]) this.end(runId);
  }

  async #refresh(runId: string): Promise<void> {
    const run = this.#runs.get(runId);
    if (!run || run.isAsking) return;
    run.isAsking = true;
    const isTurn = await run.view.turn();
    run.isAsking = false;
    const line = isTurn && this.#runs.has(runId) ? run.view.line() : run.line;
    if (line === run.line) return;
    run.line = line;
    this.#report(runId, line);
  }
}
