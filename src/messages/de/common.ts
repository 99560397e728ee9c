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
});
