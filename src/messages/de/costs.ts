/** Tokens, Geld und die Grenzen eines Tages. */
import { translate } from '../arguments.ts';
import { costs as english } from '../en/costs.ts';

export const costs = translate(english)({
  tokens: '{in, number} Tokens gelesen, {out, number} geschrieben',
  tokensCached: '{in, number} Tokens gelesen ({cached, number} aus dem Cache), {out, number} geschrieben',
  unpriced: '{tokens}, Preis unbekannt',
  priced: '{tokens}, {money}',
  pricedPartly: '{tokens}, {money} und {rest, number} Tokens, deren Preis ich nicht kenne',
  ofTokens: '{used, number} von {limit, number} Tokens',
  money: '{amount} {currency}',
  amount: '{whole, number},{part}',
  ofMoney: '{used} von {limit}',
  lifted: 'in {hours, plural, =0 {} other {# Std. }}{minutes} Min.',
  yourLimit: 'Deine Grenze für heute ist erreicht ({share}, {setting})',
  everybodysLimit: 'Die heutige Grenze für alle ist erreicht ({share}, {setting})',
  notice:
    '{limit}. Ich mache {when} weiter, oder sobald der Besitzer sie anhebt. Was du bis dahin schreibst, bleibt liegen; drück danach auf Weiter.',
  reminder: 'Hier habe ich aufgehört. {limit}. Was fertig ist, bleibt; drück {when} auf Weiter.',
  forOwners:
    '{limit}. Ich antworte {when} wieder; soll es sofort weitergehen, heb die Einstellung an und starte das Gateway neu.',
  todayYou: '- heute, du: {share}',
  todayEverybody: '- heute, alle: {share}',
  reached: '- eine Grenze ist erreicht ({setting}): {when} geht es weiter',
});
