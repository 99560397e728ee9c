/**
 * The one rule for a job that has nothing to report (docs/jobs.md): its answer is the word HEALTHY, or ends with it as
 * a separate sentence or line, in any case and with any marks and signs around it. Text after the word is a report.
 */

const WORD = /^[^\p{L}\p{N}]*healthy[^\p{L}\p{N}?]*$/iu;
/** Labels that may introduce the word if nothing else is said: `Status: HEALTHY.` */
const LABELLED =
  /^[^\p{L}\p{N}]*(?:(?:overall|final|current|system|job) )?(?:status|state|result|health|verdict|conclusion|answer|gesamtstatus|zustand|stand|ergebnis|fazit|antwort)[^\p{L}\p{N}]+healthy[^\p{L}\p{N}?]*$/iu;

/** Negations. Before the word on its own line they make it part of a broken sentence, or contradict it. */
const DENIED =
  /(?<!\p{L})(?:not|never|hardly|no longer|(?:is|are|was|were)n['’]t|nicht|nie|kaum|keineswegs)[^\p{L}\p{N}]*$/iu;

export function saysHealthy(answer: string): boolean {
  const sentences = answer.split(/(?<=[.!?…。！？]["'”’»)*_~`]*)\s+|\n+/).filter((each) => /[\p{L}\p{N}]/u.test(each));
  const isSaid = WORD.test(sentences.at(-1) ?? '') && !DENIED.test(sentences.at(-2) ?? '');
  return isSaid || LABELLED.test(answer);
}
