/** The language of a session that names none: it is answered in English. */
export const NO_LANGUAGE = 'C';

/** Returns the language of a session from LANG and related variables: `de_AT` of `de_AT.UTF-8`, else `NO_LANGUAGE`. */
export function machineLanguage({ LC_ALL, LC_MESSAGES, LANG }: NodeJS.ProcessEnv): string {
  return /^[a-z]{2,3}(?:_[A-Z]{2})?(?=$|[.@])/.exec(LC_ALL || LC_MESSAGES || LANG || '')?.[0] ?? NO_LANGUAGE;
}
