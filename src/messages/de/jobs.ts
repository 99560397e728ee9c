/** Geplante Aufträge: die Liste, ein einzelner, und was ihre Besitzer erfahren. */
import { translate } from '../arguments.ts';
import { jobs as english } from '../en/jobs.ts';

export const jobs = translate(english)({
  run: '{name} starten',
  pause: 'Pausieren',
  resume: '{name} fortsetzen',
  show: '{name} zeigen',
  delete: 'Löschen',
  paused: '(pausiert)',
  broken: '(fehlerhaft)',
  done: '(erledigt)',
  next: 'als Nächstes {when}',
  lastRun: 'Letztes Mal: {state} (Aufgabe `{task}`).',
  neverRun: 'Er ist noch nie gelaufen.',
  goesTo: 'Sein Ergebnis geht an {places}.',
  goesNowhere: 'Sein Ergebnis geht an niemanden. Mit `deliver` in seiner Datei kommt es in einen Chat.',
  madeBy: 'Angelegt von `{who}`.',
  nextTimes: 'Als Nächstes ({zone}):',
  notUnderstood: '„{text}“ verstehe ich nicht als Zeit: {reason}. Schreib zum Beispiel „{example}“.',
  notSchedule: '„{text}“ verstehe ich nicht als Zeit. Schreib zum Beispiel „{example}“.',
  or: '{before}“ oder „{next}',
  tooOften:
    'Das ist zu oft: Ein im Chat angelegter Auftrag darf höchstens {n, plural, one {jede Minute} other {alle # Minuten}} laufen (jobs.minMinutes).',
  nameTaken: 'Einen Auftrag „{name}“ gibt es schon; lösch ihn zuerst oder nimm einen anderen Namen.',
  noneOffline:
    'Es gibt keine geplanten Aufträge. Mit einem Sprachmodell (`{init}` fragt danach) genügt ein Satz an mich; bis dahin legst du sie so an: `{add} --at "every weekday at 9" --prompt "Was gibt es Neues?"`',
  none: 'Es gibt keine geplanten Aufträge. Bitte mich darum, zum Beispiel: „Schick mir jeden Werktag um 9 hier eine Übersicht.“',
  runsNow: '**{name}** läuft jetzt.',
  pausedNow: 'Pausiert: **{name}**. Mit /jobs resume und dem Namen geht es weiter.',
  reallyDelete: '**{name}** endgültig löschen?',
  yesDelete: 'Ja, löschen',
  deleted: 'Gelöscht: **{name}**.',
  notHere: 'Hier gibt es keine geplanten Aufträge; vielleicht steht im Protokoll des Gateways, warum.',
  which: 'Welchen? Schreib /jobs {verb} und den Namen; /jobs zeigt sie.',
  goesOn: 'Das ist **{title}**, mit allen Dateien. Was möchtest du wissen?',
  asks: 'Der Auftrag **{name}** fragt (Aufgabe `{task}`; öffne sie hier, um in Worten zu antworten):',
  asksSeveral:
    'Der Auftrag **{name}** fragt (Aufgabe `{task}`; öffne sie hier, um in Worten zu antworten; die erste Antwort zählt):',
  maxSteps:
    'Der Auftrag {name} hätte mehr Schritte gebraucht, als er darf (maxSteps). Das unfertige Ergebnis habe ich aufgehoben und verschickt. Erhöhe maxSteps in seiner Datei, oder verlange weniger.',
  unsent: 'Das Ergebnis des Auftrags {name} ließ sich nicht an {place} schicken: {why}',
  away: 'Die Plattform war einen Tag lang nicht zu erreichen.',
  refused: 'Die Plattform hat es abgelehnt.',
  failed:
    'Der Auftrag {name} ist fehlgeschlagen.{why} Zu seinen nächsten Zeiten versuche ich es wieder, mit wachsenden Pausen; /jobs zeigt ihn.',
  failedForGood:
    'Der Auftrag {name} ist fehlgeschlagen.{why} Er läuft nicht noch einmal; bitte mich noch einmal darum, wenn es noch wichtig ist.',
  missed: 'Der Auftrag {name} war {due} ({zone}) dran, und da konnte ich nicht. /jobs run erledigt ihn jetzt.',
  missedAsked:
    'Der Auftrag {name} war {due} ({zone}) dran, und da konnte ich nicht. Bitte mich noch einmal darum, wenn es noch wichtig ist.',
  withoutRights:
    'Den Auftrag {name} erledige ich nicht mehr: {who} hat ihn angelegt und ist kein Besitzer mehr. Lösch ihn mit /jobs, oder lass einen Besitzer neu darum bitten.',
  stopped:
    '{n, plural, one {Ein Auftrag läuft nicht mehr, weil diese Version seine Datei nicht lesen kann} other {# Aufträge laufen nicht mehr, weil diese Version ihre Dateien nicht lesen kann}}: {names}. /jobs zeigt, was zu ändern ist.',
  names: 'Mit dem Auftrag {name} stimmt etwas nicht. {what}',
  manyUnknown:
    '{n, plural, one {Ein Auftrag nennt} other {# Aufträge nennen}} einen Viber, ein Modell, einen Skill oder ein Werkzeug, das es nicht gibt. /jobs zeigt, was.',
  both: '{before} {after}',
  near: ' (meintest du {near}?)',
  noViber: 'Einen Viber {name} gibt es nicht{near}; bis dahin läuft der Auftrag nicht.',
  noProvider: 'Für sein Modell {model} gibt es keinen Anbieter {name}{near}; bis dahin läuft er nicht.',
  badModel: 'Sein Modell {name} lässt sich nicht benutzen, deshalb läuft er nicht: {why}.',
  noSkill: 'Einen Skill {name} gibt es nicht{near}; der Auftrag läuft ohne ihn.',
  noTool: 'Ein Werkzeug {name} gibt es nicht{near}; der Auftrag läuft ohne.',
  offSkill: 'Der Skill {name} ist ausgeschaltet (skills.{name}); der Auftrag läuft ohne ihn.',
  unknownMore:
    '{n, plural, one {Ein weiterer Name in seiner Datei ist} other {# weitere Namen in seiner Datei sind}} unbekannt.',
  ownersOnly: 'Nur ein Besitzer darf geplante Aufträge ändern.',
  unknown: 'Einen Auftrag {name} gibt es nicht; /jobs zeigt, welche es gibt.',
  several: 'Mehrere Aufträge heißen so: {names}. Nimm eine dieser Kennungen.',
  pausedAlready: 'Der Auftrag {name} ist schon pausiert.',
  notPaused: 'Der Auftrag {name} ist nicht pausiert.',
  offInFile: 'Der Auftrag {name} ist in seiner Datei abgeschaltet: Setz „enabled: true“ in {file}.',
  folderLocked:
    'In den Ordner der Aufträge kann ich nicht schreiben ({code}): Ändere seine Rechte und versuch es noch einmal.',
  fileThere: 'Die Datei {file} gibt es schon; lösch eine von beiden.',
  unreadable: 'Den Auftrag {name} kann ich nicht lesen; bring erst seine Datei in Ordnung.',
  notOn: 'Der Auftrag {name} ist pausiert, oder seine Datei ist fehlerhaft; /jobs zeigt, was zutrifft.',
  underWay: 'Der Auftrag {name} läuft schon.',
  sayWhere:
    'Von hier aus kann ich nur antworten, nicht von selbst schreiben. Sag mir, wohin es gehen soll, zum Beispiel telegram:1001. Um einen Chat anzuschließen, führ `{command}` auf meinem Rechner aus.',
  tooMany:
    '{n, plural, one {Es gibt schon # Auftrag} other {Es gibt schon # Aufträge}} aus Chats (jobs.max); lösch erst einen mit /jobs.',
});
