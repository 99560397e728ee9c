/** Palabras de botones y de muchos mensajes. */
import { translate } from '../arguments.ts';
import * as english from '../en/common.ts';

export const common = translate(english.common)({
  yes: 'Sí',
  no: 'No',
  continue: 'Continuar',
  retry: 'Reintentar',
  wrong: 'Algo falló por mi parte.',
  more: 'y {n, plural, one {una más} other {# más}}',
  asItIs: '{text}',
  about: '{name}: {what}',
  largerThan: 'más de {kb} KB',
  unreadable: 'no se puede leer ({code})',
});

/** Fechas y horas. */
export const times = translate(english.times)({
  today: 'hoy a las {time}',
  tomorrow: 'mañana ({day}) a las {time}',
  yesterday: 'ayer a las {time}',
  later: '{day}, {date} a las {time}',
  daysAt: '{days} a las {times}',
  both: '{before}; y {after}',
  everyDay: 'todos los días',
  everyWeekday: 'de lunes a viernes',
  everyOn: 'cada {days}',
  hours: '{n, plural, one {cada hora} other {cada # horas}}',
  minutes: '{n, plural, one {cada minuto} other {cada # minutos}}',
  between: '{rhythm} de {from} a {to}',
  rhythmOn: '{rhythm}, {days}',
  days: '{n, plural, one {cada día} other {cada # días}}',
  weeks: '{n, plural, one {cada semana} other {cada # semanas}}, el {day} a las {times}',
  once: 'una vez, el {date} a las {time}',
  moment: '{date} a las {time}',
  countedFrom: '{rhythm}, a contar desde el {date}',
  evenly: '{rhythm}, a intervalos iguales',
  past: '{rhythm}, en los minutos {minutes}',
  startingAt: '{rhythm} desde las {from}',
  eachMonth: 'el {days} de cada mes a las {times}',
  ofMonths: 'el {days} de {months} a las {times}',
  yearly: 'cada año, el {days} de {months} a las {times}',
  rareMonths: 'el {days} de cada mes a las {times} (en los meses que lo tienen)',
  nthDay: '{n, number}',
  nthNamed:
    '{nth, select, first {primer} second {segundo} third {tercer} fourth {cuarto} fifth {quinto} other {último}} {day}',
  nthWeekday:
    '{nth, select, first {primer} second {segundo} third {tercer} fourth {cuarto} fifth {quinto} other {último}} día laborable',
  nthOfAll:
    '{nth, select, first {primer} second {segundo} third {tercer} fourth {cuarto} fifth {quinto} other {último}} día',
  monthly: 'el {n, number} de cada mes a las {times}',
});
