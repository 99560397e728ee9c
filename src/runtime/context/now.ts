/** What time it is for the person, as each turn tells the model: at the end of their words, behind all that a provider may cache. */

/** `Now: Monday, 2026-01-12 10:00, Europe/Berlin` */
export function nowText(now: Date, timezone: string, isKnown: boolean): string {
  const format = new Intl.DateTimeFormat('sv-SE', {
    ...{ year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit', timeZone: timezone },
  });
  const weekday = new Intl.DateTimeFormat('en-GB', { weekday: 'long', timeZone: timezone }).format(now);
  const guess = isKnown ? '' : ' (a guess: where a time matters, ask them once where they are, then set_timezone)';
  return `Now: ${weekday}, ${format.format(now)}, ${timezone}${guess}`;
}
