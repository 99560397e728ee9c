/**
 * Was Leute erfahren, wenn etwas nicht geklappt hat. Nur was ein Besitzer ansehen muss, nennt den Befehl, der ihm mehr
 * sagt.
 */
import { translate } from '../arguments.ts';
import * as english from '../en/failures.ts';

export const failures = translate(english.failures)({
  diskShort:
    'Meine Festplatte ist fast voll: {free} sind frei. Unter {least} nehme ich keine Nachrichten mehr an, mach also bitte etwas Platz.',
  diskFull:
    'Meine Festplatte ist voll: {free} sind frei, {least} müssen es sein. Ich nehme keine Nachrichten mehr an, bis wieder Platz ist; was inzwischen geschrieben wird, geht nicht verloren.',
  noRoomForWords:
    'Für unsere Gespräche ist hier kein Platz mehr, darum habe ich diese Nachricht nicht angenommen. Ein Besitzer kann alte Aufgaben entfernen oder die Grenze erhöhen.',
  noRoom:
    'Die Dateien von {name} haben {size} erreicht, mehr darf eine Person hier nicht behalten. Ich nehme keine weiteren an.',
  withTrace: '{what} (für den Besitzer: {command})',
  notSetUp:
    'Etwas ist nicht richtig eingerichtet, darum kann ich gerade nicht antworten. Mein Besitzer muss danach sehen: Versuch es bitte später noch einmal.',
  ownerNeeded: 'Ich konnte {name} nicht antworten, und andere hören dasselbe, bis es behoben ist. {what}',
  settings: 'An den Einstellungen muss etwas geändert werden: {problem}.',
  content: 'Das Modell {model} nimmt solche Inhalte nicht an: Lass die Datei weg, oder stell ein anderes Modell ein.',
  overloaded: 'Der Anbieter „{provider}“ ist gerade überlastet: Versuch es in ein paar Minuten nochmal.',
  model: 'Das Modell {model} hat einen Fehler gemeldet: Versuch es nochmal, oder stell ein anderes ein.',
  brokeOff: 'Das Modell {model} hat mitten in der Antwort abgebrochen: Frag bitte nochmal.',
  unreadable: 'Das Modell {model} hat keine lesbare Antwort gegeben: Prüf {setting}, oder frag nochmal.',
  endless: 'Das Modell {model} wird mit der Antwort nicht fertig: Frag bitte nach weniger auf einmal.',
  slowStart:
    'Das Modell {model} hat in {wait} nicht zu antworten begonnen: Versuch es nochmal, oder stell ein anderes ein.',
  slow: 'Das Modell {model} hat mitten in der Antwort {wait} lang nichts mehr geschickt: Versuch es nochmal, oder stell ein anderes ein.',
  unreachable: 'Der Anbieter „{provider}“ ist nicht zu erreichen: Prüf, ob er läuft und ob {setting} stimmt.',
  webPage:
    'Unter der Adresse des Anbieters „{provider}“ kam eine Webseite statt der Antwort eines Modells: Prüf {setting}, und ob sich dieser Rechner erst im Netz oder beim Proxy anmelden muss.',
  noCredit: 'Beim Anbieter „{provider}“ ist kein Guthaben mehr: Lad es auf, oder wähl mit /model ein anderes Modell.',
  noCreditAt:
    'Beim Anbieter „{provider}“ ist kein Guthaben mehr: Lad es unter {where} auf, oder wähl mit /model ein anderes Modell.',
  usedUp:
    'Was der Anbieter „{provider}“ uns vorerst erlaubt, ist aufgebraucht: Warte, bis sein Limit neu beginnt, oder wähl mit /model ein anderes Modell.',
  noKey:
    'Für {provider} habe ich noch keinen Schlüssel, deshalb antwortet kein Modell: Setze {setting} und starte mich neu.',
  key: 'Der Anbieter „{provider}“ hat den Schlüssel nicht angenommen: Prüf {setting}.',
  limited: 'Der Anbieter „{provider}“ nimmt gerade keine weiteren Anfragen an: Versuch es gleich nochmal.',
  limitedFor: 'Der Anbieter „{provider}“ nimmt gerade keine weiteren Anfragen an: Versuch es in {wait} nochmal.',
  seconds: '{n, plural, one {# Sekunde} other {# Sekunden}}',
  minutes: '{n, plural, one {# Minute} other {# Minuten}}',
  hours: '{n, plural, one {# Stunde} other {# Stunden}}',
  inTrouble: 'Der Anbieter „{provider}“ hat gerade eine Störung: Versuch es gleich nochmal.',
  elsewhere:
    'Der Anbieter „{provider}“ leitet auf eine andere Adresse um: Trag seine endgültige Adresse in {setting} ein.',
  tooLong:
    'Für den Anbieter „{provider}“ ist dieses Gespräch zu lang: Mach in einer neuen Aufgabe weiter (/new), oder stell ein größeres Modell als {model} ein.',
  wrongAddress: 'Der Anbieter „{provider}“ kennt {address} nicht: Setz {setting} auf {right}.',
  unknownModel:
    'Der Anbieter „{provider}“ kennt das Modell „{model}“ nicht: Prüf die Einstellung model, und {setting}.',
  notPulled:
    'Das Modell {model} ist noch nicht auf dem Rechner des Anbieters „{provider}“: Hol es dort mit `ollama pull {model}`, oder wähl mit /model ein anderes.',
  noTools:
    'Das Modell {model} kann keine Werkzeuge benutzen, und ohne die kann ich nicht arbeiten: Wähl mit /model ein anderes.',
  noMemory:
    'Das Modell {model} braucht mehr Speicher, als auf dem Rechner seines Anbieters frei ist: Wähl mit /model ein kleineres.',
  place:
    'Der Anbieter „{provider}“ bedient das Land nicht, in dem dieser Rechner steht: Wähl mit /model ein anderes Modell.',
  refused: 'Der Anbieter „{provider}“ hat die Anfrage abgelehnt: Sag es anders, oder stell ein anderes Modell ein.',
  onlyThoughts:
    'Das Modell {model} hat den ganzen Platz seiner Antwort zum Nachdenken gebraucht und nichts gesagt: Frag bitte nochmal, oder lass es weniger nachdenken (/think low).',
  emptyFrom: 'Das Modell {model} hat eine leere Antwort gegeben: Frag bitte nochmal, oder sag es anders.',
  noModel: 'Ich habe noch kein Modell, mit dem ich antworten kann: Setz model, zum Beispiel auf openai/gpt-5-mini.',
  tookMinutes:
    'Daran habe ich {n, plural, one {# Minute} other {# Minuten}} gearbeitet und dann aufgehört: Bitte mich in kleineren Schritten darum.',
  tookSeconds:
    'Daran habe ich {n, plural, one {# Sekunde} other {# Sekunden}} gearbeitet und dann aufgehört: Bitte mich in kleineren Schritten darum.',
  fallback: '{what} Der Ersatz ({models}) hat auch nicht geklappt.',
  interruptedWhile:
    'Ich wurde {doing} unterbrochen. Vielleicht ist es geschehen, vielleicht nicht: Sieh bitte nach, bevor wir weitermachen.',
  interrupted: 'Ich wurde unterbrochen, bevor ich eine Antwort hatte.',
  toolFailed: 'Mir ist {doing} etwas schiefgegangen, und ich kam nicht weiter: Versuch es nochmal, oder sag es anders.',
  noAnswer: 'Bei mir ist etwas schiefgegangen, bevor ich eine Antwort hatte: Versuch es bitte nochmal.',
  empty: 'Die Antwort war leer: Frag bitte nochmal, oder sag es anders.',
  moreFiles: 'Weitere Dateien: {names}',
  goneFiles:
    '{names} {n, plural, one {liegt} other {liegen}} nicht mehr im Ordner dieser Aufgabe. Bitte mich, {n, plural, one {die Datei} other {die Dateien}} noch einmal zu machen.',
  newTask: 'Neue Aufgabe',
  givenUp:
    'Deine Nachricht konnte ich nicht bearbeiten: Ich bin {n, plural, one {einmal} other {#-mal}} daran gescheitert. Versuch es mit anderen Worten (für den Besitzer: {command}).',
  notTaken:
    'Deine Nachricht konnte ich nicht annehmen. Sie ist gespeichert; schick sie gleich nochmal, oder fang mit /new neu an (für den Besitzer: {command}).',
  notTakenOwner:
    'Eine Nachricht in {place} konnte nicht angenommen werden: {reason}. Sie liegt in spool/dead; {command} sagt mehr.',
  undelivered: 'Eine Nachricht von mir in {place} kam nicht an: {reason}. Sie liegt in spool/dead.',
  uncertain: 'Ich weiß nicht, ob meine letzte Nachricht bei dir angekommen ist. Wenn sie fehlt, schick /status.',
  tooMany:
    'Das waren zu viele Nachrichten in einer Minute; die letzte habe ich nicht angenommen. Warte einen Moment und schick sie nochmal.',
  tooFast:
    '{n, plural, one {# Nachricht habe ich nicht angenommen, weil sie zu schnell kam} other {# Nachrichten habe ich nicht angenommen, weil sie zu schnell kamen}}. Schick sie bitte noch einmal.',
  tooFastAfter:
    '{n, plural, one {# Nachricht habe ich nicht angenommen, weil sie zu schnell kam} other {# Nachrichten habe ich nicht angenommen, weil sie zu schnell kamen}}. Die letzte, die ich angenommen habe, war „{text}“; schick bitte noch einmal, was danach kam.',
  queueFull:
    'Diese Nachricht habe ich nicht angenommen: {n, plural, one {eine wartet schon} other {# warten schon}}. Schick sie später nochmal, oder erst /stop.',
  buttonGone: 'Dieser Knopf geht nicht mehr. {hint}',
  othersThread: 'Dieser Thread gehört zu einer Aufgabe anderer; nur die Beteiligten dürfen das ändern.',
});

