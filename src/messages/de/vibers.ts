/** Mit welchem Viber ein Gespräch geführt wird. */
import { translate } from '../arguments.ts';
import { vibers as english } from '../en/vibers.ts';

export const vibers = translate(english)({
  here: 'Hier sprichst du mit **{name}**.',
  others: 'Du kannst mit einem anderen sprechen:',
  use: '{name} nehmen',
  now: 'Ab jetzt sprichst du hier mit **{name}**. Sag, worum es geht.',
  goesOn: 'Ab jetzt sprichst du hier mit **{name}**. Es geht weiter mit **{title}**.',
  noSuch: 'Einen Viber „{name}“ gibt es hier nicht für dich. Es gibt {names}.',
  notYours: '{name} darf hier nur ein Besitzer wählen: Er steht nicht auf der Liste für alle.',
  gone: 'Den Viber **{name}** gibt es nicht mehr, deshalb habe ich deine Worte niemandem gegeben. /use zeigt, wer da ist.',
  broken: 'agents/{id}.yaml lässt sich nicht benutzen, deshalb antwortet dieser Viber nicht: {why}',
  says: '**{name}:**',
  is: '- mit: {name}',
});
