/** El panel, la página del viber en un navegador. */
import { translate } from '../arguments.ts';
import { board as english } from '../en/board.ts';

export const board = translate(english)({
  link: 'Abre esto antes de cinco minutos; inicia tu sesión una vez:',
  hereOnly:
    'Se abre en la máquina donde funciono. Desde otra, crea primero un túnel con `ssh -L` para su puerto y abre después el enlace allí.',
  anywhere: 'No lo compartas: la primera persona que lo abra entra con tu cuenta.',
  ownersOnly: 'El panel es solo para mis propietarios.',
  directOnly: 'Solo doy el enlace al panel en un mensaje directo: envíame /board allí.',
  notHere: 'El panel se abre cuando funciona el gateway completo: arráncalo con `{start}` y envía /board otra vez.',
  notServed:
    'Aquí no se puede llegar al panel de forma segura: pon http.host en 127.0.0.1, o añade la dirección https de un proxy en http.origins.',
});
