/** Was an einer Anfrage an das Board oder das Protokoll falsch ist. */
import { translate } from '../arguments.ts';
import * as english from '../en/requests.ts';

export const requests = translate(english.requests)({
  field: '{field}: {what}',
  missing: 'fehlt',
  invalid: 'ist ungültig',
  number: 'erwartet wird eine Zahl',
  empty: 'ist leer',
  atMost: 'darf höchstens {n} sein',
  atLeast: 'muss mindestens {n} sein',
  unknown: 'hat unbekannte Felder: {names}',
  notATask: 'ist keine Kennung einer Aufgabe',
  notAViber: 'ist keine Kennung eines Vibers',
  notAPlace: 'ist keine Stelle in dieser Liste',
  notAChannel: 'ist kein Kanal',
  notAMessage: 'ist keine Nachricht dieser Aufgabe',
  verdict:
    '{kind, select, question {eine Frage lässt sich nur beantworten} plan {ein Plan lässt sich nur annehmen oder ablehnen} other {ein Werkzeug lässt sich nur erlauben oder ablehnen}}',
  commandId: 'Ein Befehl braucht eine id.',
  piece: '{name}: Das nächste Stück muss bei {offset} beginnen und mindestens ein Byte haben.',
  key: 'Idempotency-Key darf höchstens {n, plural, other {# Zeichen}} haben.',
  fileName: 'Gib den Namen der Datei an: /api/uploads?name=notes.md.',
  noSecondAnswer: 'eine Antwort lässt sich nicht neu erzeugen; frag in einer neuen Nachricht',
  lastIsEmpty: 'die letzte enthält keinen Text',
  fileParts: 'eine Datei braucht url und mediaType',
  object: 'erwartet wird ein JSON-Objekt',
  tooManyFiles: 'eine Nachricht darf höchstens {n, plural, one {# Datei} other {# Dateien}} haben',
  fileContent: '{name}: Gib den Inhalt als Data-URL an oder die ref einer hochgeladenen Datei.',
  day: 'erwartet wird ein Tag, zum Beispiel 2026-01-31',
  code: 'erwartet wird der Code aus dem Link',
});
