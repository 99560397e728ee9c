/** In which language a machine speaks, as its variables say it. */

/** The tag in LANG and its like: `de_AT` of `de_AT.UTF-8`; none for the machine's own `C` and `POSIX`. */
export function machineLanguage({ LC_ALL, LC_MESSAGES, LANG }: NodeJS.ProcessEnv): string | undefined {
  return /^[a-z]{2,3}(?:_[A-Z]{2})?(?=$|[.@])/.exec(LC_ALL || LC_MESSAGES || LANG || '')?.[0];
}
