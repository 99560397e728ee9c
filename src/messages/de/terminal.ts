/** Was das Terminal von sich aus sagt. */
import { translate } from '../arguments.ts';
import { terminal as english } from '../en/terminal.ts';

export const terminal = translate(english)({
  greeting: 'Hallo, ich bin dein Viber. /help zeigt, was ich kann; mit exit oder Strg+D gehst du.',
  moment: 'Einen Moment …',
  again: 'Drück noch einmal Strg+C, um zu gehen.',
  stopping: 'Ich halte an … Drück noch einmal Strg+C, um zu gehen.',
  noButton: 'Es gibt keinen Knopf {n}.',
  decided: 'Das ist schon entschieden, {n} bewirkt nichts mehr.',
  olderButton:
    'Meinst du den Knopf „{label}“ weiter oben? Mit !{n} drückst du ihn. Meinst du die Zahl {n}, schreib ein Wort dazu.',
  notTaken: 'Das ist nicht angekommen: {why}',
  pasted: '[eingefügter Text {n}: {lines, plural, one {eine Zeile} other {{lines, number} Zeilen}}]',
  moreLines: '… und {n, plural, one {noch eine Zeile} other {noch {n, number} Zeilen}}',
  moreChoices: '… und {n, number} weitere',
  searching: 'Früher getippt, mit: {part} (Strg+R: weiter zurück, Esc: lassen)',
  notFound: 'Nichts, was du getippt hast, enthält: {part} (Esc: abbrechen)',
  noInput:
    'Hier kommt keine Eingabe, darum laufe ich ohne dieses Terminal weiter. Um mit mir zu reden, starte „{chat}“ oder „{board}“. Um mich zu beenden, drück Strg+C oder sende SIGTERM.',
  stillWorking: 'Ich arbeite noch daran. Die Antwort kommt, wenn sie fertig ist, oder nach dem nächsten Start.',
  unanswered: 'Hier fehlt noch deine Antwort:',
  lost: 'Ich wurde beendet. Was du geschrieben hast, ist aufgehoben und wird nach dem nächsten Start beantwortet.',
});
