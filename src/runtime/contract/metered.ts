/** Whose run it is that costs something. Types only. */

export interface MeteredRun {
  run: string;
  task: string;
  /** Who is charged: a principal as text. */
  person: string;
}
