/** Wörter auf Knöpfen und in vielen Nachrichten. */
import { translate } from '../arguments.ts';
import { common as english } from '../en/common.ts';

export const common = translate(english)({
  yes: 'Ja',
  no: 'Nein',
  continue: 'Weiter',
  retry: 'Nochmal',
  wrong: 'Bei mir ist etwas schiefgegangen.',
  more: 'und {n, plural, one {eine weitere} other {# weitere}}',
  asItIs: '{text}',
});
