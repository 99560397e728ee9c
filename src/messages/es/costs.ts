/** Tokens, dinero y límites diarios. */
import { translate } from '../arguments.ts';
import { costs as english } from '../en/costs.ts';

export const costs = translate(english)({
  tokens: '{in, number} tokens de entrada, {out, number} de salida',
  tokensCached: '{in, number} tokens de entrada ({cached, number} en caché), {out, number} de salida',
  unpriced: '{tokens}, precio desconocido',
  priced: '{tokens}, {money}',
  pricedPartly: '{tokens}, {money} y {rest, number} tokens de precio desconocido',
  ofTokens: '{used, number} de {limit, number} tokens',
  money: '{amount} {currency}',
  amount: '{whole, number},{part}',
  ofMoney: '{used} de {limit}',
  lifted: 'en {hours, plural, =0 {} other {# h }}{minutes} min',
  yourLimit: 'Tu límite de hoy está agotado ({share}, {setting})',
  everybodysLimit: 'El límite de hoy para todos está agotado ({share}, {setting})',
  notice:
    '{limit}. Seguiré {when}, o cuando el propietario lo suba. Hasta entonces guardo lo que escribas, pero no lo contesto; después pulsa Continuar.',
  reminder: 'Paré aquí. {limit}. Lo hecho se conserva; pulsa Continuar {when}.',
  forOwners: '{limit}. Volveré a contestar {when}; para continuar ya, sube el ajuste y arranca el gateway otra vez.',
  todayYou: '- hoy, tú: {share}',
  todayEverybody: '- hoy, todos: {share}',
  reached: '- se alcanzó un límite ({setting}): sigo {when}',
});