/** Sprachnachrichten, die nicht zu hören waren. */
export const voice = translate(english.voice)({
  unsetOwner:
    'Ich kann Sprachnachrichten noch nicht hören. Setze {keys} (eines genügt) oder nenne in voice.command ein eigenes Programm, starte mich neu und schick sie noch einmal. Die Aufnahme habe ich behalten.',
  unset: 'Ich kann hier noch keine Sprachnachrichten hören. Schreib es mir bitte.',
  busy: 'Ich konnte deine Sprachnachricht nicht hören: Der Dienst, der sie aufschreibt, hat nicht geantwortet. Ich habe sie behalten; drück gleich auf Nochmal, oder schreib es mir.',
  keyOwner:
    'Ich konnte deine Sprachnachricht nicht hören: {reason} Bitte sieh nach {setting}. Ich habe sie behalten; drück danach auf Nochmal.',
  key: 'Ich konnte deine Sprachnachricht nicht hören: Etwas ist nicht richtig eingerichtet. Schreib es mir bitte.',
  unreadable:
    'Ich konnte deine Sprachnachricht nicht verstehen: Die Aufnahme ist nicht lesbar. Schick sie bitte noch einmal, oder schreib es mir.',
  long: 'Deine Sprachnachricht ist zu lang für mich. Schick sie bitte in kürzeren Stücken, oder schreib es mir.',
  empty: 'In deiner Sprachnachricht war nichts zu hören. Sag es bitte noch einmal, oder schreib es mir.',
  again: 'Bitte versuch es noch einmal mit meiner Sprachnachricht.',
});
