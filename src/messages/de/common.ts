/** Wörter auf Knöpfen und in vielen Nachrichten. */
import { translate } from '../arguments.ts';
import * as english from '../en/common.ts';

export const common = translate(english.common)({
  yes: 'Ja',
  no: 'Nein',
  continue: 'Weiter',
  retry: 'Nochmal',
  wrong: 'Bei mir ist etwas schiefgegangen.',
  more: 'und {n, plural, one {eine weitere} other {# weitere}}',
  asItIs: '{text}',
  about: '{name}: {what}',
  largerThan: 'größer als {kb} KB',
  unreadable: 'nicht lesbar ({code})',
});

/** Wann etwas ist. */
export const times = translate(english.times)({
  today: 'heute um {time}',
  tomorrow: 'morgen ({day}) um {time}',
  yesterday: 'gestern um {time}',
  later: '{day}, {date} um {time}',
  daysAt: '{days} um {times}',
  both: '{before}; und {after}',
  everyDay: 'jeden Tag',
  everyWeekday: 'jeden Werktag',
  everyOn: 'jeden {days}',
  hours: '{n, plural, one {jede Stunde} other {alle # Stunden}}',
  minutes: '{n, plural, one {jede Minute} other {alle # Minuten}}',
  between: '{rhythm} von {from} bis {to}',
  rhythmOn: '{rhythm}, {days}',
  days: '{n, plural, one {jeden Tag} other {alle # Tage}}',
  weeks: '{n, plural, one {jede Woche} other {alle # Wochen}} am {day} um {times}',
  once: 'einmal, am {date} um {time}',
  moment: '{date} um {time}',
  countedFrom: '{rhythm}, gezählt ab {date}',
  evenly: '{rhythm} in gleichem Abstand',
  past: '{rhythm} um {minutes}',
  startingAt: '{rhythm} ab {from}',
  eachMonth: 'am {days} jedes Monats um {times}',
  ofMonths: 'am {days} im {months} um {times}',
  yearly: 'jedes Jahr am {days} {months} um {times}',
  rareMonths: 'am {days} jedes Monats um {times} (in Monaten, die ihn haben)',
  nthDay: '{n, number}.',
  nthNamed:
    '{nth, select, first {ersten} second {zweiten} third {dritten} fourth {vierten} fifth {fünften} other {letzten}} {day}',
  nthWeekday:
    '{nth, select, first {ersten} second {zweiten} third {dritten} fourth {vierten} fifth {fünften} other {letzten}} Werktag',
  nthOfAll:
    '{nth, select, first {ersten} second {zweiten} third {dritten} fourth {vierten} fifth {fünften} other {letzten}} Tag',
  monthly: 'am {n, number}. jedes Monats um {times}',
});
