/** Was zur Antwort des Modells hinzukommt oder an ihrer Stelle steht. */
import { translate } from '../arguments.ts';
import * as english from '../en/answers.ts';

export const answers = translate(english.answers)({
  unseen: '{name} konnte ich mir nicht ansehen: {why}',
  unseenFormat: 'es ist eine {format}-Datei, die das Modell nicht lesen kann. Schick sie bitte als JPEG oder PNG.',
  unseenLarge: 'es ist zu groß. Schick bitte eine kleinere Datei.',
  unseenLocked: 'es ist mit einem Passwort geschützt.',
  unseenPages:
    'es hat {n, plural, one {# Seite} other {# Seiten}}, und das Modell sieht sich höchstens 100 an. Der Text lässt sich trotzdem lesen.',
  unseenEmpty: 'es ist leer.',
  unseenMany: 'das Modell sieht sich höchstens {n, plural, one {# Bild} other {# Bilder}} auf einmal an.',
  unseenRefused:
    'das Modell hat es nicht angenommen. Es ist vielleicht beschädigt oder von einer Art, die das Modell nicht lesen kann; ich schicke es nicht noch einmal.',
  done: 'Fertig.',
  somethingToRemember: 'Hier ist etwas, das ich mir merken könnte.',
  planConflict: 'Der Plan wurde inzwischen geändert, es gilt deiner:',
  planMine: 'Ich hätte geschrieben:',
  unreadFiles:
    'Ich wollte {n, plural, one {eine Datei} other {# Dateien}} mitschicken, die nicht zu lesen {n, plural, one {war} other {waren}}. Bitte mich noch einmal darum.',
  leftOutFiles:
    'In eine Antwort {most, plural, one {passt # Datei} other {passen # Dateien}} von je höchstens 1 MB; {n, plural, one {eine ist} other {# sind}} zu viel und nicht dabei. Bitte mich in einer neuen Nachricht darum.',
  saidBy: 'Wer was gesagt hat:',
  moreSaid: 'und noch {n, plural, one {eine Antwort} other {# Antworten}}',
  noWords: 'Erledigt.',
  maxSteps:
    'Ich höre hier auf, weil ich für eine Antwort nicht mehr Schritte machen darf. Was fertig ist, bleibt. Schreib „mach weiter“, dann mache ich weiter.',
  cutLength:
    'Hier endet die Antwort, weil das Modell nicht länger schreiben kann. Schreib „mach weiter“, dann kommt der Rest.',
  stuck:
    'Ich höre hier auf: Mir ist {doing} dreimal auf dieselbe Weise etwas schiefgegangen. Sag mir, was ich anders machen soll.',
  withheld: 'Den Rest dieser Antwort hat der Anbieter des Modells zurückgehalten. Frag mit anderen Worten.',
});

/** Was Suchen finden. */
export const search = {
  sources: 'Quellen:',
  ask: 'Im Web nach {query} suchen? {who} bekommt diese Wörter zu lesen.',
} as const;
