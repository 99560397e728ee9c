/** Geplante Aufträge: die Liste, ein einzelner, und was ihre Besitzer erfahren. */
import { translate } from '../arguments.ts';
import { jobs as english } from '../en/jobs.ts';

export const jobs = translate(english)({
  run: '{name} starten',
  pause: 'Anhalten',
  resume: '{name} fortsetzen',
  show: '{name} zeigen',
  delete: 'Löschen',
  paused: '(angehalten)',
  broken: '(fehlerhaft)',
  done: '(erledigt)',
  next: 'als Nächstes {when}',
  lastRun: 'Letztes Mal: {state} (Aufgabe `{task}`).',
  neverRun: 'Er war noch nie dran.',
  goesTo: 'Sein Ergebnis geht an {places}.',
  goesNowhere: 'Sein Ergebnis geht an niemanden: Mit `deliver` in seiner Datei kommt es in einen Chat.',
  madeBy: 'Angelegt von `{who}`.',
  nextTimes: 'Als Nächstes ({zone}):',
  notUnderstood:
    '„{text}“ verstehe ich nicht als Zeit{kind, select, noTime {: die Uhrzeit fehlt} twoTimes {: es sind zwei Zeiten} noDays {: es fehlt, an welchen Tagen} twoRhythms {: es sind zwei Rhythmen} past {: das ist schon vorbei} tooFar {: das ist zu lange hin} seconds {: Sekunden gehen nicht} tooLong {: es ist zu lang} noDay {: diesen Tag gibt es nicht} half {: offen ist, welche Tageshälfte gemeint ist} word {: „{word}“ kenne ich da nicht} other {}}. Schreib zum Beispiel „{example}“.{reason, select, other {}}',
  or: '{before}“ oder „{next}',
  tooOften:
    'Das ist zu oft: Ein im Chat angelegter Auftrag darf höchstens {n, plural, one {jede Minute} other {alle # Minuten}} laufen (jobs.min_minutes).',
  nameTaken: 'Einen Auftrag „{name}“ gibt es schon; lösch ihn zuerst oder nimm einen anderen Namen.',
  noneOffline:
    'Es gibt keine geplanten Aufträge. Mit einem Sprachmodell (`{init}` fragt danach) genügt ein Satz an mich; bis dahin legst du sie so an: `{add} --at "every weekday at 9" --prompt "Was gibt es Neues?"`',
  none: 'Es gibt keine geplanten Aufträge. Bitte mich darum, zum Beispiel: „Schick mir jeden Werktag um 9 hier eine Übersicht.“',
  runsNow: '**{name}** läuft jetzt.',
  pausedNow: 'Angehalten: **{name}**. Mit /jobs resume und dem Namen geht es weiter.',
  reallyDelete: '**{name}** endgültig löschen?',
  yesDelete: 'Ja, löschen',
  deleted: 'Gelöscht: **{name}**.',
  notHere: 'Hier gibt es keine geplanten Aufträge; vielleicht steht im Log des Gateways, warum.',
  which: 'Welchen? Schreib /jobs {verb} und den Namen; /jobs zeigt sie.',
  goesOn: 'Ich habe **{title}** vor mir, mit allen Dateien. Was möchtest du wissen?',
  asks: 'Der Auftrag **{name}** fragt (Aufgabe `{task}`; öffne sie hier, um in Worten zu antworten):',
  asksSeveral:
    'Der Auftrag **{name}** fragt (Aufgabe `{task}`; öffne sie hier, um in Worten zu antworten; die erste Antwort zählt):',
  maxSteps:
    'Der Auftrag {name} hätte mehr Schritte gebraucht, als er darf (maxSteps); was da ist, ist aufgehoben und verschickt. Erhöhe maxSteps in seiner Datei, oder verlange weniger.',
  unsent: 'Das Ergebnis des Auftrags {name} ließ sich nicht an {place} schicken: {why}',
  away: 'Die Plattform war einen Tag lang nicht zu erreichen.',
  refused: 'Die Plattform hat es abgelehnt.',
  failed:
    'Der Auftrag {name} ist fehlgeschlagen.{why} Zu seinen nächsten Zeiten versuche ich es wieder, mit wachsenden Pausen; /jobs zeigt ihn.',
  failedForGood:
    'Der Auftrag {name} ist fehlgeschlagen.{why} Er hat keine weitere Zeit; bitte mich noch einmal darum, wenn es noch wichtig ist.',
  missed: 'Der Auftrag {name} war {due} ({zone}) dran, und da konnte ich nicht. /jobs run erledigt ihn jetzt.',
  missedAsked:
    'Der Auftrag {name} war {due} ({zone}) dran, und da konnte ich nicht. Bitte mich noch einmal darum, wenn es noch wichtig ist.',
  withoutRights:
    'Den Auftrag {name} erledige ich nicht mehr: {who} hat ihn angelegt und ist kein Besitzer mehr. Lösch ihn mit /jobs, oder lass einen Besitzer neu darum bitten.',
  stopped:
    '{n, plural, one {Ein Auftrag läuft nicht mehr, weil diese Version seine Datei nicht lesen kann} other {# Aufträge laufen nicht mehr, weil diese Version ihre Dateien nicht lesen kann}}: {names}. /jobs zeigt, was zu ändern ist.',
  names: 'Mit dem Auftrag {name} stimmt etwas nicht. {what}',
  manyUnknown:
    '{n, plural, one {Ein Auftrag nennt} other {# Aufträge nennen}} einen Viber, ein Modell, eine Fähigkeit oder ein Werkzeug, das es nicht gibt. /jobs zeigt, was.',
  both: '{before} {after}',
  near: ' (meintest du {near}?)',
  noViber: 'Einen Viber {name} gibt es nicht{near}; solange bleibt er liegen.',
  noProvider: 'Für sein Modell {model} gibt es keinen Anbieter {name}{near}; solange bleibt er liegen.',
  badModel: 'Sein Modell {name} lässt sich nicht benutzen, deshalb bleibt er liegen: {why}.',
  noSkill: 'Eine Fähigkeit {name} gibt es nicht{near}; es geht ohne sie.',
  noTool: 'Ein Werkzeug {name} gibt es nicht{near}; es geht ohne.',
  offSkill: 'Die Fähigkeit {name} ist ausgeschaltet (skills.{name}); es geht ohne sie.',
  unknownMore:
    '{n, plural, one {Ein weiterer Name} other {# weitere Namen}} in seiner Datei: auch damit kann ich nichts anfangen.',
  ownersOnly: 'Nur ein Besitzer darf geplante Aufträge ändern.',
  unknown: 'Einen Auftrag {name} gibt es nicht; /jobs zeigt, welche es gibt.',
  several: 'Mehrere Aufträge heißen so: {names}. Nimm eine dieser Kennungen.',
  pausedAlready: 'Der Auftrag {name} ist schon angehalten.',
  notPaused: 'Der Auftrag {name} ist nicht angehalten.',
  offInFile: 'Der Auftrag {name} ist in seiner Datei abgeschaltet: Setz „enabled: true“ in {file}.',
  folderLocked:
    'In den Ordner der Aufträge kann ich nicht schreiben ({code}): Ändere seine Rechte und versuch es noch einmal.',
  fileThere: 'Die Datei {file} gibt es schon; lösch eine von beiden.',
  unreadable: 'Den Auftrag {name} kann ich nicht lesen; bring erst seine Datei in Ordnung.',
  notOn: 'Der Auftrag {name} ist angehalten, oder seine Datei ist fehlerhaft; /jobs sagt, was davon.',
  underWay: 'Der Auftrag {name} ist schon in Arbeit; seine Antwort kommt.',
  sayWhere:
    'Von hier aus kann ich nur antworten, nicht von selbst schreiben. Sag mir, wohin es gehen soll, zum Beispiel telegram:1001. Um einen Chat anzuschließen, führ `{command}` auf meinem Rechner aus.',
  tooMany:
    '{n, plural, one {Es gibt schon # Auftrag} other {Es gibt schon # Aufträge}} aus Chats (jobs.max); lösch erst einen mit /jobs.',
});
