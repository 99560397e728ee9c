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
  monthly: 'am {n, number}. jedes Monats um {times}',
});
