/**
 * Returns the machine's language from LANG and related variables: `de_AT` of `de_AT.UTF-8`; undefined for the machine's
 * own `C` and `POSIX`.
 */
export function machineLanguage({ LC_ALL, LC_MESSAGES, LANG }: NodeJS.ProcessEnv): string | undefined {
  return /^[a-z]{2,3}(?:_[A-Z]{2})?(?=$|[.@])/.exec(LC_ALL || LC_MESSAGES || LANG || '')?.[0];
}
