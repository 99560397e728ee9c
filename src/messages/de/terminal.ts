/** Was das Terminal von sich aus sagt. */
import { translate } from '../arguments.ts';
import { terminal as english } from '../en/terminal.ts';

export const terminal = translate(english)({
  greeting: 'Dein Viber hört zu. /help zeigt, was er kann; mit exit oder Strg-D gehst du.',
  moment: 'Einen Moment …',
  again: 'Noch einmal Strg-C, und du bist draußen.',
  stopping: 'Ich halte an … Noch einmal Strg-C, und du bist draußen.',
  noButton: 'Es gibt keinen Knopf {n}.',
  decided: 'Das ist schon entschieden, {n} bewirkt nichts mehr.',
  olderButton:
    '{n} ist der Knopf „{label}“ weiter oben. Mit !{n} drückst du ihn; meinst du die Zahl, schreib ein Wort dazu.',
  notTaken: 'Das ist nicht angekommen: {why}',
  pasted: '[eingefügter Text {n}: {lines, plural, one {eine Zeile} other {{lines, number} Zeilen}}]',
  moreLines: '… und {n, plural, one {noch eine Zeile} other {noch {n, number} Zeilen}}',
  moreChoices: '… und {n, number} weitere',
  searching: 'Früher getippt, mit: {part} (Strg-R: weiter zurück, Esc: lassen)',
  notFound: 'Früher getippt hast du nichts mit: {part} (Esc: lassen)',
  noInput:
    'Hier gibt es nichts zu lesen, darum laufe ich ohne dieses Terminal weiter. Um mit mir zu reden, starte `{chat}` oder `{board}`. Um mich zu beenden, drücke Strg-C oder sende SIGTERM.',
  stillWorking: 'Ich arbeite noch daran. Die Antwort kommt, wenn sie fertig ist, oder nach dem nächsten Start.',
  lost: 'Ich wurde beendet. Was du geschrieben hast, ist aufgehoben und wird nach dem nächsten Start beantwortet.',
});
