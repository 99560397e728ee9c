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

/** Signs that contradict the word they stand beside: a cross, a warning, a red light, a strike through it. */
const CONTRARY = /[❌❎✖✗✘☒🚫⛔⚠🔴🟠🟡🟥🟧🟨👎🚨🔥💀≠¬]|!=|(?<!~)~~(?!~)/u;
/** Names of signs, `:white_check_mark:`; those of contrary ones become one. */
const SIGN_NAME = /:([a-z][a-z0-9_+-]*):/g;
const CONTRARY_NAME =
  /^(?:x|negative_squared_cross_mark|heavy_multiplication_x|no_entry|no_entry_sign|warning|thumbsdown|-1|rotating_light|fire|(?:red|yellow|orange|large_(?:red|yellow|orange))_(?:circle|square)|red_circle)$/;
const TAG = /<\/?(?:b|i|u|em|strong|code|pre|p|span|div|br|h[1-6])\b[^<>]*>/gi;
const STRUCK = /<\/?(?:s|del|strike)\b[^<>]*>/gi;

const inSigns = (answer: string): string =>
  answer
    .replace(TAG, '')
    .replace(STRUCK, '~~')
    .replace(SIGN_NAME, (_, name: string) => (CONTRARY_NAME.test(name) ? '❌' : ''));

export function saysHealthy(text: string): boolean {
  const answer = inSigns(text);
  const sentences = answer.split(/(?<=[.!?…。！？]["'”’»)*_~`]*)\s+|\n+/).filter((each) => /[\p{L}\p{N}]/u.test(each));
  const last = sentences.at(-1) ?? '';
  // A sign may stand behind the full stop or on its own line.
  const beside = answer.slice(answer.lastIndexOf(last));
  if (CONTRARY.test(beside)) return false;
  const isSaid = WORD.test(last) && !DENIED.test(sentences.at(-2) ?? '');
  return isSaid || LABELLED.test(answer);
}
