/** Das Board, die Seite des Vibers im Browser. */
import { translate } from '../arguments.ts';
import * as english from '../en/board.ts';

export const board = translate(english.board)({
  link: 'Öffne das innerhalb von fünf Minuten; es meldet dich einmal an:',
  hereOnly:
    'Es öffnet sich auf dem Rechner, auf dem ich laufe. Von einem anderen aus mach zuerst mit `ssh -L` einen Tunnel für den Port und öffne den Link dann dort.',
  anywhere: 'Gib ihn nicht weiter: Wer ihn zuerst öffnet, ist in deinem Namen angemeldet.',
  ownersOnly: 'Das Board ist nur für meine Besitzer.',
  directOnly: 'Den Link zum Board gebe ich nur in einer direkten Nachricht: Schick mir dort /board.',
  notHere:
    'Das Board öffnet sich, sobald das ganze Gateway läuft: Starte es mit `{start}`, und schick noch einmal /board.',
  notServed:
    'Das Board ist hier nicht sicher zu erreichen: Setze http.host auf 127.0.0.1, oder nenne die https-Adresse eines Proxys unter http.origins.',
});
