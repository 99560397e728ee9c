/**
 * The one rule for a job that has nothing to report (docs/jobs.md): its answer is the word HEALTHY, or ends with it in a sentence or a
 * line of its own; in any case, whatever marks and signs stand around it. What comes after the word is a report.
 */

const WORD = /^[^\p{L}\p{N}]*healthy[^\p{L}\p{N}?]*$/iu;
/** What may introduce the word where nothing else is said: `Status: HEALTHY.` */
const LABELLED =
  /^[^\p{L}\p{N}]*(?:(?:overall|final|current|system|job) )?(?:status|state|result|health|verdict|conclusion|answer|gesamtstatus|zustand|stand|ergebnis|fazit|antwort)[^\p{L}\p{N}]+healthy[^\p{L}\p{N}?]*$/iu;

/** Before the word on a line of its own it is a sentence that was broken, or one that contradicts it. */
const DENIED =
  /(?<!\p{L})(?:not|never|hardly|no longer|(?:is|are|was|were)n['’]t|nicht|nie|kaum|keineswegs)[^\p{L}\p{N}]*$/iu;

export function saysHealthy(answer: string): boolean {
  const sentences = answer.split(/(?<=[.!?…。！？]["'”’»)*_~`]*)\s+|\n+/).filter((each) => /[\p{L}\p{N}]/u.test(each));
  const isSaid = WORD.test(sentences.at(-1) ?? '') && !DENIED.test(sentences.at(-2) ?? '');
  return isSaid || LABELLED.test(answer);
}
