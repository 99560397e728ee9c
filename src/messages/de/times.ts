/** Wann etwas ist. */
import { translate } from '../arguments.ts';
import { times as english } from '../en/times.ts';

export const times = translate(english)({
  today: 'heute um {time}',
  tomorrow: 'morgen ({day}) um {time}',
  yesterday: 'gestern um {time}',
  later: '{day}, {date} um {time}',
});
